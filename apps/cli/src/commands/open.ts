import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import openInBrowser from 'open';
import { createBigStates, createDemoControl } from '@checkpoint-inspector/inspector';
import { serve } from '@checkpoint-inspector/api';
import { placeOf } from '@checkpoint-inspector/changes';
import type { BigStates } from '@checkpoint-inspector/inspector';
import type { RunningServer } from '@checkpoint-inspector/api';
import { createDemo } from '@checkpoint-inspector/demo';
import type { Demo } from '@checkpoint-inspector/demo';
import { openAppWindow } from '../app-window.ts';
import type { Command } from 'commander';
import { InspectorError } from '@checkpoint-inspector/core';
import type { KeyOptions } from '../key.ts';
import { table } from '../output.ts';
import type { Output } from '../output.ts';
import { openSession, wholeNumber } from '../session.ts';
import type { Session } from '../session.ts';
import { assertTarget } from '../target-words.ts';
import { ASK_KEY, collect, KEY_FILE } from '../verbs.ts';
import type { Verbs } from '../verbs.ts';

interface OpenOptions extends KeyOptions {
  readonly demo?: boolean;
  readonly port: string;
  readonly host: string;
  readonly allowedHost?: readonly string[];
  readonly readOnly?: boolean;
  readonly open: boolean;
  readonly app?: boolean;
  readonly token?: string;
  readonly reveal?: boolean;
}

interface OpenRun {
  readonly targets: readonly string[];
  readonly options: OpenOptions;
  readonly version: string;
  readonly output: Output;
}

export function addOpen(verbs: Verbs): void {
  const { output, version } = verbs;
  verbs
    .add(
      'open [target...]',
      {
        group: 'open',
        about: 'open stores in the browser; default: the stores below this folder',
        examples: ['', './checkpoints.sqlite ./kaizen', 'prod=./checkpoints.sqlite --read-only', '--demo --app'],
      },
      { isDefault: true },
    )
    .option('--demo', 'open demo stores, with an agent that writes')
    .option('--port <n>', 'port; 0 takes a free one', '4600')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--allowed-host <host>', 'accept this Host header too, with port; repeatable', collect)
    .option('--read-only', 'refuse every change')
    .option('--no-open', 'do not start the browser')
    .option('--app', 'open the page as a window of its own')
    .option(
      '--token <token>',
      'use this token instead of a new one; other users can read it in the list of processes, so prefer the variable CHECKPOINT_INSPECTOR_TOKEN',
    )
    .option('--key-file <path>', KEY_FILE)
    .option('--ask-key', ASK_KEY)
    .option('--reveal', 'hand out secrets over /mcp as they are stored; the page masks them until you reveal them')
    .option('--json', 'print the start line as JSON')
    .action((targets: string[], options: OpenOptions, command: Command) => {
      const program = command.parent;
      const [word] = targets;
      const isNamed = program?.args[0] === command.name();
      if (program && !isNamed && word !== undefined) assertTarget(program, word);
      return open({ targets, options, version, output });
    });
}

/** Opens the stores, serves the page, and stays until it is told to stop. */
async function open({ targets, options, version, output }: OpenRun): Promise<void> {
  const port = wholeNumber('--port', options.port, { from: 0, to: 65_535 });
  const demo = options.demo ? await createDemo() : undefined;
  const readOnly = options.readOnly ?? false;
  const parts: Parts = { demo, session: undefined, big: undefined, server: undefined };
  try {
    parts.session = await openSession(
      [...targets, ...(demo?.targets ?? [])],
      {
        ...options,
        readOnly,
        serves: true,
        recover: false,
        ...(demo ? { journalFolder: demo.journal } : {}),
      },
      output,
    );
    if (!readOnly) await recover(parts.session, output);
    if (demo) putMarks(parts.session, demo);
    // The thread's file is beside the bundled command.
    const worker = pathToFileURL(join(import.meta.dirname, 'state-worker.js'));
    parts.big = createBigStates({ stores: parts.session.stores, worker });
    parts.server = await start(parts.session, parts.big, { options, port, version, demo, readOnly });
  } catch (error) {
    await stop(parts);
    throw error;
  }
  startSearch(parts.session, output);
  await demo?.startAgents();
  await announce(parts.session, parts.server, options, output);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void stop(parts).finally(() => process.exit(0)));
}

/** Ends changes that were cut off. A journal that cannot be opened keeps nobody from looking at the stores. */
async function recover({ changes }: Session, output: Output): Promise<void> {
  try {
    await changes.recover();
  } catch (thrown) {
    output.note(`Changes are off. ${wordsOf(thrown)}`);
  }
}

/** Without SQLite everything but search works on folders. */
function startSearch({ search }: Session, output: Output): void {
  try {
    search.start();
  } catch (thrown) {
    output.note(`Search is off. ${wordsOf(thrown)}`);
  }
}

function wordsOf(thrown: unknown): string {
  const { message, remedy } = InspectorError.from(thrown);
  return `${message} ${remedy}`;
}

/** Earlier work on the demo's stores, as the inspector would have kept it: bookmarks, and where restores came from. */
function putMarks({ stores, journal }: Session, { marks }: Demo): void {
  for (const { target, edges, bookmarks } of marks) {
    const info = stores.list().find(({ location }) => location === target);
    if (!info) continue;
    journal.addSidecar(info.id, edges);
    for (const ref of bookmarks) journal.annotations.addLabel(placeOf(stores.source(info.id)), ref, 'bookmark');
  }
}

/** A reset forgets what was done since, not what the story begins with. */
function keptMarks(session: Session, demo: Demo): { clear(): void } {
  return {
    clear: () => {
      session.journal.clear();
      putMarks(session, demo);
    },
  };
}

interface Parts {
  readonly demo: Demo | undefined;
  session: Session | undefined;
  big: BigStates | undefined;
  server: RunningServer | undefined;
}

async function stop({ demo, session, big, server }: Parts): Promise<void> {
  await server?.close();
  await big?.close();
  await session?.close();
  await demo?.remove();
}

interface Settings {
  readonly options: OpenOptions;
  readonly port: number;
  readonly version: string;
  readonly demo: Demo | undefined;
  readonly readOnly: boolean;
}

function start(
  session: Session,
  big: BigStates,
  { options, port, version, demo, readOnly }: Settings,
): Promise<RunningServer> {
  const token = givenToken(options);
  return serve({
    stores: session.stores,
    search: session.search,
    big,
    changes: session.changes,
    annotations: session.journal.annotations,
    status: { version, readOnly, demo: demo !== undefined, pid: process.pid, startedAt: new Date().toISOString() },
    shell: join(import.meta.dirname, 'web'),
    port,
    host: options.host,
    allowedHosts: options.allowedHost ?? [],
    revealOverMcp: options.reveal ?? false,
    ...(token === undefined ? {} : { token }),
    ...(demo
      ? { demo: createDemoControl({ stage: demo, stores: session.stores, journal: keptMarks(session, demo) }) }
      : {}),
    onDefect: (error) => console.error(error),
  });
}

const givenToken = (options: OpenOptions): string | undefined =>
  options.token ?? process.env['CHECKPOINT_INSPECTOR_TOKEN'];

async function announce(session: Session, server: RunningServer, options: OpenOptions, output: Output): Promise<void> {
  // A token that the user chose may be used elsewhere too: the page keeps it for its session only.
  const keep = givenToken(options) === undefined ? 'origin' : 'session';
  const url = `${server.url}/#token=${encodeURIComponent(server.token)}${keep === 'session' ? '&keep=session' : ''}`;
  if (output.json) {
    output.line(JSON.stringify({ url, pid: process.pid }));
  } else {
    for (const line of table(
      ['STORE', 'SYSTEM', 'PLACE'],
      session.stores.list().map((info) => [info.id, info.system, info.location ?? '']),
      output.terminal,
    )) {
      output.line(line);
    }
    output.line(`\nOpen  ${url}\nStop  Ctrl+C`);
  }
  if (options.open) await show(server.oneTimeUrl(keep), options, output);
}

/** The link goes over a command line that others may read: it works once, and only for a minute. */
async function show(url: string, { app = false }: OpenOptions, output: Output): Promise<void> {
  if (app && (await openAppWindow(url))) return;
  if (app)
    output.note('No browser for an app window was found (Chrome, Chromium, Edge or Brave); opening the usual one.');
  try {
    await openInBrowser(url);
  } catch {
    output.note('No browser could be started; open the link above.');
  }
}
