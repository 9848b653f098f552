/** Search across the states of all open stores. */
import { InspectorError, decodeCursor, encodeCursor } from '@checkpoint-inspector/core';
import { TOKEN_NAMES } from './query/names.ts';
import { parseQuery } from './query/parse.ts';
import type {
  CheckpointRef,
  CheckpointSource,
  CheckpointStatus,
  StoreId,
  StoreInfo,
  Unwatch,
} from '@checkpoint-inspector/core';
import type { SearchFilter, SearchQuery } from './query/types.ts';
import { sqliteVersion } from '@checkpoint-inspector/io';
import { nameFilter } from './find/conditions.ts';
import { openCache } from './cache/cache.ts';
import type { Candidate, Found, SearchCache } from './cache/types.ts';
import { StoreIndexer, isDamage, type SearchCoverage } from './feed/store-indexer.ts';
import { Turns } from './feed/turns.ts';

export interface SearchItem extends Found {
  readonly store: StoreId;
  /** The checkpoint to open: the last one that holds it. */
  readonly ref: CheckpointRef;
  readonly status: CheckpointStatus;
}

export interface SearchAnswer {
  /** Best first, those of one task together. */
  readonly items: readonly SearchItem[];
  readonly cursor?: string;
  /** Found in all; `atLeast` where there are more than search goes on to count. */
  readonly total: number;
  readonly atLeast: boolean;
  /** The time was over before everything was looked through. */
  readonly cut: boolean;
  readonly tookMs: number;
  readonly coverage: readonly SearchCoverage[];
}

export interface SearchRequest {
  readonly limit?: number;
  readonly cursor?: string;
  /** Ends the search when nobody waits for it any more. */
  readonly signal?: AbortSignal;
}

export interface SearchService {
  /** Begins to index the open stores; else the first question does. @throws InspectorError unsupported without SQLite */
  start(): void;
  /** @throws InspectorError invalid_input, naming what cannot be read and the known tokens */
  search(query: string, request?: SearchRequest): Promise<SearchAnswer>;
  coverage(): SearchCoverage[];
  /** Resolves once everything is indexed that can be, or the time is over. */
  settled(withinMs: number): Promise<void>;
  /** Notes a request: the index waits for it. Call the answer when it is done. */
  request(): () => void;
  close(): Promise<void>;
}

/** The open stores, as far as search asks about them. */
export interface SearchedStores {
  list(): readonly StoreInfo[];
  /** @throws InspectorError not_found */
  source(store: StoreId): CheckpointSource;
  /** True once a key was tried on it and not refused: what it tells then must not be written anywhere. */
  isUnlocked(store: StoreId): boolean;
  onEvent(listener: (event: StoreEvent) => void): Unwatch;
}

/** `stores`: one was opened or closed; `change`: one of them, and one task where known. */
type StoreEvent =
  | { readonly kind: 'stores' }
  | { readonly kind: 'change'; readonly store: StoreId; readonly task?: string };

export interface SearchOptions {
  readonly stores: SearchedStores;
  /** Of the journal; absent: the index is kept in memory. */
  readonly folder?: string;
  /** A search that takes longer is cut, and says so. Default 1 s. */
  readonly timeLimitMs?: number;
}

const DEFAULT_LIMIT = 100;
const MOST_FOUND = 2_000;
/** For looking closer at what was found. */
const LOOK_SHARE = 0.85;
const POLL_MS = 20;

/** @example const search = createSearch({ stores, folder: journalFolder() }); search.start(); */
export function createSearch({ stores, folder, timeLimitMs = 1_000 }: SearchOptions): SearchService {
  const turns = new Turns();
  const indexers = new Map<StoreId, StoreIndexer>();
  let file: SearchCache | undefined;
  let memory: SearchCache | undefined;
  let unwatch: (() => void) | undefined;
  let wasMadeAnew = false;
  let ending: Promise<unknown> = Promise.resolve();

  const inMemory = (): SearchCache => (memory ??= openCache());
  const onDisk = (): SearchCache => (file ??= folder === undefined ? inMemory() : openCache({ folder }));

  /** The damaged file goes; a second one would be damaged as well, so then memory serves. */
  const makeAnew = (): void => {
    const damaged = file;
    if (damaged?.path === undefined) return;
    for (const [store, indexer] of indexers) if (indexer.cache === damaged) end(store);
    ending = ending.then(() => damaged.close());
    file = wasMadeAnew ? inMemory() : openCache({ ...(folder === undefined ? {} : { folder }), anew: true });
    wasMadeAnew = true;
    follow();
  };

  /** What a key opened, and what has no place of its own, is kept in memory only. */
  const cacheFor = (store: StoreId): SearchCache =>
    stores.isUnlocked(store) || stores.source(store).info.identity === undefined ? inMemory() : onDisk();

  const begin = (store: StoreId): void => {
    const source = stores.source(store);
    const cache = cacheFor(store);
    const { system, label } = source.info;
    const key = `${system}\n${source.info.identity ?? store}\n${label}`;
    const mayWrite = () => cache === memory || !stores.isUnlocked(store);
    indexers.set(store, new StoreIndexer({ source, cache, key, turns, mayWrite, onDamage: makeAnew }));
  };

  const end = (store: StoreId): void => {
    const indexer = indexers.get(store);
    indexers.delete(store);
    if (indexer !== undefined) ending = Promise.all([ending, indexer.stop()]);
  };

  /** The indexers of the stores that are open now, each with the cache it belongs in. */
  const follow = (): void => {
    const open = new Set(stores.list().map(({ id }) => id));
    for (const [store, indexer] of indexers)
      if (!open.has(store) || stores.source(store) !== indexer.source || cacheFor(store) !== indexer.cache) end(store);
    for (const store of open) if (!indexers.has(store)) begin(store);
  };

  const start = (): void => {
    // Where no SQLite loads there is no index: said here, and not at the next event of a store.
    if (unwatch === undefined) sqliteVersion();
    unwatch ??= stores.onEvent((event) => {
      follow();
      if (event.kind === 'change') indexers.get(event.store)?.changed(event.task);
    });
    follow();
  };

  return {
    start,
    async search(text, { limit = DEFAULT_LIMIT, cursor, signal } = {}) {
      const began = performance.now();
      start();
      const query = readQuery(text);
      const from = cursor === undefined ? 0 : Number(decodeCursor(cursor, ['number'])[0]);
      const asked = [...indexers.values()].filter(storeFilter(query.filters));
      const pause = async () => {
        await new Promise((resolve) => setImmediate(resolve));
        signal?.throwIfAborted();
      };
      const until = began + timeLimitMs * LOOK_SHARE;
      const found = await findIn(asked, query, { until, most: MOST_FOUND, pause }).catch((thrown: unknown) => {
        const error = InspectorError.from(thrown);
        if (file === undefined || !isDamage(error, file)) throw thrown;
        makeAnew();
        throw new InspectorError('busy', 'The search index was damaged and is being made anew.', { cause: thrown });
      });
      const ordered = inOrder(found.items);
      const page = look(ordered.slice(from, from + limit), asked, began + timeLimitMs);
      const next = from + page.seen;
      return {
        items: page.items,
        ...(next < ordered.length ? { cursor: encodeCursor([next]) } : {}),
        total: ordered.length,
        atLeast: found.cuts.length > 0,
        cut: found.cuts.includes('time') || page.isCut,
        tookMs: Math.round(performance.now() - began),
        coverage: asked.map((indexer) => indexer.coverage()),
      };
    },
    coverage: () => [...indexers.values()].map((indexer) => indexer.coverage()),
    async settled(withinMs) {
      start();
      const until = performance.now() + withinMs;
      while (performance.now() < until && [...indexers.values()].some((indexer) => !indexer.coverage().isSettled))
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    },
    request: () => turns.request(),
    async close() {
      unwatch?.();
      for (const store of indexers.keys()) end(store);
      turns.stop();
      await ending;
      file?.close();
      if (memory !== file) memory?.close();
    },
  };
}

function readQuery(text: string): SearchQuery {
  const { query, problems } = parseQuery(text);
  const [first] = problems;
  if (first === undefined) return query;
  throw new InspectorError('invalid_input', first.message, {
    data: { problems, tokens: [...TOKEN_NAMES] },
    remedy: 'Correct that part of the search; a word in quotes is taken as it is.',
  });
}

function storeFilter(filters: readonly SearchFilter[]): (indexer: StoreIndexer) => boolean {
  const [byStore, bySystem] = [nameFilter(filters, 'store'), nameFilter(filters, 'system')];
  return ({ source: { info } }) => byStore(info.id, info.label) && bySystem(info.system);
}

type Limits = Omit<Parameters<SearchCache['find']>[1], 'stores'>;

async function findIn(asked: readonly StoreIndexer[], query: SearchQuery, limits: Limits) {
  const items: Candidate[] = [];
  const cuts: ('time' | 'count')[] = [];
  if (query.terms.length + query.filters.length === 0) return { items, cuts };
  for (const cache of new Set(asked.map((indexer) => indexer.cache))) {
    const keys = asked.filter((indexer) => indexer.cache === cache).map(({ key }) => key);
    const found = await cache.find(query, { ...limits, stores: new Set(keys) });
    items.push(...found.items);
    if (found.cut !== undefined) cuts.push(found.cut);
  }
  return { items, cuts };
}

/** The task with the best match first, then the one that was written to last; its matches stay together. */
function inOrder(candidates: readonly Candidate[]): Candidate[] {
  const best = new Map<string, number>();
  const groupOf = ({ storeKey, task }: Candidate) => `${storeKey}\n${task}`;
  for (const candidate of candidates) {
    const group = groupOf(candidate);
    best.set(group, Math.min(candidate.rank, best.get(group) ?? Number.POSITIVE_INFINITY));
  }
  const rankOf = (candidate: Candidate) => best.get(groupOf(candidate)) ?? candidate.rank;
  return candidates.toSorted(
    (a, b) =>
      rankOf(a) - rankOf(b) ||
      b.newestMs - a.newestMs ||
      compare(groupOf(a), groupOf(b)) ||
      a.rank - b.rank ||
      b.order - a.order,
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Looks closer at each, as far as the time goes; `seen` of them. */
function look(candidates: readonly Candidate[], asked: readonly StoreIndexer[], until: number) {
  const stores = new Map(asked.map(({ key, source }) => [key, source.info.id]));
  const items: SearchItem[] = [];
  let seen = 0;
  for (const candidate of candidates) {
    if (seen > 0 && performance.now() >= until) return { items, seen, isCut: true };
    seen += 1;
    const store = stores.get(candidate.storeKey);
    const found = candidate.look();
    if (store === undefined || found === undefined) continue;
    const { ref, status } = found.lastSeen;
    items.push({ store, ref, status, ...found });
  }
  return { items, seen, isCut: false };
}
