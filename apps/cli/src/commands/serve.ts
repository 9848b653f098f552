/** Serves the page; only `open` loads this, and with it the server. */
import { fileURLToPath } from 'node:url';
import openInBrowser from 'open';
import { serve, type RunningServer } from '@checkpoint-inspector/api';
import { placeOf } from '@checkpoint-inspector/changes';
import { compact, InspectorError } from '@checkpoint-inspector/core';
import { createDemo, type Demo } from '@checkpoint-inspector/demo';
import { startScratch } from '@checkpoint-inspector/io';
import { createDemoControl, type Inspector } from '@checkpoint-inspector/inspector';
import { openAppWindow } from '../app-window.ts';
import { compileLess } from '../compiling.ts';
import { recoveredLine } from '../interrupted.ts';
import { table, type Output } from '../output.ts';
import { besideCommand, openWorkspace, tellIn, wholeNumber, type KeyOptions, type Workspace } from '../workspace.ts';

export interface OpenOptions extends KeyOptions {
  readonly demo?: boolean;
  readonly port: string;
  readonly host: string;
  readonly allowedHost?: readonly string[];
  readonly readOnly?: boolean;
  readonly home?: boolean;
  readonly indexPrivate?: boolean;
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

/** Opens the stores, serves the page, and stays until it is told to stop. */
export async function open({ targets, options, version, output }: OpenRun): Promise<void> {
  compileLess();
  startScratch();
  const port = wholeNumber('--port', options.port, { from: 0, to: 65_535 });
  const demo = options.demo ? await createDemo() : undefined;
  const readOnly = options.readOnly ?? false;
  const parts: Parts = { demo, workspace: undefined, server: undefined };
  try {
    parts.workspace = await openWorkspace(
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
    const inspector = await parts.workspace.inspector();
    if (!readOnly) parts.unwatch = await recover(inspector, output);
    if (demo) putMarks(parts.workspace, demo);
    parts.server = await start(parts.workspace, { options, port, version, demo, readOnly });
  } catch (error) {
    await stop(parts);
    throw error;
  }
  startSearch(await parts.workspace.inspector(), output);
  await demo?.startAgents();
  await announce(parts.workspace, parts.server, options, output);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void stop(parts).finally(() => process.exit(0)));
}

/**
 * Ends changes that were cut off, also in a store that is opened later. A journal that cannot be opened does not keep
 * anyone from looking at the stores.
 */
async function recover({ changes, stores }: Inspector, output: Output): Promise<() => void> {
  const settle = async (): Promise<void> => {
    for (const one of await changes.recover()) tellIn(output, recoveredLine(one));
  };
  try {
    await settle();
  } catch (thrown) {
    output.note(`Changes are off. ${wordsOf(thrown)}`);
    return () => undefined;
  }
  let turn = Promise.resolve();
  return stores.onEvent(({ kind }) => {
    if (kind === 'stores') turn = turn.then(settle).catch((thrown: unknown) => output.note(wordsOf(thrown)));
  });
}

/** Without SQLite everything but search works on folders. */
function startSearch({ search }: Inspector, output: Output): void {
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
function putMarks({ stores, journal }: Workspace, { marks }: Demo): void {
  for (const { target, edges, bookmarks } of marks) {
    const info = stores.list().find(({ location }) => location === target);
    if (!info) continue;
    const place = placeOf(stores.source(info.id));
    journal.addSidecar(place, edges);
    for (const ref of bookmarks) journal.annotations.addLabel(place, ref, 'bookmark');
  }
}

/** A reset forgets what was done since, not what the story begins with. */
function keptMarks(workspace: Workspace, demo: Demo): { clear(): void } {
  return {
    clear: () => {
      workspace.journal.clear();
      putMarks(workspace, demo);
    },
  };
}

interface Parts {
  readonly demo: Demo | undefined;
  workspace: Workspace | undefined;
  server: RunningServer | undefined;
  /** Ends the settling of stores that are opened later. */
  unwatch?: () => void;
}

async function stop({ demo, workspace, server, unwatch }: Parts): Promise<void> {
  unwatch?.();
  await server?.close();
  await workspace?.close();
  await demo?.remove();
}

interface Settings {
  readonly options: OpenOptions;
  readonly port: number;
  readonly version: string;
  readonly demo: Demo | undefined;
  readonly readOnly: boolean;
}

async function start(
  workspace: Workspace,
  { options, port, version, demo, readOnly }: Settings,
): Promise<RunningServer> {
  const token = givenToken(options);
  return serve({
    inspector: await workspace.inspector(),
    status: { version, readOnly, demo: demo !== undefined, pid: process.pid, startedAt: new Date().toISOString() },
    shell: fileURLToPath(besideCommand('web')),
    port,
    host: options.host,
    allowedHosts: options.allowedHost ?? [],
    revealOverMcp: options.reveal ?? false,
    ...compact({ token }),
    ...(demo
      ? { demo: createDemoControl({ stage: demo, stores: workspace.stores, journal: keptMarks(workspace, demo) }) }
      : {}),
    onDefect: (error) => console.error(error),
  });
}

const givenToken = (options: OpenOptions): string | undefined =>
  options.token ?? process.env['CHECKPOINT_INSPECTOR_TOKEN'];

async function announce(
  workspace: Workspace,
  server: RunningServer,
  options: OpenOptions,
  output: Output,
): Promise<void> {
  // A token that the user chose may be used elsewhere too: the page keeps it for its session only.
  const keep = givenToken(options) === undefined ? 'origin' : 'session';
  const url = `${server.url}/#token=${encodeURIComponent(server.token)}${keep === 'session' ? '&keep=session' : ''}`;
  if (output.json) {
    output.line(JSON.stringify({ url, pid: process.pid, mcp: { url: `${server.url}/mcp`, token: server.mcpToken } }));
  } else {
    for (const line of table(
      ['STORE', 'SYSTEM', 'PLACE'],
      workspace.stores.list().map((info) => [info.id, info.system, info.location ?? '']),
      output.terminal,
    )) {
      output.line(line);
    }
    output.line(`\nOpen  ${url}\nMCP   ${server.url}/mcp  token ${server.mcpToken}\nStop  Ctrl+C`);
  }
  if (options.open) await show(server.oneTimeUrl(keep), options, output);
}

/** The link goes over a command line that others may read: it works once, and only for a minute. */
async function show(url: string, { app = false }: OpenOptions, output: Output): Promise<void> {
  if (app && (await openAppWindow(url))) return;
  if (app)
    output.note(
      'No browser for an app window was found (Chrome, Chromium, Edge or Brave). Opening the default browser instead.',
    );
  try {
    await openInBrowser(url);
  } catch {
    output.note('No browser could be started. Open the link above.');
  }
}
