/** The indexes as feed and search ask them, wherever they are written: in this thread or in one of their own. */
import { InspectorError, type WireError } from '@checkpoint-inspector/core';
import type { CacheOptions } from '../cache/cache.ts';
import type { Found, StoreIndex } from '../cache/types.ts';
import type { SearchQuery } from '../query/types.ts';

/** A number that the host gives to each index it opens, and to none again. */
export type IndexId = number;

export type StoreMethod = keyof StoreIndex;
type In<M extends StoreMethod> = Parameters<StoreIndex[M]>;
type Out<M extends StoreMethod> = ReturnType<StoreIndex[M]>;

/** The index of one store, asked from afar. */
export type RemoteIndex = { readonly [M in StoreMethod]: (...args: In<M>) => Promise<Out<M>> };

/** Which store of which index; `key` names a store for good, whatever its id is this time. */
export interface Place {
  readonly index: IndexId;
  readonly key: string;
}

export interface IndexSearch {
  readonly query: SearchQuery;
  /** Stores to look in. */
  readonly places: readonly Place[];
  /** How many of the best are passed over, and how many are wanted after them. */
  readonly from: number;
  readonly limit: number;
  readonly timeLimitMs: number;
}

export interface IndexAnswer {
  /** Best first, those of one task together. */
  readonly items: readonly (Found & { readonly place: Place })[];
  /** Where the next page begins; absent after the last. */
  readonly next?: number;
  /** Found in all; `atLeast` where there are more than search continues to count. */
  readonly total: number;
  readonly atLeast: boolean;
  /** The time was over before everything was searched. */
  readonly cut: boolean;
}

export interface IndexHost {
  /** How long one piece of writing may take here, in ms. */
  readonly sliceMs: number;
  /** It is opened when it is first used; what opening throws, every use of it throws. */
  open(options: CacheOptions): IndexId;
  /** @throws InspectorError what the method throws; `lostIndex` tells when the index is of no more use */
  run<M extends StoreMethod>(place: Place, method: M, args: In<M>): Promise<Out<M>>;
  search(search: IndexSearch, signal?: AbortSignal): Promise<IndexAnswer>;
  drop(index: IndexId): Promise<void>;
  close(): Promise<void>;
}

/** How an index ended: its file is damaged, or the thread that had it stopped. */
export type Loss = 'damaged' | 'stopped';

const WORDS: Readonly<Record<Loss, string>> = {
  damaged: 'The search index was damaged and is being rebuilt.',
  stopped: 'The thread of the search index stopped and is being restarted.',
};

/** The error of whoever uses an index that was lost. */
export const lossOf = (index: IndexId, loss: Loss, cause?: unknown): InspectorError =>
  new InspectorError('busy', WORDS[loss], { data: { index, loss }, ...(cause === undefined ? {} : { cause }) });

/** Whether an error says that this index was lost, and how. */
export function lostIndex(thrown: unknown, index: IndexId | undefined): Loss | undefined {
  const data = InspectorError.is(thrown) ? thrown.data : undefined;
  if (index === undefined || data?.['index'] !== index) return undefined;
  return data['loss'] === 'damaged' || data['loss'] === 'stopped' ? data['loss'] : undefined;
}

/** @example const index = remoteIndex(host, { index: host.open({ folder }), key }); await index.counts(); */
export function remoteIndex(host: IndexHost, place: Place): RemoteIndex {
  return {
    beginList: (...args) => host.run(place, 'beginList', args),
    list: (...args) => host.run(place, 'list', args),
    endList: (...args) => host.run(place, 'endList', args),
    tasks: (...args) => host.run(place, 'tasks', args),
    dropTask: (...args) => host.run(place, 'dropTask', args),
    waiting: (...args) => host.run(place, 'waiting', args),
    write: (...args) => host.run(place, 'write', args),
    setUnread: (...args) => host.run(place, 'setUnread', args),
    drop: (...args) => host.run(place, 'drop', args),
    counts: (...args) => host.run(place, 'counts', args),
    tidy: (...args) => host.run(place, 'tidy', args),
  };
}

/** What passes between the threads: plain data. */
export interface StoreCall<M extends StoreMethod = StoreMethod> {
  readonly method: M;
  readonly args: In<M>;
}
export type Request =
  | { readonly kind: 'open'; readonly index: IndexId; readonly options: CacheOptions }
  | { readonly kind: 'run'; readonly id: number; readonly place: Place; readonly call: StoreCall }
  | { readonly kind: 'search'; readonly id: number; readonly search: IndexSearch }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'drop'; readonly id: number; readonly index: IndexId }
  | { readonly kind: 'close'; readonly id: number };
export type Reply =
  | { readonly id: number; readonly output: unknown }
  | { readonly id: number; readonly error: WireError['error'] };
