import { tableColumns, type SqliteDatabase } from '../sqlite/index.ts';
import { prepared } from './statements.ts';

export const PRODUCT = 'checkpoint-inspector';
/** From this format on, states are shared nodes; before it, a text in every row. */
export const NODES_FORMAT = 2;

/** Those that were found to be ours: nobody makes another system's store of them while they are open. */
const ours = new WeakSet<SqliteDatabase>();

/** True for a database of our own store, of any format. */
export function isOurs(db: SqliteDatabase): boolean {
  if (ours.has(db)) return true;
  if (!tableColumns(db, 'store_meta').includes('k') || !tableColumns(db, 'checkpoints').includes('state_hash'))
    return false;
  if (metaText(db, 'product') === PRODUCT) ours.add(db);
  return ours.has(db);
}

/** True for a database of our own store whose states are nodes. */
export const hasNodes = (db: SqliteDatabase): boolean => isOurs(db) && metaNumber(db, 'format') === NODES_FORMAT;

/** What the store says of itself. */
export const metaText = (db: SqliteDatabase, key: string): string | undefined =>
  prepared<{ v: string }>(db, 'SELECT v FROM store_meta WHERE k = ?').get(key)?.v;

export const metaNumber = (db: SqliteDatabase, key: string): number => Number(metaText(db, key) ?? 0);
