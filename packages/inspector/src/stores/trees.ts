/** Trees of tasks as they go over the wire, kept until their store changes. */
import { encodeLineage, refKey } from '@checkpoint-inspector/core';
import type { CheckpointSource, LineageRow, StoreId } from '@checkpoint-inspector/core';
import type { StoreService } from './types.ts';

export type Trees = ReturnType<typeof createTrees>;

/** Trees kept at a time; one of 50,000 checkpoints takes 2 MB. */
const KEPT = 16;
const ROWS_AT_A_TIME = 2_000;

/** A store that does not tell of its changes is read each time. */
export function createTrees(stores: StoreService) {
  const kept = new Map<string, { readonly store: StoreId; readonly text: Promise<string> }>();
  stores.onEvent((event) => {
    for (const [key, { store }] of kept) if (event.kind === 'stores' || event.store === store) kept.delete(key);
  });
  return {
    /** `LineageColumns` of the task as JSON text. */
    columns(store: StoreId, task: string): Promise<string> {
      const source = stores.source(store);
      if (!source.watch) return columnsOf(source, task);
      const key = refKey({ task: store, id: task });
      const known = kept.get(key);
      if (known) return known.text;
      const text = columnsOf(source, task);
      kept.set(key, { store, text });
      text.catch(() => kept.delete(key));
      const oldest = kept.size > KEPT ? kept.keys().next().value : undefined;
      if (oldest !== undefined) kept.delete(oldest);
      return text;
    },
  };
}

async function columnsOf(source: CheckpointSource, task: string): Promise<string> {
  const rows: LineageRow[] = [];
  for await (const row of source.lineage(task)) {
    // Reading 50,000 rows takes a quarter of a second: other requests go between.
    if (rows.push(row) % ROWS_AT_A_TIME === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return JSON.stringify(encodeLineage(task, rows));
}
