/**
 * Live updates: one stream of events for the whole page. What an event names
 * is fetched again; when the server goes away the page says so and retries.
 */
import { InspectorError } from '@checkpoint-inspector/core';
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { aNumber, aText, fields, parseOrUndefined } from './read.ts';
import { api } from './api.ts';
import { refresh } from './refresh.ts';
import { createSignal } from './signal.ts';
import type { ServerEvent } from './streams.ts';

type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** `since`: when the answer stopped; `retryAt`: the next try. Milliseconds. */
  | { readonly state: 'stale'; readonly since: number; readonly retryAt: number };

const SILENCE_MS = 60_000;
const GATHER_MS = 200;
/** Between two rounds that read a whole store, or all of them. */
const BROAD_MS = 1000;
const MAX_WAIT_MS = 15_000;

const connection = createSignal<Connection>({ state: 'connecting' });

/** The state of the connection, for the "Live" mark and the stale strip. */
export const useConnection = connection.use;

/** The server that this page came from still answers. */
export const isLive = (): boolean => connection.get().state === 'live';

const changeOf = fields({ store: aText, task: aText });

interface Change {
  readonly store: string;
  readonly task?: string | undefined;
}

const RECEIPTS = new Set<unknown>(['activity', 'trash', 'receipt', 'storage']);

const firstFrame = fields({ idleMs: aNumber });

/** Of the first frame of the first stream: something was saved since the page began to read, and before it listened. */
function isLate({ data }: ServerEvent): boolean {
  const { idleMs } = firstFrame(parseOrUndefined(data));
  return idleMs !== undefined && idleMs <= performance.now();
}

/** True when the data under `key` may have changed by a save in this store and task. */
export function touches(key: QueryKey, store: string, task: string | undefined): boolean {
  const [kind, keyStore, keyTask] = key;
  if (
    kind === 'tasks' ||
    kind === 'stores' ||
    kind === 'errors' ||
    kind === 'inbox' ||
    kind === 'outlines' ||
    kind === 'proposals' ||
    kind === 'agents'
  )
    return true;
  if (kind === 'usage' && keyStore === undefined) return true;
  if (kind === 'diff') return [keyStore, keyTask].some((side) => String(side).startsWith(`${store}/`));
  if (kind === 'find') return keyStore === store;
  if (keyStore !== store) return false;
  // A state and its bytes are kept by hash; without one they are read again.
  if ((kind === 'state' || kind === 'raw' || kind === 'views') && key[5] !== null) return false;
  return task === undefined || keyTask === task;
}

/** Starts the stream; the answer ends it. */
export function startLive(client: QueryClient): () => void {
  const stop = new AbortController();
  const gather = createGatherer(client);
  void keepConnected(stop.signal, gather, client);
  return () => stop.abort();
}

async function keepConnected(
  stop: AbortSignal,
  gather: (event: ServerEvent) => void,
  client: QueryClient,
): Promise<void> {
  let lastEventId: string | undefined;
  let since: number | undefined;
  let wait = 1000;
  while (!stop.aborted) {
    try {
      await readStream(
        stop,
        lastEventId,
        (event) => {
          if (lastEventId === undefined && isLate(event)) void refresh(client);
          lastEventId = event.id ?? lastEventId;
          gather(event);
        },
        () => {
          wait = 1000;
          connection.set({ state: 'live' });
          // What was missed meanwhile is unknown: all that is on the screen is read again.
          if (since !== undefined) void refresh(client);
          since = undefined;
        },
      );
    } catch (error) {
      if (stop.aborted || (InspectorError.is(error) && error.code === 'unauthorised')) return;
    }
    if (stop.aborted) return;
    since ??= Date.now();
    connection.set({ state: 'stale', since, retryAt: Date.now() + wait });
    await sleep(wait, stop);
    wait = Math.min(wait * 2, MAX_WAIT_MS);
  }
}

async function readStream(
  stop: AbortSignal,
  lastEventId: string | undefined,
  onEvent: (event: ServerEvent) => void,
  onOpen: () => void,
): Promise<void> {
  const { readEvents } = await import('./streams.ts');
  const silence = new AbortController();
  const response = await api.events(lastEventId, AbortSignal.any([stop, silence.signal]));
  if (response.body === null) return;
  onOpen();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  try {
    for await (const event of readEvents(response.body)) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      onEvent(event);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Many saves in a row become one round of reading; a round over everything comes once a second at most. */
export function createGatherer(client: QueryClient): (event: ServerEvent) => void {
  const tasks = new Map<string, Change>();
  const stores = new Map<string, Change>();
  let everything = false;
  let receipts = false;
  const readTasks = createRound(GATHER_MS, GATHER_MS, () => {
    const changes = [...tasks.values()];
    const withReceipts = receipts;
    tasks.clear();
    receipts = false;
    void refresh(
      client,
      (key) => (withReceipts && RECEIPTS.has(key[0])) || changes.some(({ store, task }) => touches(key, store, task)),
    );
  });
  const readStores = createRound(GATHER_MS, BROAD_MS, () => {
    const changes = [...stores.values()];
    const all = everything;
    stores.clear();
    everything = false;
    void refresh(client, (key) => all || changes.some(({ store }) => touches(key, store, undefined)));
  });
  return ({ event, data }) => {
    if (event === 'ping') return;
    if (event === 'reset' || event === 'stores') {
      everything = true;
      return readStores();
    }
    if (event === 'proposal') return void refresh(client, ([kind]) => kind === 'proposals');
    const { store, task } = changeOf(parseOrUndefined(data));
    if (store === undefined) return;
    const change: Change = { store, task };
    receipts ||= event === 'receipt';
    if (task !== undefined || event === 'receipt') {
      tasks.set(`${store}/${task ?? ''}`, change);
      return readTasks();
    }
    stores.set(store, change);
    readStores();
  };
}

/** Runs soon after it is asked for, and not again before `everyMs` have passed. */
function createRound(gatherMs: number, everyMs: number, run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    timer ??= setTimeout(
      () => {
        timer = undefined;
        last = Date.now();
        run();
      },
      Math.max(gatherMs, last + everyMs - Date.now()),
    );
  };
}

function sleep(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    stop.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
