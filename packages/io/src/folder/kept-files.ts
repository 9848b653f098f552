import { findSecrets, InspectorError } from '@checkpoint-inspector/core';
import { rmSync } from 'node:fs';
import { fileStamp, type FileEntry } from '../files/list.ts';
import { privateFile } from '../files/private-file.ts';
import { sha256 } from '../files/text.ts';
import { openSqlite, type SqliteDatabase } from '../sqlite/open.ts';

/** Beside `cache.sqlite`, which one process has for itself: from this one a command reads while a server runs. */
const NAME = 'folders.sqlite';
/** A file of another format is made again: nothing in it is precious. */
const FORMAT = 1;
const TABLES = `
CREATE TABLE folders (
  id INTEGER PRIMARY KEY, folder TEXT NOT NULL, reader TEXT NOT NULL, day INTEGER NOT NULL, UNIQUE (folder, reader)
);
CREATE TABLE files (
  folder INTEGER NOT NULL REFERENCES folders (id) ON DELETE CASCADE, name TEXT NOT NULL, mark TEXT NOT NULL,
  text TEXT NOT NULL, PRIMARY KEY (folder, name)
);
`;
const DAY_MS = 86_400_000;
/** A folder that nobody has opened for so long is forgotten. */
const MOST_DAYS = 30;
/** File systems keep times as coarse as two seconds: a file that is written twice in that time may look the same. */
const COARSE_MS = 3_000;
/** Only what lists need is kept, and that is short. */
const MOST_CHARS = 65_536;

/** One folder, as one reader reads it. */
export interface KeptFolder {
  /** The user's state folder. */
  readonly stateFolder: string;
  /** Real path. */
  readonly folder: string;
  /** Another one as soon as anything else is read from the same bytes. */
  readonly reader: string;
}

/** What was read of the files of one folder, kept from one run to the next. It only helps, so nothing here throws. */
export interface KeptFiles {
  /** What was kept of this very file, unless anything was written to it since. */
  get(entry: FileEntry): string | undefined;
  /** What has a secret of a known shape, is very long, or was written a moment ago is not kept. */
  put(files: readonly (readonly [FileEntry, string])[]): void;
  /** Forgets the files that are gone. */
  retain(names: { readonly size: number; readonly has: (name: string) => boolean }): void;
  close(): void;
}

/** `undefined` where SQLite or the state folder can't be used. A damaged file is made again. */
export function openKeptFiles(of: KeptFolder): KeptFiles | undefined {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      return keptIn(openFile(of.stateFolder), of);
    } catch (thrown) {
      if (!isDamage(thrown)) return undefined;
      removeFile(of.stateFolder);
    }
  }
  return undefined;
}

function keptIn(db: SqliteDatabase, { stateFolder, folder, reader }: KeptFolder): KeptFiles {
  const id = folderId(db, folder, reader);
  const one = db.prepare<[mark: string, text: string]>('SELECT mark, text FROM files WHERE folder = ? AND name = ?', {
    arrays: true,
  });
  const insert = db.prepare('INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)');
  const count = db.prepare<{ n: number }>('SELECT count(*) AS n FROM files WHERE folder = ?');
  const names = db.prepare<{ name: string }>('SELECT name FROM files WHERE folder = ?');
  const remove = db.prepare('DELETE FROM files WHERE folder = ? AND name = ?');
  let isOpen = true;
  const close = (): void => {
    if (isOpen) db.close();
    isOpen = false;
  };
  const attempt = <T>(work: () => T): T | undefined => {
    if (!isOpen) return undefined;
    try {
      return work();
    } catch (thrown) {
      if (InspectorError.is(thrown) && thrown.code === 'busy') return undefined;
      close();
      if (isDamage(thrown)) removeFile(stateFolder);
      return undefined;
    }
  };
  return {
    get: (entry) =>
      attempt(() => {
        const [mark, text = ''] = one.get(id, entry.name) ?? [];
        return mark !== undefined && mark === markOf(entry, text) ? text : undefined;
      }),
    put: (files) =>
      attempt(() => {
        const before = Date.now() - COARSE_MS;
        const kept = files.filter(
          ([{ mtimeMs }, text]) => mtimeMs < before && text.length < MOST_CHARS && findSecrets(text).length === 0,
        );
        if (kept.length === 0) return;
        db.transaction(() => {
          for (const [entry, text] of kept) insert.run(id, entry.name, markOf(entry, text), text);
        });
      }),
    retain: ({ size, has }) =>
      attempt(() => {
        if ((count.get(id)?.n ?? 0) <= size) return;
        const gone = names.all(id).filter(({ name }) => !has(name));
        db.transaction(() => {
          for (const { name } of gone) remove.run(id, name);
        });
      }),
    close,
  };
}

/** Of a file and of what was kept of it: a bit that the disk has turned does not pass either. */
const markOf = (entry: FileEntry, text: string): string => sha256(`${fileStamp(entry)}\0${text}`);

function openFile(stateFolder: string): SqliteDatabase {
  const db = openSqlite(privateFile(stateFolder, NAME), { readOnly: false, busyTimeoutMs: 250 });
  try {
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.pragma('foreign_keys = ON');
    db.transaction(() => {
      if (Number(db.pragma('user_version')) === FORMAT) return;
      if (db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined) throw otherFormat();
      db.exec(TABLES);
      db.pragma(`user_version = ${FORMAT}`);
    });
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function folderId(db: SqliteDatabase, folder: string, reader: string): number {
  const today = Math.floor(Date.now() / DAY_MS);
  return db.transaction(() => {
    db.prepare('DELETE FROM folders WHERE day < ?').run(today - MOST_DAYS);
    db.prepare(
      'INSERT INTO folders (folder, reader, day) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET day = excluded.day',
    ).run(folder, reader, today);
    const row = db
      .prepare<{ id: number }>('SELECT id FROM folders WHERE folder = ? AND reader = ?')
      .get(folder, reader);
    return row?.id ?? 0;
  });
}

const otherFormat = (): InspectorError =>
  new InspectorError('unreadable', `${NAME} has another format.`, { data: { sqlite: 'FORMAT' } });

const isDamage = (thrown: unknown): boolean =>
  InspectorError.is(thrown) && thrown.code === 'unreadable' && thrown.data?.['sqlite'] !== undefined;

function removeFile(stateFolder: string): void {
  const path = privateFile(stateFolder, NAME);
  for (const side of ['', '-wal', '-shm']) rmSync(path + side, { force: true });
}
