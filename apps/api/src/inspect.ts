/** The inspector inside the agent's own process: for stores in memory, which no other process can open. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkKeys, compact, InspectorError, overlaid, type CheckpointStore } from '@checkpoint-inspector/core';
import { createChangeService, journalFolder, openJournal } from '@checkpoint-inspector/changes';
import { version } from '../package.json' with { type: 'json' };
import { serve } from './serve.ts';
import { createInspector, createStoreService, defaultRegistry } from '@checkpoint-inspector/inspector';

/** How `inspect` serves. */
export interface InspectOptions {
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default: a new random one. */
  readonly token?: string;
  /** Only look: no restore, no delete, no saving from outside. */
  readonly readOnly?: boolean;
  /** Where receipts are kept; default the user's state folder. */
  readonly journalFolder?: string;
  /** Folder of the built page; default the one of this package. */
  readonly web?: string;
}

/** A running inspector. */
export interface Inspection {
  /** Opens the page; the token is in its fragment. Without a page it is the address of the API. */
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** Stops the server. The manager and its store go on. */
  close(): Promise<void>;
}

/**
 * Serves the manager's store on 127.0.0.1, live: what the agent saves shows up, and restore and delete are done in
 * this process, with a receipt in the journal. The process runs until `close()`.
 * @throws InspectorError port_in_use | invalid_input
 * @example const { url, close } = await inspect(manager);
 */
export async function inspect(
  manager: { readonly store: CheckpointStore },
  options: InspectOptions = {},
): Promise<Inspection> {
  checkManager(manager);
  checkKeys(options, ['port', 'token', 'readOnly', 'journalFolder', 'web']);
  const { port = 0, token, readOnly = false, web = webFolder() } = options;
  checkPort(port);
  const stores = createStoreService({ registry: defaultRegistry() });
  // It is the agent's, whatever is closed here.
  stores.add(overlaid(manager.store, { close: async () => undefined }));
  const journal = openJournal({ folder: options.journalFolder ?? journalFolder() });
  const changes = createChangeService({ journal, sources: (store) => stores.source(store), readOnly });
  const status = { version, readOnly, demo: false, pid: process.pid, startedAt: new Date().toISOString() };
  const stop = async () => {
    await stores.closeAll();
    journal.close();
  };
  try {
    const server = await serve({
      inspector: createInspector({ stores, changes, readOnly, proposals: journal.proposals, agents: journal.agents }),
      status,
      port,
      ...compact({ token, shell: web }),
    });
    const { url, port: bound, token: own } = server;
    const close = async () => {
      await server.close();
      await stop();
    };
    return { url: `${url}/#token=${encodeURIComponent(own)}`, port: bound, token: own, close };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A store in place of its manager is a slip that is easily made. */
function checkManager(manager: unknown): void {
  const store = typeof manager === 'object' && manager !== null && 'store' in manager ? manager.store : undefined;
  if (typeof store === 'object' && store !== null && 'info' in store && 'tasks' in store) return;
  throw new InspectorError('invalid_input', 'This manager has no store.', {
    remedy: 'Pass a CheckpointManager, or a store as { store }.',
  });
}

function checkPort(port: unknown): void {
  if (Number.isInteger(port) && Number(port) >= 0 && Number(port) <= 65_535) return;
  throw new InspectorError('invalid_input', 'port must be a whole number from 0 to 65535.', {
    data: { key: 'port' },
    remedy: 'Leave it out for any free port.',
  });
}

/** The entry is `dist/lib/inspect.js`, the built page `dist/web`. */
function webFolder(): string | undefined {
  const folder = join(import.meta.dirname, '../web');
  return existsSync(join(folder, 'index.html')) ? folder : undefined;
}
