/** Search across the states of all open stores. */
import { InspectorError, decodeCursor, encodeCursor } from '@checkpoint-inspector/core';
import { TOKEN_NAMES } from './query/tokens.ts';
import { parseQuery } from './query/parse.ts';
import type { CheckpointRef, CheckpointStatus, StoreId } from '@checkpoint-inspector/core';
import type { SearchFilter, SearchQuery } from './query/types.ts';
import { nameFilter } from './find/conditions.ts';
import type { Candidate, Found, SearchCache } from './cache/types.ts';
import { Indexers, type SearchedStores } from './feed/indexers.ts';
import type { SearchCoverage, StoreIndexer } from './feed/store-indexer.ts';

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
  /** Found in all; `atLeast` where there are more than search continues to count. */
  readonly total: number;
  readonly atLeast: boolean;
  /** The time was over before everything was searched. */
  readonly cut: boolean;
  readonly tookMs: number;
  readonly coverage: readonly SearchCoverage[];
}

export interface SearchRequest {
  readonly limit?: number;
  readonly cursor?: string;
  /** Ends the search when nobody waits for it any longer. */
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

export interface SearchOptions {
  readonly stores: SearchedStores;
  /** Of the journal; absent: the index is kept in memory. */
  readonly folder?: string;
  /** A search that takes longer is cut, and reports it. Default 1 s. */
  readonly timeLimitMs?: number;
}

const DEFAULT_LIMIT = 100;
const MOST_FOUND = 2_000;
/** For looking closer at what was found. */
const LOOK_SHARE = 0.85;
const POLL_MS = 20;

/** @example const search = createSearch({ stores, folder: journalFolder() }); search.start(); */
export function createSearch({ stores, folder, timeLimitMs = 1_000 }: SearchOptions): SearchService {
  const indexers = new Indexers(stores, folder);
  return {
    start: () => indexers.start(),
    async search(text, { limit = DEFAULT_LIMIT, cursor, signal } = {}) {
      const began = performance.now();
      indexers.start();
      const query = readQuery(text);
      const from = cursor === undefined ? 0 : Number(decodeCursor(cursor, ['number'])[0]);
      const asked = indexers.all().filter(storeFilter(query.filters));
      const pause = async () => {
        await new Promise((resolve) => setImmediate(resolve));
        signal?.throwIfAborted();
      };
      const until = began + timeLimitMs * LOOK_SHARE;
      const found = await findIn(asked, query, { until, most: MOST_FOUND, pause }).catch((thrown: unknown) => {
        if (!indexers.mend(thrown)) throw thrown;
        throw new InspectorError('busy', 'The search index was damaged and is being rebuilt.', { cause: thrown });
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
    coverage: () => indexers.all().map((indexer) => indexer.coverage()),
    async settled(withinMs) {
      indexers.start();
      const until = performance.now() + withinMs;
      while (performance.now() < until && indexers.all().some((indexer) => !indexer.coverage().isSettled))
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    },
    request: () => indexers.turns.request(),
    close: () => indexers.close(),
  };
}

function readQuery(text: string): SearchQuery {
  const { query, problems } = parseQuery(text);
  const [first] = problems;
  if (first === undefined) return query;
  throw new InspectorError('invalid_input', first.message, {
    data: { problems, tokens: [...TOKEN_NAMES] },
    remedy: 'Fix that part of the search. A word in quotes is searched for literally.',
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
