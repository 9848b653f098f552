/** The whole server in this process, with its thread for big states and its journal, on one database. */
import { join } from 'node:path';
import { openJournal } from '@checkpoint-inspector/changes';
import { createApp } from '../../src/app.ts';
import { createBigStates, createStoreService, defaultRegistry } from '@checkpoint-inspector/inspector';
import { createChangeService } from '@checkpoint-inspector/changes';
import { createSearch } from '@checkpoint-inspector/search';
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
  const stores = createStoreService({ registry: defaultRegistry() });
  const [info] = await stores.open(path);
  const changes = createChangeService({ journal, sources: (store) => stores.source(store), readOnly: false });
  const search = createSearch({ stores });
  const big = createBigStates({ stores, worker });
  const guards = { token: TOKEN, hosts: [HOST] };
  const app = createApp({ stores, changes, search, big, status, guards, annotations: journal.annotations });
  return {
    store: info?.id ?? '',
    ask: async (address, init = {}) => {
      const headers = { host: HOST, authorization: `Bearer ${TOKEN}`, ...init.headers };
      const answer = await app.request(`http://${HOST}${address}`, { ...init, headers });
      return { status: answer.status, text: await answer.text() };
    },
    close: async () => {
      await search.close();
      await big.close();
      await stores.closeAll();
      journal.close();
    },
  };
}
