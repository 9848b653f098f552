import { createHash } from 'node:crypto';
import { InspectorError, checkpointToRow } from '@checkpoint-inspector/core';
import type { CheckpointRef, NewCheckpoint, SaveOptions, NativeRow } from '@checkpoint-inspector/core';
import { assertRowFits, type SqliteDatabase } from '@checkpoint-inspector/io';
import { readRow } from './read.ts';
import { META_COLUMNS, TABLE } from './schema.ts';

const COLUMNS = [...META_COLUMNS.split(', ').filter((column) => column !== 'seq'), 'text'];
/** A recorded parent stays recorded when a later save of the id names none. */
const KEPT = new Set(['parent_task', 'parent_id']);
const UPDATES = COLUMNS.map(
  (column) => `${column} = ${KEPT.has(column) ? `COALESCE(excluded.${column}, ${column})` : `excluded.${column}`}`,
);
const UPSERT = `INSERT INTO ${TABLE} (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map((column) => `:${column}`).join(', ')})
  ON CONFLICT (task, id) DO UPDATE SET ${UPDATES.join(', ')}`;

/** Checked and copied before anything waits. @throws InspectorError invalid_input | too_large */
export function rowToSave(checkpoint: NewCheckpoint, maxBytes?: number): NativeRow {
  const row = checkpointToRow(checkpoint, () => new Date());
  assertRowFits(row, maxBytes);
  return { ...row, state_hash: createHash('sha256').update(checkpoint.text).digest('hex') };
}

/** One transaction: the save and what it evicts. */
export function saveRow(
  db: SqliteDatabase,
  row: NativeRow,
  ref: CheckpointRef,
  { ifExists, maxPerTask }: SaveOptions & { maxPerTask: number | undefined },
): void {
  db.transaction(() => {
    if (ifExists === 'refuse' && readRow(db, ref)) {
      throw new InspectorError('changed', `Checkpoint "${ref.id}" of task "${ref.task}" is already stored.`, {
        data: { ...ref },
      });
    }
    db.prepare(UPSERT).run(row);
    if (maxPerTask !== undefined) evict(db, ref.task, maxPerTask);
  });
}

/** First saved, first out. */
function evict(db: SqliteDatabase, task: string, keep: number): void {
  db.prepare(
    `DELETE FROM ${TABLE} WHERE task = :task AND seq <= (SELECT seq FROM ${TABLE} WHERE task = :task ORDER BY seq DESC LIMIT 1 OFFSET :keep)`,
  ).run({ task, keep });
}
