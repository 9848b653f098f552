import { DEFAULT_LIMIT, foreignCursor, InspectorError, MAX_LIMIT } from '@checkpoint-inspector/core';
import type { Page, Receipt, StoreId } from '@checkpoint-inspector/core';
import type { SqliteDatabase } from '@checkpoint-inspector/io';
import { placesOf } from './annotations.ts';
import type { JournalQuery, TrashEntry, TrashRow } from './types.ts';

interface ReceiptRow {
  readonly seq: number;
  readonly receipt: string;
  readonly undone_by: string | null;
}

interface StoredTrash {
  readonly seq: number;
  readonly receipt: string;
  readonly store: StoreId;
  readonly ref: string;
  readonly what: string;
  readonly size_bytes: number | null;
  readonly deleted_at: string;
}

/** True for a change that was cut off and undone: it left nothing behind. */
export const isUndone = ({ done, failed }: Receipt): boolean => done.length === 0 && failed.length > 0;

/** Inside the caller's transaction. */
export function insertReceipt(db: SqliteDatabase, receipt: Receipt, trash: readonly TrashEntry[]): void {
  const { id, store, appliedAt, request } = receipt;
  db.prepare('INSERT INTO receipts (id, store, receipt) VALUES (?, ?, ?)').run(id, store, JSON.stringify(receipt));
  const insert = db.prepare(
    'INSERT INTO trash (receipt, store, ref, what, size_bytes, deleted_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  for (const { ref, what, sizeBytes } of trash)
    insert.run(id, store, JSON.stringify(ref), what, sizeBytes ?? null, appliedAt);
  if (request.kind !== 'undo' || isUndone(receipt)) return;
  db.prepare('UPDATE receipts SET undone_by = ? WHERE id = ?').run(id, request.receiptId);
}

export function selectReceipt(db: SqliteDatabase, id: string): Receipt | undefined {
  const row = db.prepare<ReceiptRow>('SELECT seq, receipt, undone_by FROM receipts WHERE id = ?').get(id);
  return row && toReceipt(row);
}

/** Of a store: by where it is, and what has no place by its name. */
const OF_STORE = `(:store IS NULL OR EXISTS (SELECT 1 FROM intents WHERE intents.id = receipts.id AND
  CASE WHEN :places IS NULL OR location IS NULL THEN receipts.store = :store
  ELSE location IN (SELECT value FROM json_each(:places)) END))`;

const ofStore = ({ store, place }: JournalQuery) => ({
  store: store ?? null,
  places: place === undefined ? null : JSON.stringify(placesOf(place)),
});

export function selectReceipts(db: SqliteDatabase, query: JournalQuery): Page<Receipt> {
  const { limit, before } = position(query);
  const sql = `SELECT seq, receipt, undone_by FROM receipts
    WHERE seq < :before AND ${OF_STORE} ORDER BY seq DESC LIMIT +:limit`;
  const rows = db.prepare<ReceiptRow>(sql).all({ ...ofStore(query), before, limit: limit + 1 });
  return page(rows, limit, toReceipt);
}

export function selectTrash(db: SqliteDatabase, query: JournalQuery): Page<TrashRow> {
  const { limit, before } = position(query);
  const sql = `SELECT trash.* FROM trash JOIN receipts ON receipts.id = trash.receipt
    WHERE trash.seq < :before AND receipts.undone_by IS NULL AND ${OF_STORE}
      AND NOT EXISTS (SELECT 1 FROM purges WHERE purges.receipt = receipts.id)
    ORDER BY trash.seq DESC LIMIT +:limit`;
  const rows = db.prepare<StoredTrash>(sql).all({ ...ofStore(query), before, limit: limit + 1 });
  return page(rows, limit, toTrash);
}

function toReceipt({ receipt, undone_by }: ReceiptRow): Receipt {
  const stored = JSON.parse(receipt) as Receipt;
  return undone_by === null ? stored : { ...stored, undoneBy: undone_by };
}

function toTrash(row: StoredTrash): TrashRow {
  return {
    receiptId: row.receipt,
    store: row.store,
    ref: JSON.parse(row.ref) as TrashRow['ref'],
    what: row.what,
    ...(row.size_bytes === null ? {} : { sizeBytes: row.size_bytes }),
    deletedAt: row.deleted_at,
  };
}

/** @throws InspectorError invalid_input */
function position({ limit = DEFAULT_LIMIT, cursor }: JournalQuery): { limit: number; before: number } {
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new InspectorError('invalid_input', `limit must be 1 to ${MAX_LIMIT}, not ${limit}.`, { data: { limit } });
  }
  if (cursor === undefined) return { limit, before: Number.MAX_SAFE_INTEGER };
  if (/^[1-9]\d{0,14}$/.test(cursor)) return { limit, before: Number(cursor) };
  throw foreignCursor();
}

/** `rows` holds one more than the page when there is a next one. */
function page<Row extends { readonly seq: number }, T>(
  rows: readonly Row[],
  limit: number,
  map: (row: Row) => T,
): Page<T> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown.map(map), ...(rows.length > limit && last ? { cursor: String(last.seq) } : {}) };
}
