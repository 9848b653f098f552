import { join } from 'node:path';
import openInBrowser from 'open';
import { serve } from '@checkpoint-inspector/api';
import type { RunningServer } from '@checkpoint-inspector/api';
import { createDemo } from '@checkpoint-inspector/demo';
import type { Demo } from '@checkpoint-inspector/demo';
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
  const parts: Parts = { demo, session: undefined, server: undefined };
  try {
    parts.session = await openSession([...targets, ...(demo?.targets ?? [])], {
      ...options,
      readOnly,
      ...(demo ? { journalFolder: join(demo.folder, 'journal') } : {}),
    });
    parts.server = await start(parts.session, { options, port, version, demo: demo !== undefined, readOnly });
  } catch (error) {
    await stop(parts);
    throw error;
  }
  demo?.startAgent();
  await announce(parts.session, parts.server, options, output);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void stop(parts).finally(() => process.exit(0)));
}

interface Parts {
  readonly demo: Demo | undefined;
  session: Session | undefined;
  server: RunningServer | undefined;
}

async function stop({ demo, session, server }: Parts): Promise<void> {
  await server?.close();
  await session?.close();
  await demo?.remove();
}

interface Settings {
  readonly options: OpenOptions;
  readonly port: number;
  readonly version: string;
  readonly demo: boolean;
  readonly readOnly: boolean;
}

function start(session: Session, { options, port, version, demo, readOnly }: Settings): Promise<RunningServer> {
  const token = givenToken(options);
  return serve({
    stores: session.stores,
    changes: session.changes,
    status: { version, readOnly, demo, pid: process.pid, startedAt: new Date().toISOString() },
    shell: join(import.meta.dirname, 'web'),
    port,
    host: options.host,
    allowedHosts: options.allowedHost ?? [],
    ...(token === undefined ? {} : { token }),
    onDefect: (error) => console.error(error),
  });
}

const givenToken = (options: OpenOptions): string | undefined =>
  options.token ?? process.env['CHECKPOINT_INSPECTOR_TOKEN'];

async function announce(session: Session, server: RunningServer, options: OpenOptions, output: Output): Promise<void> {
  // A token that the user chose may be used elsewhere too: the page keeps it for its session only.
  const keep = givenToken(options) === undefined ? '' : '&keep=session';
  const url = `${server.url}/#token=${encodeURIComponent(server.token)}${keep}`;
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
  if (!options.open) return;
  try {
    await openInBrowser(url);
  } catch {
    output.note('No browser could be started; open the link above.');
  }
}
