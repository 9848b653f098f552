import { compact } from '@checkpoint-inspector/core';
import type { CheckpointRow } from '../../lib/api.ts';

type Words = Pick<CheckpointRow, 'summary' | 'changes' | 'error'>;

/** What each stored content was said to have changed. */
export type Told = Map<string, Words>;

/** The same only for the same stored content against the same parent: an id can be saved again. */
const contentKey = (row: CheckpointRow): string =>
  [row.namespace, row.id, row.parentId, row.revision ?? `${row.createdAtText} ${row.sizeBytes}`, row.status].join('\n');

/** The rows, each with the words that it has now or had before; new words are kept in `told`. */
export function keepSummaries(told: Told, rows: readonly CheckpointRow[]): readonly CheckpointRow[] {
  let isSame = true;
  const filled = rows.map((row) => {
    const { summary, changes, error } = row;
    if (summary !== undefined || error !== undefined) {
      told.set(contentKey(row), compact({ summary, changes, error }));
      return row;
    }
    const words = told.get(contentKey(row));
    if (words === undefined) return row;
    isSame = false;
    return { ...row, ...words };
  });
  return isSame ? rows : filled;
}
