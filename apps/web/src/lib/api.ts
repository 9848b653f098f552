/** Every call the page makes. Components reach it through `queries.ts` and mutations only. */
import { createApiClient } from '@checkpoint-inspector/api/client';
import {
  formatAddress,
  idToSegment,
  type Address,
  type ChangeRequest,
  type TaskStatus,
} from '@checkpoint-inspector/core';
import { authorisedFetch } from './http.ts';
import type { StateAnswer } from './wire.ts';

/** The token may change while the page is open, so `authorisedFetch` sets it, not the client. */
const client = createApiClient({ baseUrl: globalThis.location?.origin ?? '', token: '', fetch: authorisedFetch }).api;

type Signal = { readonly signal?: AbortSignal };

/** Hands react-query's signal to the call. */
const until = ({ signal }: Signal) => (signal === undefined ? {} : { init: { signal } });

/** Without the keys that are undefined: the wire has no such thing. */
function given<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

const taskOf = (store: string, task: string) => ({ param: { store, task: idToSegment(task) } });
const placeOf = (at: Address) => ({
  param: { store: at.store, id: idToSegment(at.id) },
  query: { task: at.task, ns: at.namespace ?? '' },
});

export interface TasksQuery {
  readonly limit?: number;
  readonly cursor?: string;
  readonly text?: string;
  readonly status?: TaskStatus;
  readonly store?: string;
}

export interface CheckpointsQuery {
  readonly limit?: number;
  readonly cursor?: string;
  readonly around?: string;
  readonly ns?: string;
}

const reading = {
  status: async (options: Signal = {}) => (await client.status.$get({}, until(options))).json(),
  stores: async (options: Signal = {}) => (await client.stores.$get({}, until(options))).json(),
  tasks: async ({ limit, ...query }: TasksQuery, options: Signal = {}) =>
    (await client.tasks.$get({ query: given({ ...query, limit: limit?.toString() }) }, until(options))).json(),
  task: async (store: string, task: string, options: Signal = {}) =>
    (await client.stores[':store'].tasks[':task'].$get(taskOf(store, task), until(options))).json(),
  checkpoints: async (store: string, task: string, { limit, ...query }: CheckpointsQuery, options: Signal = {}) =>
    (
      await client.stores[':store'].tasks[':task'].checkpoints.$get(
        { ...taskOf(store, task), query: { ...given({ ...query, limit: limit?.toString() }), summary: '1' } },
        until(options),
      )
    ).json(),
  tree: async (store: string, task: string, options: Signal = {}) =>
    (await client.stores[':store'].tasks[':task'].tree.$get(taskOf(store, task), until(options))).json(),
  find: async (store: string, id: string, options: Signal = {}) =>
    (await client.stores[':store'].checkpoints.$get({ param: { store }, query: { id } }, until(options))).json(),
  checkpoint: async (at: Address, options: Signal = {}) =>
    (await client.stores[':store'].checkpoints[':id'].$get(placeOf(at), until(options))).json(),
  state: async (at: Address, options: Signal = {}): Promise<StateAnswer> => {
    const response = await client.stores[':store'].checkpoints[':id'].state.$get(placeOf(at), until(options));
    const derived = response.headers.get('x-state-derived');
    return {
      text: await response.text(),
      hash: (response.headers.get('etag') ?? '').replaceAll('"', ''),
      ...(derived === null ? {} : { derived }),
    };
  },
  raw: async (at: Address, options: Signal = {}): Promise<Blob> =>
    (await client.stores[':store'].checkpoints[':id'].raw.$get(placeOf(at), until(options))).blob(),
  /** `ignore` absent: the store's own rules; an empty list: none. */
  diff: async (a: Address, b: Address, ignore?: readonly string[], options: Signal = {}) => {
    const rules = ignore === undefined ? {} : { ignore: ignore.length === 0 ? [''] : [...ignore] };
    return (
      await client.diff.$get({ query: { a: formatAddress(a), b: formatAddress(b), ...rules } }, until(options))
    ).json();
  },
  receipt: async (id: string, options: Signal = {}) =>
    (await client.receipts[':id'].$get({ param: { id } }, until(options))).json(),
  activity: async (cursor?: string, options: Signal = {}) =>
    (await client.activity.$get({ query: given({ cursor }) }, until(options))).json(),
  trash: async (cursor?: string, options: Signal = {}) =>
    (await client.trash.$get({ query: given({ cursor }) }, until(options))).json(),
  /** The stream of events; the caller reads the body. */
  events: async (lastEventId: string | undefined, signal: AbortSignal): Promise<Response> =>
    client.events.$get({}, { init: { signal }, headers: given({ 'last-event-id': lastEventId }) }),
};

const changing = {
  openStore: async (target: string, name?: string) =>
    (await client.stores.$post({ json: { target, ...given({ name }) } })).json(),
  closeStore: async (store: string): Promise<void> => {
    await client.stores[':store'].$delete({ param: { store } });
  },
  /** The key travels in the body of this one request. */
  unlock: async (store: string, key: string) =>
    (await client.stores[':store'].unlock.$post({ param: { store }, json: { key } })).json(),
  plan: async (store: string, request: ChangeRequest) =>
    (await client.plans.$post({ json: { store, request } })).json(),
  apply: async (planId: string) => (await client.plans[':id'].apply.$post({ param: { id: planId } })).json(),
  undo: async (receiptId: string) => (await client.receipts[':id'].undo.$post({ param: { id: receiptId } })).json(),
};

export const api = { ...reading, ...changing };
