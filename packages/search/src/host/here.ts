import { InspectorError } from '@checkpoint-inspector/core';
import { openCache, type CacheOptions } from '../cache/cache.ts';
import type { SearchCache, StoreIndex } from '../cache/types.ts';
import { answer } from './answer.ts';
import { lossOf, type IndexHost, type IndexId, type Place, type StoreMethod } from './contract.ts';

interface Opened {
  readonly options: CacheOptions;
  cache?: SearchCache;
  readonly stores: Map<string, StoreIndex>;
}

/** As a mapped type, so that a method and its arguments are known to belong together. */
type Methods = { readonly [M in StoreMethod]: (...args: Parameters<StoreIndex[M]>) => ReturnType<StoreIndex[M]> };

/** Other requests wait no longer than this for a piece of writing. */
const SLICE_MS = 30;

/** Indexes in this thread. */
export function createIndexHost({ sliceMs = SLICE_MS }: { readonly sliceMs?: number } = {}): IndexHost & {
  /** As `open`, with a number that another host gave. */
  know(index: IndexId, options: CacheOptions): void;
} {
  const indexes = new Map<IndexId, Opened>();
  let last = 0;

  const cacheOf = (index: IndexId): SearchCache => {
    const opened = indexes.get(index);
    if (opened === undefined) throw new InspectorError('no_store', 'The search index was closed.');
    return (opened.cache ??= openCache(opened.options));
  };
  const storeOf = ({ index, key }: Place): Methods => {
    const cache = cacheOf(index);
    const stores = indexes.get(index)?.stores;
    const store = stores?.get(key) ?? cache.store(key);
    stores?.set(key, store);
    return store;
  };
  /** What was thrown, or that the file it came from is damaged. */
  const told = (thrown: unknown): unknown => {
    const error = InspectorError.from(thrown);
    const path = error.code === 'unreadable' ? error.data?.['path'] : undefined;
    if (path === undefined) return thrown;
    const damaged = [...indexes].find(([, { cache }]) => cache?.path === path);
    return damaged === undefined ? thrown : lossOf(damaged[0], 'damaged', thrown);
  };
  const drop = (index: IndexId): void => {
    const { cache } = indexes.get(index) ?? {};
    indexes.delete(index);
    cache?.close();
  };

  return {
    sliceMs,
    know: (index, options) => void indexes.set(index, { options, stores: new Map() }),
    open(options) {
      indexes.set(++last, { options, stores: new Map() });
      return last;
    },
    async run(place, method, args) {
      try {
        return storeOf(place)[method](...args);
      } catch (thrown) {
        throw told(thrown);
      }
    },
    async search(search, signal) {
      try {
        return await answer(search, cacheOf, signal);
      } catch (thrown) {
        throw told(thrown);
      }
    },
    drop: async (index) => drop(index),
    async close() {
      for (const index of indexes.keys()) drop(index);
    },
  };
}
