/** Search across the states of all open stores. */
import { InspectorError, decodeCursor, encodeCursor, foreignCursor } from '@checkpoint-inspector/core';
import { TOKEN_NAMES } from './query/tokens.ts';
import { parseQuery } from './query/parse.ts';
import type { CheckpointRef, CheckpointStatus, StoreId } from '@checkpoint-inspector/core';
import type { SearchFilter, SearchQuery } from './query/types.ts';
import { nameFilter } from './find/conditions.ts';
import type { Found } from './cache/types.ts';
import type { IndexHost, IndexSearch } from './host/contract.ts';
import { createIndexHost } from './host/here.ts';
import { createIndexThread } from './host/thread.ts';
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
  coverage(): Promise<SearchCoverage[]>;
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
  /** Entry of the thread that has the index, built from `host/worker.ts`; absent: this thread has it. */
  readonly worker?: URL;
  /** A search that takes longer is cut, and reports it. Default 1 s. */
  readonly timeLimitMs?: number;
}

const DEFAULT_LIMIT = 100;
const POLL_MS = 20;

/** @example const search = createSearch({ stores, folder: journalFolder() }); search.start(); */
export function createSearch({ stores, folder, worker, timeLimitMs = 1_000 }: SearchOptions): SearchService {
  const host = worker === undefined ? createIndexHost() : createIndexThread(worker);
  const indexers = new Indexers(host, stores, folder);
  return {
    start: () => indexers.start(),
    async search(text, { limit = DEFAULT_LIMIT, cursor, signal } = {}) {
      const began = performance.now();
      indexers.start();
      const query = readQuery(text);
      const from = cursor === undefined ? 0 : placeIn(cursor);
      const asked = indexers.all().filter(storeFilter(query.filters));
      try {
        const answer = await find(host, asked, { query, from, limit, timeLimitMs }, signal);
        const coverage = await Promise.all(asked.map(async (indexer) => indexer.coverage()));
        return { ...answer, tookMs: Math.round(performance.now() - began), coverage };
      } catch (thrown) {
        indexers.mend(thrown);
        throw thrown;
      }
    },
    coverage: async () => Promise.all(indexers.all().map(async (indexer) => indexer.coverage())),
    async settled(withinMs) {
      indexers.start();
      const until = performance.now() + withinMs;
      while (performance.now() < until && indexers.all().some((indexer) => !indexer.isSettled))
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    },
    request: () => indexers.turns.request(),
    close: () => indexers.close(),
  };
}

/** How many results come before the page. @throws InspectorError invalid_input */
function placeIn(cursor: string): number {
  const place = Number(decodeCursor(cursor, ['number'])[0]);
  if (Number.isSafeInteger(place) && place >= 0) return place;
  throw foreignCursor();
}

/** What the index finds, told by stores. */
async function find(
  host: IndexHost,
  asked: readonly StoreIndexer[],
  wanted: Omit<IndexSearch, 'places'>,
  signal: AbortSignal | undefined,
): Promise<Pick<SearchAnswer, 'items' | 'cursor' | 'total' | 'atLeast' | 'cut'>> {
  if (asked.length === 0) return { items: [], total: 0, atLeast: false, cut: false };
  const { items, next, ...rest } = await host.search({ ...wanted, places: asked.map(({ place }) => place) }, signal);
  const found = items.flatMap(({ place, ...item }): SearchItem[] => {
    const indexer = asked.find((one) => one.place.index === place.index && one.place.key === place.key);
    const { ref, status } = item.lastSeen;
    return indexer === undefined ? [] : [{ store: indexer.source.info.id, ref, status, ...item }];
  });
  return { items: found, ...(next === undefined ? {} : { cursor: encodeCursor([next]) }), ...rest };
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
