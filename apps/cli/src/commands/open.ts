import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import openInBrowser from 'open';
import { createBigStates, createDemoControl, placeOf, serve } from '@checkpoint-inspector/api';
import type { BigStates, RunningServer } from '@checkpoint-inspector/api';
import { createDemo } from '@checkpoint-inspector/demo';
import type { Demo } from '@checkpoint-inspector/demo';
import { openAppWindow } from '../app-window.ts';
import type { KeyOptions } from '../key.ts';
import { table } from '../output.ts';
import type { Output } from '../output.ts';
import { openSession, wholeNumber } from '../session.ts';
import type { Session } from '../session.ts';

export interface OpenOptions extends KeyOptions {
  readonly demo?: boolean;
  readonly port: string;
  readonly host: string;
  readonly allowedHost?: readonly string[];
  readonly readOnly?: boolean;
  readonly open: boolean;
  readonly app?: boolean;
  readonly token?: string;
}

export interface OpenRun {
  readonly targets: readonly string[];
  readonly options: OpenOptions;
  readonly version: string;
  readonly output: Output;
}

/** Opens the stores, serves the page, and stays until it is told to stop. */
export async function open({ targets, options, version, output }: OpenRun): Promise<void> {
  const port = wholeNumber('--port', options.port, { from: 0, to: 65_535 });
  const demo = options.demo ? await createDemo() : undefined;
  const readOnly = options.readOnly ?? false;
  const parts: Parts = { demo, session: undefined, big: undefined, server: undefined };
  try {
    parts.session = await openSession([...targets, ...(demo?.targets ?? [])], {
      ...options,
      readOnly,
      ...(demo ? { journalFolder: demo.journal } : {}),
    });
    if (demo) putMarks(parts.session, demo);
    // The thread's file stands beside the bundled command.
    const worker = pathToFileURL(join(import.meta.dirname, 'state-worker.js'));
    parts.big = createBigStates({ stores: parts.session.stores, worker });
    parts.server = await start(parts.session, parts.big, { options, port, version, demo, readOnly });
  } catch (error) {
    await stop(parts);
    throw error;
  }
  parts.session.search.start();
  await demo?.startAgents();
  await announce(parts.session, parts.server, options, output);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void stop(parts).finally(() => process.exit(0)));
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
