import { InspectorError } from '@checkpoint-inspector/core';
import { openSqlite, privateFile, type SqliteDatabase } from '@checkpoint-inspector/io';
import { rmSync } from 'node:fs';

/** Another one makes the file again: nothing in it is precious. */
const FORMAT = 1;
const NAME = 'cache.sqlite';

/**
 * A text occurs once, whoever holds it. A span says: this value stood at this path in every document of the task from
 * `first` to `last`; value 0 says only that the path was there. So states that repeat each other add nothing, and when
 * a value was first and last seen is told by its spans.
 * Document numbers are never given out twice: a span of one that is gone finds nothing.
 */
const TABLES = `
CREATE TABLE stores (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE);
CREATE TABLE tasks (
  id INTEGER PRIMARY KEY AUTOINCREMENT, store INTEGER NOT NULL, task TEXT NOT NULL, newest_ms INTEGER NOT NULL DEFAULT 0,
  UNIQUE (store, task)
);
CREATE TABLE documents (
  doc INTEGER PRIMARY KEY AUTOINCREMENT, task INTEGER NOT NULL, namespace TEXT NOT NULL, id TEXT NOT NULL,
  mark TEXT NOT NULL, state INTEGER NOT NULL, reason TEXT, seq INTEGER NOT NULL, step INTEGER, status TEXT NOT NULL,
  save_trigger TEXT, agent TEXT NOT NULL, size INTEGER NOT NULL, time TEXT, time_ms INTEGER, description TEXT,
  UNIQUE (task, namespace, id)
);
CREATE INDEX documents_place ON documents (task, doc, state, seq);
CREATE INDEX documents_order ON documents (task, seq);
CREATE INDEX documents_pending ON documents (task, seq) WHERE state = 0;
CREATE INDEX documents_time ON documents (ifnull(time_ms, -1), doc);
CREATE TABLE counts (task INTEGER NOT NULL, state INTEGER NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (task, state)) WITHOUT ROWID;
CREATE TRIGGER documents_insert AFTER INSERT ON documents BEGIN
  INSERT INTO counts VALUES (new.task, new.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER documents_delete AFTER DELETE ON documents BEGIN
  UPDATE counts SET n = n - 1 WHERE task = old.task AND state = old.state;
END;
CREATE TRIGGER documents_state AFTER UPDATE OF state ON documents BEGIN
  UPDATE counts SET n = n - 1 WHERE task = old.task AND state = old.state;
  INSERT INTO counts VALUES (new.task, new.state, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TABLE texts (id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, kind INTEGER NOT NULL, text TEXT NOT NULL);
CREATE INDEX texts_hash ON texts (hash);
CREATE VIRTUAL TABLE words USING fts5 (text, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1');
-- Merging is done in small steps of our own: left to itself it holds up everything for a while.
INSERT INTO words (words, rank) VALUES ('automerge', 0), ('crisismerge', 1000);
CREATE TABLE spans (
  value INTEGER NOT NULL, task INTEGER NOT NULL, path INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
  PRIMARY KEY (value, task, path, first)
) WITHOUT ROWID;
CREATE INDEX spans_path ON spans (path, task, first);
`;

/** As `documents.state` holds them. */
export const STATE = { pending: 0, indexed: 1, partly: 2, locked: 3, unreadable: 4, writing: 5 } as const;
export type DocumentState = (typeof STATE)[keyof typeof STATE];

/** More than this share of dead documents is not worth keeping. */
const MOST_DEAD = 5_000;

export function openMemoryCache(): SqliteDatabase {
  const db = openSqlite(':memory:', { readOnly: false });
  db.exec(TABLES);
  return db;
}

/**
 * Opens `cache.sqlite` of the folder for this process alone, made when it is missing, damaged or of another format.
 * @returns `undefined` while another process has it open
 * @throws InspectorError unreadable (the folder cannot be used) | disk_full
 */
export function openCacheFile(folder: string): SqliteDatabase | undefined {
  try {
    return openOnce(folder);
  } catch (error) {
    if (!InspectorError.is(error)) throw error;
    if (error.code === 'busy') return undefined;
    if (error.code !== 'unreadable' || error.data?.['sqlite'] === undefined) throw error;
    remove(privateFile(folder, NAME));
    return openOnce(folder);
  }
}

function openOnce(folder: string): SqliteDatabase {
  const path = privateFile(folder, NAME);
  const db = connect(path);
  const known = isKnown(db);
  if (known === 'ours') return db;
  if (known === 'empty') return fill(db);
  db.close();
  remove(path);
  return fill(connect(privateFile(folder, NAME)));
}

function connect(path: string): SqliteDatabase {
  const db = openSqlite(path, { readOnly: false, busyTimeoutMs: 250 });
  try {
    db.pragma('locking_mode = EXCLUSIVE');
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.pragma('cache_size = -32000');
    // Takes the lock now; it is held until the database is closed.
    db.transaction(() => db.prepare('SELECT count(*) FROM sqlite_schema').get());
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function fill(db: SqliteDatabase): SqliteDatabase {
  db.transaction(() => {
    db.exec(TABLES);
    db.pragma(`user_version = ${FORMAT}`);
  });
  return db;
}

function isKnown(db: SqliteDatabase): 'ours' | 'empty' | 'other' {
  if (db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined) return 'empty';
  if (Number(db.pragma('user_version')) !== FORMAT) return 'other';
  const given = db.prepare<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'documents'").get()?.seq ?? 0;
  const alive = db.prepare<{ n: number | null }>('SELECT sum(n) AS n FROM counts').get()?.n ?? 0;
  return given > 2 * alive + MOST_DEAD ? 'other' : 'ours';
}

export function removeCacheFile(folder: string): void {
  remove(privateFile(folder, NAME));
}

function remove(path: string): void {
  for (const side of ['', '-wal', '-shm', '-journal']) rmSync(path + side, { force: true });
}
