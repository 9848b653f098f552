/** What a folder holds, as lines that can be compared: rows of databases, bytes of other files. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite, tableNames, type SqlRow, type SqliteDatabase } from '@checkpoint-inspector/io';

/** File name, table where there is one, content. Sorted. */
export type Dump = readonly string[];

/** Folders of the run itself: journal and temporary files. */
export const STATE = '.state';
export const TMP = '.tmp';
const SIDE_FILE = /-(wal|shm|journal)$/;

export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted();
}

/** Side files of a database belong to it. */
export function withoutSideFiles(files: readonly string[]): string[] {
  return files.filter((file) => !SIDE_FILE.test(file) || !files.includes(file.replace(SIDE_FILE, '')));
}

/** From a copy: opening a database after a crash changes it. */
export function dumpOf(folder: string): Dump {
  const copy = mkdtempSync(join(tmpdir(), 'faults-dump-'));
  try {
    const own = [STATE, TMP].map((name) => join(folder, name));
    cpSync(folder, copy, { recursive: true, filter: (path) => !own.includes(path) });
    const files = withoutSideFiles(filesBelow(copy));
    return files.flatMap((file) => contentOf(copy, file, folder)).toSorted();
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function contentOf(copy: string, file: string, folder: string): string[] {
  const bytes = readFileSync(join(copy, file));
  if (!bytes.subarray(0, 15).equals(Buffer.from('SQLite format 3'))) return [`${file}: ${bytes.toString('latin1')}`];
  const db = openSqlite(join(copy, file), { readOnly: false });
  try {
    return [...tableNames(db), 'sqlite_schema', 'sqlite_sequence'].flatMap((table) => rowsIn(db, table))
      .map((row) => `${file}: ${row}`.replaceAll(folder, '<folder>'));
  } finally {
    db.close();
  }
}

function rowsIn(db: SqliteDatabase, table: string): string[] {
  if (db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ? OR ? = \'sqlite_schema\'').get(table, table) === undefined) return [];
  const columns = table === 'sqlite_schema' ? 'type, name, sql' : '*';
  const rows = db.prepare<SqlRow>(`SELECT ${columns} FROM "${table}"`).all();
  return rows.map((row) => `${table} ${JSON.stringify(row, (_, value: unknown) => textOf(value))}`);
}

function textOf(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  return typeof value === 'bigint' ? String(value) : value;
}

/** Ids, hashes and times: words with a digit, of 8 characters and more. */
const WORD = /[\w.:+-]*\d[\w.:+-]*/g;
const isLong = (word: string): boolean => word.length >= 8;

/** Makes dumps of different runs comparable: a word that the fixture lacks was made by the run. */
export function normaliser(fixture: Dump): (dump: Dump) => Dump {
  const known = new Set(fixture.flatMap((line) => line.match(WORD) ?? []).filter(isLong));
  const normal = (line: string) => line.replace(WORD, (word) => (isLong(word) && !known.has(word) ? '#' : word));
  return (dump) => dump.map(normal).toSorted();
}

export const isSame = (a: Dump, b: Dump): boolean => a.length === b.length && a.every((line, at) => line === b[at]);
