/** What changes put into the trash: how much it is, how long it stays, and emptying it. Inside the caller's transaction. */
import { InspectorError, type StoreId } from '@checkpoint-inspector/core';
import type { SqliteDatabase } from '@checkpoint-inspector/io';

/** Everything one change put into the trash; it comes back and goes together. */
export interface TrashedChange {
  readonly receiptId: string;
  readonly store: StoreId;
  readonly task: string;
  /** ISO 8601 UTC. */
  readonly deletedAt: string;
  readonly checkpoints: number;
  /** What is kept for the undo: before-images, in bytes. */
  readonly bytes: number;
}

export const DEFAULT_TRASH_DAYS = 30;
const MAX_DAYS = 36_500;
const DAYS_KEY = 'trash_days';

interface Row {
  readonly id: string;
  readonly store: StoreId;
  readonly task: string;
  readonly deleted_at: string;
  readonly checkpoints: number;
  readonly bytes: number;
}

/** Newest first; not what is put back or purged already. */
export function selectTrashed(db: SqliteDatabase): TrashedChange[] {
  const sql = `SELECT receipts.id, receipts.store, json_extract(receipts.receipt, '$.task') AS task,
      min(trash.deleted_at) AS deleted_at, count(*) AS checkpoints,
      (SELECT coalesce(sum(length(content)), 0) FROM images WHERE intent = receipts.id AND skipped = 0) AS bytes
    FROM trash JOIN receipts ON receipts.id = trash.receipt
    WHERE receipts.undone_by IS NULL AND NOT EXISTS (SELECT 1 FROM purges WHERE purges.receipt = receipts.id)
    GROUP BY receipts.id ORDER BY receipts.seq DESC`;
  return db
    .prepare<Row>(sql)
    .all()
    .map(({ id, store, task, deleted_at, checkpoints, bytes }) => ({
      receiptId: id,
      store,
      task,
      deletedAt: deleted_at,
      checkpoints: Number(checkpoints),
      bytes: Number(bytes),
    }));
}

/**
 * Takes the before-images of these changes away for good. What is no longer in the trash, or is being put back at
 * this moment, is left as it is.
 */
export function purgeImages(db: SqliteDatabase, ids: readonly string[], at: string): TrashedChange[] {
  const wanted = new Set(ids);
  const busy = db.prepare<{ id: string }>(
    "SELECT json_extract(plan, '$.request.receiptId') AS id FROM intents WHERE state = 'open'",
  );
  for (const { id } of busy.all()) wanted.delete(id);
  const purged = selectTrashed(db).filter(({ receiptId }) => wanted.has(receiptId));
  for (const { receiptId } of purged) {
    db.prepare('UPDATE images SET content = NULL WHERE intent = ?').run(receiptId);
    db.prepare('INSERT INTO purges (receipt, purged_at) VALUES (?, ?)').run(receiptId, at);
  }
  return purged;
}

export function selectPurgedAt(db: SqliteDatabase, id: string): string | undefined {
  return db.prepare<{ purged_at: string }>('SELECT purged_at FROM purges WHERE receipt = ?').get(id)?.purged_at;
}

export function selectTrashDays(db: SqliteDatabase): number {
  const row = db.prepare<{ value: string }>('SELECT value FROM journal_meta WHERE name = ?').get(DAYS_KEY);
  const days = Number(row?.value);
  return row !== undefined && Number.isInteger(days) && days >= 1 ? days : DEFAULT_TRASH_DAYS;
}

/** @throws InspectorError invalid_input */
export function storeTrashDays(db: SqliteDatabase, days: number): void {
  if (!Number.isInteger(days) || days < 1 || days > MAX_DAYS) {
    throw new InspectorError('invalid_input', `The trash can be kept for 1 to ${MAX_DAYS} days, not ${days}.`);
  }
  db.prepare('INSERT OR REPLACE INTO journal_meta (name, value) VALUES (?, ?)').run(DAYS_KEY, String(days));
}
