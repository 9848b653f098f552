/** Where `e` and `E` lead in the history of a task. */
import { type CheckpointRef, type LineageRow, refKey } from '@checkpoint-inspector/core';
import { refAt } from '../../lib/address.ts';

interface Shown {
  /** Rows that are loaded, in the order of the view. */
  readonly rows: readonly { readonly id: string; readonly namespace?: string; readonly seq: number }[];
  /** Every row of the task; absent while the tree is read. */
  readonly all: readonly LineageRow[] | undefined;
  readonly task: string;
}

/**
 * The next failed checkpoint down the list from `from` (`by` 1) or up (-1); from the end it begins again. Rows between
 * are skipped, and those that are not loaded count by their place in save order.
 */
export function nextError(shown: Shown, from: CheckpointRef | undefined, by: 1 | -1): CheckpointRef | undefined {
  const { task, all = [] } = shown;
  const refOf = (row: { readonly id: string; readonly namespace?: string }): CheckpointRef =>
    refAt(task, row.id, row.namespace);
  const loaded = new Map(shown.rows.map((row, index) => [refKey(refOf(row)), index]));
  const newestLoaded = shown.rows.reduce((most, { seq }) => Math.max(most, seq), 0);
  const placeOf = (row: { readonly seq: number }, key: string): number => {
    const index = loaded.get(key);
    if (index !== undefined) return index;
    // Above the loaded rows, or below all of them; the newer the higher.
    return row.seq > newestLoaded && shown.rows.length > 0 ? -row.seq : BELOW - row.seq;
  };
  const fromKey = from && refKey(from);
  const failed = all
    .filter(({ status }) => status === 'failed')
    .map((row) => ({ ref: refOf(row), place: placeOf(row, refKey(refOf(row))) }))
    .sort((a, b) => (a.place - b.place) * by);
  const start = all.find((row) => refKey(refOf(row)) === fromKey);
  if (start === undefined || fromKey === undefined) return failed[0]?.ref;
  const place = placeOf(start, fromKey);
  return (failed.find((one) => (one.place - place) * by > 0) ?? failed[0])?.ref;
}

/** No task has so many rows. */
const BELOW = 1e12;
