/** What is worked out from a whole task and kept until its store changes: trees as they go over the wire, lanes. */
import { encodeLineageInSteps, refKey } from '@checkpoint-inspector/core';
import type { CheckpointSource, LineageRow, StoreId } from '@checkpoint-inspector/core';
import { paced } from './paced.ts';
import type { StoreService } from './types.ts';

export type Trees = ReturnType<typeof createTrees>;

/** Trees kept at a time; one of 50,000 checkpoints takes 2 MB. */
const KEPT = 16;
const ROWS_AT_A_TIME = 2_000;
/** The rows of so many tasks are kept for what else is worked out from them, unless there are too many. */
const READ = 4;
const MOST_ROWS = 200_000;

type OfTask<T> = (store: StoreId, task: string) => Promise<T>;

/** A store that does not tell of its changes is read each time. */
export function createTrees(stores: StoreService) {
  const caches: Map<string, { readonly store: StoreId }>[] = [];
  stores.onEvent((event) => {
    for (const cache of caches) {
      for (const [key, { store }] of cache) if (event.kind === 'stores' || event.store === store) cache.delete(key);
    }
  });

  /** Reads a task once until its store changes; of `most` tasks, where `fits` says that it is small enough to keep. */
  function kept<T>(
    most: number,
    read: (source: CheckpointSource, task: string) => Promise<T>,
    fits: (value: T) => boolean = () => true,
  ): OfTask<T> {
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
      const forget = (): void => {
        if (cache.get(key)?.value === value) cache.delete(key);
      };
      value.then((read) => fits(read) || forget(), forget);
      const oldest = cache.size > most ? cache.keys().next().value : undefined;
      if (oldest !== undefined) cache.delete(oldest);
      return value;
    };
  }

  const lineage = kept(READ, readLineage, (rows) => rows.length <= MOST_ROWS);
  return {
    kept,
    lineage,
    /** `LineageColumns` of the task as JSON text. */
    columns: kept(KEPT, async ({ info }, task) =>
      JSON.stringify(await paced(encodeLineageInSteps(task, await lineage(info.id, task)))),
    ),
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
