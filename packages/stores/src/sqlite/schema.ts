import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { InspectorError } from '@checkpoint-inspector/core';
import {
  emptyLog,
  followSqlite,
  isOurs,
  metaNumber,
  metaText,
  NODES_FORMAT,
  openSqlite,
  type SqliteDatabase,
} from '@checkpoint-inspector/io';
import { OPEN_ENDED } from '../lineage-columns.ts';

const PRODUCT = 'checkpoint-inspector';
export const TABLE = 'checkpoints';
/** Of states that are cut into nodes, few of which fill a page of 4,096 bytes. */
const PAGE_BYTES = 8_192;

/** `seq` is the rowid: save order. */
const IDS = `
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  task TEXT NOT NULL,
  id TEXT NOT NULL,`;
/** Which part of the task, where the parent is in another one, and what a framework keeps beside the state. */
const PLACES = `
  namespace TEXT NOT NULL DEFAULT '',
  parent_namespace TEXT,
  beside TEXT,`;
const FIELDS = `
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
  created_at TEXT NOT NULL`;
const INDEXES = `
CREATE INDEX checkpoints_by_task ON ${TABLE} (task, seq);
CREATE INDEX checkpoints_by_id ON ${TABLE} (id);`;

/** What a file begins as: its first save brings it to the format of today, so that no text is ever behind metadata. */
const FIRST_SCHEMA = `
CREATE TABLE store_meta (k TEXT PRIMARY KEY, v TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE ${TABLE} (${IDS}
  text TEXT NOT NULL,${FIELDS},
  UNIQUE (task, id)
);${INDEXES}
`;

/** Written without ON CONFLICT, which a statement that fires a trigger would replace by its own. */
const COUNT_IN = `
  INSERT INTO tasks (task, count, bytes, updated)
    SELECT NEW.task, 0, 0, '' WHERE NOT EXISTS (SELECT 1 FROM tasks WHERE task = NEW.task);
  UPDATE tasks SET count = count + 1, bytes = bytes + NEW.size_bytes, updated = max(updated, NEW.created_at)
    WHERE task = NEW.task;`;
/** Looks through the task only where its newest time goes. */
const COUNT_OUT = `
  UPDATE tasks SET count = count - 1, bytes = bytes - OLD.size_bytes, updated = CASE
      WHEN OLD.created_at < updated THEN updated
      ELSE COALESCE((SELECT max(created_at) FROM ${TABLE} WHERE task = OLD.task), '') END
    WHERE task = OLD.task;
  DELETE FROM tasks WHERE task = OLD.task AND count = 0;`;

/** States are nodes that checkpoints share; a text whose layout isn't compact is kept whole as well. */
export const NODES_SCHEMA = `
CREATE TABLE nodes (id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, hash BLOB NOT NULL, body TEXT NOT NULL);
CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE ${TABLE} (${IDS}
  root INTEGER NOT NULL,
  whole INTEGER,${PLACES}${FIELDS},
  UNIQUE (task, namespace, id)
);${INDEXES}
CREATE INDEX checkpoints_by_parent ON ${TABLE} (parent_id, parent_task) WHERE parent_id IS NOT NULL;
CREATE TABLE writes (
  task TEXT NOT NULL,
  namespace TEXT NOT NULL,
  id TEXT NOT NULL,
  run TEXT NOT NULL,
  idx INTEGER NOT NULL,
  path TEXT NOT NULL,
  node TEXT,
  channel TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (task, namespace, id, run, idx)
) WITHOUT ROWID;
CREATE TABLE tasks (task TEXT PRIMARY KEY, count INTEGER NOT NULL, bytes INTEGER NOT NULL, updated TEXT NOT NULL);
CREATE TRIGGER count_inserted AFTER INSERT ON ${TABLE} BEGIN${COUNT_IN}
END;
CREATE TRIGGER count_deleted AFTER DELETE ON ${TABLE} BEGIN${COUNT_OUT}
END;
CREATE TRIGGER count_updated AFTER UPDATE OF task, size_bytes, created_at ON ${TABLE}
  WHEN OLD.task <> NEW.task OR OLD.size_bytes <> NEW.size_bytes OR OLD.created_at <> NEW.created_at
BEGIN${COUNT_OUT}${COUNT_IN}
END;
`;

/** Every column of the first format but the state itself. */
export const FIRST_COLUMNS =
  'seq, task, id, state_hash, size_bytes, parent_task, parent_id, step_index, total_steps, trigger, status, description, agent_id, duration_ms, token_usage, cost_usd, created_at';

/** Every column but the state itself, and what is beside it. */
export const META_COLUMNS = `${FIRST_COLUMNS}, namespace, parent_namespace`;

const has = (channel: string): string => `EXISTS (SELECT 1 FROM writes AS w
  WHERE w.task = c.task AND w.namespace = c.namespace AND w.id = c.id AND w.channel = '${channel}')`;
/** What the writes of steps tell of a row of \`c\`; nothing is looked up where they tell none. */
export const SIGNS = `beside IS NOT NULL AS framed, (beside IS NOT NULL OR ${OPEN_ENDED}) AND ${has('__error__')} AS failed,
  beside IS NOT NULL AND ${has('__interrupt__')} AS asked`;

/** Makes the file, and the folders above it, unless told not to. @throws InspectorError no_store | unsupported_version | invalid_input */
export function openForSaving(path: string, maxPerTask: number | 'all' | undefined, create = true): SqliteDatabase {
  if (create) makeFolder(dirname(path));
  const db = openSqlite(path, { readOnly: false, create });
  try {
    const isEmpty = (): boolean => db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
    if (create && isEmpty()) db.pragma(`page_size = ${PAGE_BYTES}`);
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL'); // an acknowledged save survives power loss
    db.pragma('secure_delete = ON'); // what goes is overwritten; saves that evict take no longer for it
    db.transaction(() => {
      if (create && isEmpty()) createTables(db);
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

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new InspectorError('invalid_input', `The folder ${path} can't be created.`, {
      cause,
      data: { path },
      remedy: 'Choose a path that this user can write to.',
    });
  }
}

function createTables(db: SqliteDatabase): void {
  db.exec(FIRST_SCHEMA);
  setMeta(db, 'product', PRODUCT);
  setMeta(db, 'format', '1');
}

export function setMeta(db: SqliteDatabase, key: string, value: string): void {
  db.prepare('INSERT INTO store_meta (k, v) VALUES (?, ?) ON CONFLICT (k) DO UPDATE SET v = excluded.v').run(
    key,
    value,
  );
}

/** @throws InspectorError invalid_input (not ours) | unsupported_version (newer) */
export function checkFormat(db: SqliteDatabase, path: string): void {
  if (!isOurs(db)) {
    throw new InspectorError('invalid_input', `${path} is another program's database.`, {
      remedy: 'Choose a new file for this store.',
    });
  }
  const format = metaNumber(db, 'format');
  if (format > NODES_FORMAT) {
    throw new InspectorError(
      'unsupported_version',
      `${path} has format ${format}; this version supports up to ${NODES_FORMAT}.`,
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
  const close = (): void => {
    // SQLite does so by itself only where nobody else has the file open.
    emptyLog(database);
    database.close();
  };
  return { current: () => database, maxPerTask: limitOf(database), snapshot: undefined, close };
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
  const kept = metaText(database, 'max_per_task');
  return kept === undefined ? undefined : Number(kept);
}
