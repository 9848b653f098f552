import { InspectorError } from '@checkpoint-inspector/core';
import { followSqlite, openSqlite, tableColumns, type SqliteDatabase } from '@checkpoint-inspector/io';

export const PRODUCT = 'checkpoint-inspector';
/** Raised with every change of the tables; a newer file is refused. */
export const FORMAT = 1;
export const TABLE = 'checkpoints';

/** `seq` is the rowid: save order. One state per row, as text. */
const SCHEMA = `
CREATE TABLE store_meta (k TEXT PRIMARY KEY, v TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE ${TABLE} (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  task TEXT NOT NULL,
  id TEXT NOT NULL,
  text TEXT NOT NULL,
  state_hash TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  parent_task TEXT,
  parent_id TEXT,
  step_index INTEGER,
  total_steps INTEGER,
  trigger TEXT,
  status TEXT,
  description TEXT,
  agent_id TEXT,
  duration_ms REAL,
  token_usage INTEGER,
  cost_usd REAL,
  created_at TEXT NOT NULL,
  UNIQUE (task, id)
);
CREATE INDEX checkpoints_by_task ON ${TABLE} (task, seq);
CREATE INDEX checkpoints_by_id ON ${TABLE} (id);
`;

/** Every column but the state itself. */
export const META_COLUMNS =
  'seq, task, id, state_hash, size_bytes, parent_task, parent_id, step_index, total_steps, trigger, status, description, agent_id, duration_ms, token_usage, cost_usd, created_at';

/** Makes the file unless told not to. @throws InspectorError no_store | unsupported_version | invalid_input */
export function openForSaving(path: string, maxPerTask: number | 'all' | undefined, create = true): SqliteDatabase {
  const db = openSqlite(path, { readOnly: false, create });
  try {
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL'); // an acknowledged save survives power loss
    db.transaction(() => {
      if (create && db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined) createTables(db);
      checkFormat(db, path);
      if (maxPerTask === 'all') db.prepare("DELETE FROM store_meta WHERE k = 'max_per_task'").run();
      else if (maxPerTask !== undefined) setMeta(db, 'max_per_task', String(maxPerTask));
    });
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function createTables(db: SqliteDatabase): void {
  db.exec(SCHEMA);
  setMeta(db, 'product', PRODUCT);
  setMeta(db, 'format', String(FORMAT));
}

function setMeta(db: SqliteDatabase, key: string, value: string): void {
  db.prepare('INSERT INTO store_meta (k, v) VALUES (?, ?) ON CONFLICT (k) DO UPDATE SET v = excluded.v').run(
    key,
    value,
  );
}

/** True for a file whose tables are ours, of any format. */
export function isNative(db: SqliteDatabase): boolean {
  if (!tableColumns(db, 'store_meta').includes('k') || !tableColumns(db, TABLE).includes('text')) return false;
  return metaValue(db, 'product') === PRODUCT;
}

export function metaValue(db: SqliteDatabase, key: string): string | undefined {
  return db.prepare<{ v: string }>('SELECT v FROM store_meta WHERE k = ?').get(key)?.v;
}

/** @throws InspectorError invalid_input (not ours) | unsupported_version (newer) */
export function checkFormat(db: SqliteDatabase, path: string): void {
  if (!isNative(db)) {
    throw new InspectorError('invalid_input', `${path} is another program's database.`, {
      remedy: 'Choose a new file for this store.',
    });
  }
  const format = Number(metaValue(db, 'format'));
  if (format > FORMAT) {
    throw new InspectorError(
      'unsupported_version',
      `${path} has format ${format}; this version supports up to ${FORMAT}.`,
    );
  }
}

/** A database of ours, and what it says of itself. */
export interface Connection {
  /** Ask before every piece of work: a file that was replaced is opened again. @throws InspectorError as openSqlite */
  current(): SqliteDatabase;
  /** As read when the present file was opened. */
  readonly maxPerTask: number | undefined;
  readonly snapshot: string | undefined;
  close(): void;
}

/** One connection for good: an agent saves to the file that it opened. */
export function connectForSaving(path: string, keep: number | 'all' | undefined, create?: boolean): Connection {
  const database = openForSaving(path, keep, create);
  return { current: () => database, maxPerTask: limitOf(database), snapshot: undefined, close: () => database.close() };
}

/** Follows the path: a file that is moved away is missed, one that takes its place is read. */
export function connectForReading(path: string): Connection {
  const follow = followSqlite(path);
  let seen: SqliteDatabase | undefined;
  let maxPerTask: number | undefined;
  const current = (): SqliteDatabase => {
    const database = follow.current();
    if (database === seen) return database;
    checkFormat(database, path);
    maxPerTask = limitOf(database);
    seen = database;
    return database;
  };
  try {
    current();
  } catch (error) {
    follow.close();
    throw error;
  }
  return {
    current,
    get maxPerTask() {
      return maxPerTask;
    },
    get snapshot() {
      return seen?.snapshot;
    },
    close: () => follow.close(),
  };
}

function limitOf(database: SqliteDatabase): number | undefined {
  const kept = metaValue(database, 'max_per_task');
  return kept === undefined ? undefined : Number(kept);
}
