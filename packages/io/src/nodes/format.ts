import { tableColumns, type SqliteDatabase } from '../sqlite/index.ts';
import { prepared } from './statements.ts';

export const PRODUCT = 'checkpoint-inspector';
/** From this format on, states are shared nodes; before it, a text in every row. */
export const NODES_FORMAT = 2;

/** True for a database of our own store, of any format. */
export function isOurs(db: SqliteDatabase): boolean {
  if (!tableColumns(db, 'store_meta').includes('k')) return false;
  return tableColumns(db, 'checkpoints').includes('state_hash') && metaText(db, 'product') === PRODUCT;
}

/** True for a database of our own store whose states are nodes. */
export const hasNodes = (db: SqliteDatabase): boolean => isOurs(db) && metaNumber(db, 'format') === NODES_FORMAT;

/** What the store says of itself. */
export const metaText = (db: SqliteDatabase, key: string): string | undefined =>
  prepared<{ v: string }>(db, 'SELECT v FROM store_meta WHERE k = ?').get(key)?.v;

export const metaNumber = (db: SqliteDatabase, key: string): number => Number(metaText(db, key) ?? 0);
