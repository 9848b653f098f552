/** What is worked out from a whole task and kept until its store changes: trees as they go over the wire, lanes. */
import {
  decodeLineageInSteps,
  forkTreeInSteps,
  LineageEncoder,
  refKey,
  createPause,
  paced,
} from '@checkpoint-inspector/core';
import type {
  CheckpointSource,
  ForkTree,
  LineageColumns,
  LineageOptions,
  LineageRowWithFacts,
  StoreId,
} from '@checkpoint-inspector/core';
import type { StoreService } from './types.ts';

export type Trees = ReturnType<typeof createTrees>;

/** Trees kept at a time; one of 50,000 checkpoints takes 4 MB. */
const KEPT = 16;
const ROWS_AT_A_TIME = 200;
/** Some 100,000 checkpoints. */
const MOST_TEXT = 8_000_000;

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
      const forget = (): void => {
        if (cache.get(key)?.value === value) cache.delete(key);
      };
      value.catch(forget);
      const oldest = cache.size > most ? cache.keys().next().value : undefined;
      if (oldest !== undefined) cache.delete(oldest);
      return value;
    };
  }

  const columns = kept(KEPT, readColumns);
  return {
    kept,
    lineage: async (store: StoreId, task: string) => {
      const text = await columns(store, task);
      // It would be parsed in one go.
      if (text.length > MOST_TEXT) return readLineage(stores.source(store), task);
      return paced(decodeLineageInSteps(JSON.parse(text) as LineageColumns));
    },
    /** `LineageColumns` of the task as JSON text. */
    columns,
  };
}

/** Text from the first row on: rows that are kept cost more than their reading. */
async function readColumns(source: CheckpointSource, task: string): Promise<string> {
  const encoder = new LineageEncoder(task);
  if (source.lineageParts) {
    for await (const part of source.lineageParts(task)) {
      encoder.addPart(part);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return encoder.end();
  }
  await eachRow(source, task, (row) => encoder.add(row));
  return encoder.end();
}

export async function readLineage(
  source: CheckpointSource,
  task: string,
  options?: LineageOptions,
): Promise<LineageRowWithFacts[]> {
  const rows: LineageRowWithFacts[] = [];
  await eachRow(source, task, (row) => rows.push(row), options);
  return rows;
}

export const readTree = async (source: CheckpointSource, task: string, options?: LineageOptions): Promise<ForkTree> =>
  paced(forkTreeInSteps(task, await readLineage(source, task, options)));

async function eachRow(
  source: CheckpointSource,
  task: string,
  call: (row: LineageRowWithFacts) => unknown,
  options?: LineageOptions,
): Promise<void> {
  const pause = createPause();
  let count = 0;
  for await (const row of source.lineage(task, options)) {
    call(row);
    // Reading 50,000 rows takes a quarter of a second: other requests go between.
    if (++count % ROWS_AT_A_TIME === 0) await pause();
  }
}
