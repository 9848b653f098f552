/** The whole server in this process, with its thread for large states and its journal, on one database. */
import { join } from 'node:path';
import { openJournal } from '@checkpoint-inspector/changes';
import { createApp } from '../../src/app.ts';
import { createInspector, defaultRegistry, overJournal, storesOver } from '@checkpoint-inspector/inspector';
import { HOST, status, TOKEN } from '../../src/testing/app.ts';

export interface Inspector {
  /** Id of the store. */
  readonly store: string;
  ask(address: string, init?: RequestInit): Promise<{ readonly status: number; readonly text: string }>;
  close(): Promise<void>;
}

/** @param worker the built entry of the thread */
export async function inspectorOn(path: string, worker: URL): Promise<Inspector> {
  const journal = openJournal({ folder: join(`${path}.state`) });
  const over = overJournal(journal, { stores: storesOver(journal, { registry: defaultRegistry() }), readOnly: false });
  const inspector = createInspector({ ...over, readOnly: false, worker });
  const [info] = await inspector.stores.open(path);
  const guards = { token: TOKEN, hosts: [HOST] };
  const app = createApp({ inspector, status, guards });
  return {
    store: info?.id ?? '',
    ask: async (address, init = {}) => {
      const headers = { host: HOST, authorization: `Bearer ${TOKEN}`, ...init.headers };
      const answer = await app.request(`http://${HOST}${address}`, { ...init, headers });
      return { status: answer.status, text: await answer.text() };
    },
    close: async () => {
      await inspector.close();
      journal.close();
    },
  };
}
