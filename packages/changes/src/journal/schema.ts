import { InspectorError } from '@checkpoint-inspector/core';
import { openSqlite, privateFile, type SqliteDatabase } from '@checkpoint-inspector/io';
import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';
import { AGENT_TABLES } from './agents.ts';

/** Raised when an older program could no longer read the tables. */
export const FORMAT = 1;

const TABLES = `
CREATE TABLE IF NOT EXISTS journal_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS intents (
  id TEXT PRIMARY KEY, store TEXT NOT NULL, plan TEXT NOT NULL, target TEXT NOT NULL, target_path TEXT, location TEXT,
  head_hash TEXT, pid INTEGER NOT NULL, token TEXT NOT NULL, place TEXT NOT NULL, begun_at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'finished', 'abandoned')), reason TEXT
);
CREATE INDEX IF NOT EXISTS intents_open ON intents (state) WHERE state = 'open';
CREATE TABLE IF NOT EXISTS images (
  intent TEXT NOT NULL REFERENCES intents, n INTEGER NOT NULL, mark TEXT NOT NULL, content BLOB, skipped INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (intent, n)
);
CREATE TABLE IF NOT EXISTS receipts (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE REFERENCES intents, store TEXT NOT NULL,
  receipt TEXT NOT NULL, undone_by TEXT
);
CREATE INDEX IF NOT EXISTS receipts_store ON receipts (store, seq);
CREATE TABLE IF NOT EXISTS trash (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, receipt TEXT NOT NULL REFERENCES receipts (id), store TEXT NOT NULL, ref TEXT NOT NULL,
  what TEXT NOT NULL, size_bytes INTEGER, deleted_at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS purges (receipt TEXT PRIMARY KEY REFERENCES receipts (id), purged_at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sidecar (
  store TEXT NOT NULL, child TEXT NOT NULL, parent TEXT NOT NULL, added_at TEXT NOT NULL,
  PRIMARY KEY (store, child)
);
CREATE TABLE IF NOT EXISTS labels (store TEXT NOT NULL, ref TEXT NOT NULL, label TEXT NOT NULL, PRIMARY KEY (store, ref, label));
CREATE TABLE IF NOT EXISTS proposals (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, store TEXT NOT NULL, location TEXT, request TEXT NOT NULL,
  client TEXT NOT NULL, version TEXT, reason TEXT, edits TEXT, plan TEXT NOT NULL, at TEXT NOT NULL,
  outcome TEXT NOT NULL DEFAULT 'open' CHECK (outcome IN ('open', 'applied', 'dismissed', 'expired')),
  receipt TEXT UNIQUE, decided_at TEXT
);
CREATE TABLE IF NOT EXISTS notes (store TEXT NOT NULL, ref TEXT NOT NULL, note TEXT NOT NULL, written_at TEXT NOT NULL, PRIMARY KEY (store, ref));
${AGENT_TABLES}`;

/** @throws InspectorError unsupported_version | unreadable | disk_full | busy */
export function openJournalFile(folder: string): SqliteDatabase {
  const path = privateFile(folder, 'journal.sqlite');
  const db = openSqlite(path, { readOnly: false });
  try {
    checkFormat(db);
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    db.pragma('secure_delete = ON'); // purged means gone from the file too
    db.transaction(() => {
      db.exec(TABLES);
      db.prepare("INSERT OR IGNORE INTO journal_meta VALUES ('format', ?)").run(String(FORMAT));
    });
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function checkFormat(db: SqliteDatabase): void {
  const known = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'journal_meta'").get();
  if (!known) return;
  const row = db.prepare<{ value: string }>("SELECT value FROM journal_meta WHERE name = 'format'").get();
  if (row === undefined || Number(row.value) <= FORMAT) return;
  const message = `The journal has format ${row.value}; this version supports up to ${FORMAT}.`;
  throw new InspectorError('unsupported_version', message, { data: { path: db.path, format: row.value } });
}

const NAME = 'checkpoint-inspector';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the journal lives: `CHECKPOINT_INSPECTOR_STATE`, else the user's state folder of this platform. */
export function journalFolder(env: Environment = process.env, platform: string = process.platform): string {
  const own = env['CHECKPOINT_INSPECTOR_STATE'];
  if (own) return own;
  if (platform === 'win32') {
    const local = env['LOCALAPPDATA'] ?? win32.join(env['USERPROFILE'] ?? homedir(), 'AppData', 'Local');
    return win32.join(local, NAME);
  }
  const home = env['HOME'] ?? homedir();
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', NAME);
  const state = env['XDG_STATE_HOME'];
  // The XDG rule: a relative path is ignored.
  return posix.join(state?.startsWith('/') ? state : posix.join(home, '.local', 'state'), NAME);
}
