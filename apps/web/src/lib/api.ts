/** Every call the page makes. Components reach it through `queries.ts` and mutations only. */
import { createApiClient } from '@checkpoint-inspector/api/client';
import {
  formatAddress,
  idToSegment,
  type Address,
  type ChangeRequest,
  type HistoryLine,
  type Part,
  type TaskStatus,
} from '@checkpoint-inspector/core';
import { authorisedFetch } from './http.ts';
import { readLines } from './streams.ts';

/** The token may change while the page is open, so `authorisedFetch` sets it, not the client. */
const client = createApiClient({ baseUrl: globalThis.location?.origin ?? '', token: '', fetch: authorisedFetch }).api;

/** Some of a state, and the hash of all of it. */
export type PartAnswer = Part & { readonly hash: string };

export interface StateAnswer {
  readonly text: string;
  readonly hash: string;
  /** How the text was assembled, where it is no exact slice of the store. */
  readonly derived?: string;
}

type Signal = { readonly signal?: AbortSignal };

/** Hands react-query's signal to the call. */
const until = ({ signal }: Signal) => (signal === undefined ? {} : { init: { signal } });

/** Without the keys that are undefined: the wire has no such thing. */
function given<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

export interface PartAsked {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
  readonly depth?: number;
  readonly preview?: number;
  readonly hash?: string | undefined;
}

export interface FindAsked {
  readonly text: string;
  readonly from?: number | undefined;
  readonly hash?: string | undefined;
}

const taskOf = (store: string, task: string) => ({ param: { store, task: idToSegment(task) } });
const placeOf = (at: Address) => ({
  param: { store: at.store, id: idToSegment(at.id) },
  query: { task: at.task, ns: at.namespace ?? '' },
});

const labelOf = (at: Address, label: string) => {
  const { param, query } = placeOf(at);
  return { param: { ...param, label: idToSegment(label) }, query };
};

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

/** Numbers travel as text. */
const asTexts = (values: object): Record<string, string> =>
  Object.fromEntries(Object.entries(given(values)).map(([key, value]) => [key, String(value)]));

/** States of any size, some of them at a time. */
const bigReading = {
  part: async (at: Address, { path, ...query }: PartAsked, options: Signal = {}): Promise<PartAnswer> => {
    const { param, query: place } = placeOf(at);
    const asked = { ...place, path, ...asTexts(query) };
    const answer = await client.stores[':store'].checkpoints[':id'].state.$get({ param, query: asked }, until(options));
    // Children hold children: the client's own type for that has no end. The server's tests hold it to this one.
    return JSON.parse(await answer.text()) as PartAnswer;
  },
  findInState: async (at: Address, { text, ...query }: FindAsked, options: Signal = {}) => {
    const { param, query: place } = placeOf(at);
    const asked = { ...place, text, ...asTexts(query) };
    return (
      await client.stores[':store'].checkpoints[':id'].state.find.$get({ param, query: asked }, until(options))
    ).json();
  },
  /** JSON text of a value, or the bytes of its base64. */
  value: async (at: Address, query: { path: string; hash?: string | undefined; as?: 'bytes' }): Promise<Blob> => {
    const { param, query: place } = placeOf(at);
    const asked = { ...place, ...given(query) };
    return (await client.stores[':store'].checkpoints[':id'].state.value.$get({ param, query: asked })).blob();
  },
  /** The whole state as a file. */
  stateFile: async (at: Address): Promise<Blob> =>
    (await client.stores[':store'].checkpoints[':id'].state.$get(placeOf(at))).blob(),
  /** The first stored bytes, and how many there are. */
  rawHead: async (at: Address, bytes: number, options: Signal = {}): Promise<{ head: Blob; size: number }> => {
    const headers = { range: `bytes=0-${bytes - 1}` };
    const answer = await client.stores[':store'].checkpoints[':id'].raw.$get(placeOf(at), {
      ...until(options),
      headers,
    });
    const head = await answer.blob();
    return { head, size: Number(answer.headers.get('content-range')?.split('/')[1] ?? head.size) };
  },
};

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
    (await client.stores[':store'].tasks[':task'].tree.columns.$get(taskOf(store, task), until(options))).json(),
  /** Lines as they come; the reading ends with `signal`. */
  history: async function* (at: Address, path: string, options: Signal = {}): AsyncGenerator<readonly HistoryLine[]> {
    const query = { path, cp: at.id, ns: at.namespace ?? '' };
    const call = { ...taskOf(at.store, at.task), query };
    const { body } = await client.stores[':store'].tasks[':task'].history.$get(call, until(options));
    // Each line is one of the route's own schema; the server's tests hold it to that.
    if (body !== null) for await (const lines of readLines(body)) yield lines as readonly HistoryLine[];
  },
  gone: async (store: string, query: { id: string; task?: string; ns?: string }, options: Signal = {}) =>
    (await client.stores[':store'].gone.$get({ param: { store }, query }, until(options))).json(),
  find: async (store: string, id: string, options: Signal = {}) =>
    (await client.stores[':store'].checkpoints.$get({ param: { store }, query: { id } }, until(options))).json(),
  checkpoint: async (at: Address, options: Signal = {}) =>
    (await client.stores[':store'].checkpoints[':id'].$get(placeOf(at), until(options))).json(),
  beside: async (at: Address, options: Signal = {}) =>
    (await client.stores[':store'].checkpoints[':id'].beside.$get(placeOf(at), until(options))).json(),
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
  ...bigReading,
  /** `ignore` absent: the store's own rules; an empty list: none. */
  diff: async (a: Address, b: Address, ignore?: readonly string[], options: Signal = {}) => {
    const rules = ignore === undefined ? {} : { ignore: ignore.length === 0 ? [''] : [...ignore] };
    return (
      await client.diff.$get({ query: { a: formatAddress(a), b: formatAddress(b), ...rules } }, until(options))
    ).json();
  },
  errors: async (options: Signal = {}) => (await client.errors.$get({ query: {} }, until(options))).json(),
  inbox: async (options: Signal = {}) => (await client.inbox.$get({ query: {} }, until(options))).json(),
  usage: async (query: { store?: string; task?: string }, options: Signal = {}) =>
    (await client.usage.$get({ query }, until(options))).json(),
  annotations: async (store: string, task: string, options: Signal = {}) =>
    (await client.stores[':store'].annotations.$get({ param: { store }, query: { task } }, until(options))).json(),
  search: async (q: string, cursor?: string, options: Signal = {}) =>
    (await client.search.$get({ query: { q, limit: '100', ...given({ cursor }) } }, until(options))).json(),
  receipt: async (id: string, options: Signal = {}) =>
    (await client.receipts[':id'].$get({ param: { id } }, until(options))).json(),
  activity: async (cursor?: string, options: Signal = {}) =>
    (await client.activity.$get({ query: given({ cursor }) }, until(options))).json(),
  trash: async (cursor?: string, options: Signal = {}) =>
    (await client.trash.$get({ query: given({ cursor }) }, until(options))).json(),
  trashSummary: async (options: Signal = {}) => (await client.trash.summary.$get({}, until(options))).json(),
  storage: async (options: Signal = {}) => (await client.storage.$get({}, until(options))).json(),
  /** One part of a prune plan in full. */
  planItems: async (
    planId: string,
    part: 'removes' | 'protected' | 'skipped',
    cursor?: string,
    options: Signal = {},
  ) => {
    const query = { part, limit: '1000', ...given({ cursor }) };
    return (await client.plans[':id'].items.$get({ param: { id: planId }, query }, until(options))).json();
  },
  /** The stream of events; the caller reads the body. */
  events: async (lastEventId: string | undefined, signal: AbortSignal): Promise<Response> =>
    client.events.$get({}, { init: { signal }, headers: given({ 'last-event-id': lastEventId }) }),
};

const exporting = {
  exportPreview: async (store: string, task: string, options: Signal = {}) =>
    (await client.export.preview.$post({ json: { store, task } }, until(options))).json(),
  exportTask: async (json: {
    store: string;
    task: string;
    format: 'bundle' | 'html';
    reveal: boolean;
  }): Promise<Blob> => (await client.export.$post({ json })).blob(),
};

const demo = {
  demoReset: async (): Promise<void> => {
    await client.demo.reset.$post();
  },
  demoScene: async (scene: number): Promise<void> => {
    await client.demo.scene.$post({ json: { scene } });
  },
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
  addLabel: async (at: Address, label: string) =>
    (await client.stores[':store'].checkpoints[':id'].labels[':label'].$put(labelOf(at, label))).json(),
  removeLabel: async (at: Address, label: string) =>
    (await client.stores[':store'].checkpoints[':id'].labels[':label'].$delete(labelOf(at, label))).json(),
  setNote: async (at: Address, note: string) =>
    (await client.stores[':store'].checkpoints[':id'].note.$put({ ...placeOf(at), json: { note } })).json(),
  plan: async (store: string, request: ChangeRequest) =>
    (await client.plans.$post({ json: { store, request } })).json(),
  apply: async (planId: string) => (await client.plans[':id'].apply.$post({ param: { id: planId } })).json(),
  planPurge: async (which: { expired?: boolean; receiptIds?: string[] }) =>
    (await client.trash.plans.$post({ json: which })).json(),
  purge: async (planId: string) => (await client.trash.purge.$post({ json: { planId } })).json(),
  keepTrash: async (keepDays: number) => (await client.trash.settings.$put({ json: { keepDays } })).json(),
  undo: async (receiptId: string) => (await client.receipts[':id'].undo.$post({ param: { id: receiptId } })).json(),
};

export const api = { ...reading, ...changing, ...exporting, ...demo };
