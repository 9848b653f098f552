/** What is worked out from a whole task and kept until its store changes: trees as they go over the wire, lanes. */
import { encodeLineage, refKey } from '@checkpoint-inspector/core';
import type { CheckpointSource, LineageRow, StoreId } from '@checkpoint-inspector/core';
import type { StoreService } from './types.ts';

export type Trees = ReturnType<typeof createTrees>;

/** Trees kept at a time; one of 50,000 checkpoints takes 2 MB. */
const KEPT = 16;
const ROWS_AT_A_TIME = 2_000;

type OfTask<T> = (store: StoreId, task: string) => Promise<T>;

/** A store that does not tell of its changes is read each time. */
export function createTrees(stores: StoreService) {
  const caches: Map<string, { readonly store: StoreId }>[] = [];
  stores.onEvent((event) => {
    for (const cache of caches) {
      for (const [key, { store }] of cache) if (event.kind === 'stores' || event.store === store) cache.delete(key);
    }
  });

  /** Reads a task once until its store changes; of `most` tasks. */
  function kept<T>(most: number, read: (source: CheckpointSource, task: string) => Promise<T>): OfTask<T> {
    const cache = new Map<string, { readonly store: StoreId; readonly value: Promise<T> }>();
    caches.push(cache);
    return (store, task) => {
      const source = stores.source(store);
      if (!source.watch) return read(source, task);
      const key = refKey({ task: store, id: task });
      const known = cache.get(key);
      if (known) return known.value;
      const value = read(source, task);
      cache.set(key, { store, value });
      value.catch(() => cache.delete(key));
      const oldest = cache.size > most ? cache.keys().next().value : undefined;
      if (oldest !== undefined) cache.delete(oldest);
      return value;
    };
  }

  return {
    kept,
    /** `LineageColumns` of the task as JSON text. */
    columns: kept(KEPT, async (source, task) => JSON.stringify(encodeLineage(task, await readLineage(source, task)))),
  };
}

export async function readLineage(source: CheckpointSource, task: string): Promise<LineageRow[]> {
  const rows: LineageRow[] = [];
  for await (const row of source.lineage(task)) {
    // Reading 50,000 rows takes a quarter of a second: other requests go between.
    if (rows.push(row) % ROWS_AT_A_TIME === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return rows;
}
