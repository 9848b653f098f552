/** What a folder holds, as lines that can be compared: rows of databases, bytes of other files. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite, readText, tableNames, type SqlRow, type SqliteDatabase } from '@checkpoint-inspector/io';

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
    const tables = tableNames(db);
    const isOurs = ['store_meta', ...INNER].every((table) => tables.includes(table));
    return [...tables, 'sqlite_schema']
      .flatMap((table) => rowsIn(db, table, isOurs))
      .map((row) => `${file}: ${row}`.replaceAll(folder, '<folder>'));
  } finally {
    db.close();
  }
}

/** Of our own stores: nodes get new numbers when a row comes back, and one counter only grows. */
const INNER = new Set(['nodes', 'texts']);
const COUNTER = /^store_meta .*"(removed|gc_epoch)"/;

function rowsIn(db: SqliteDatabase, table: string, isOurs: boolean): string[] {
  if (isOurs && INNER.has(table)) return [];
  const columns = table === 'sqlite_schema' ? 'type, name, sql' : '*';
  const rows = db.prepare<SqlRow>(`SELECT ${columns} FROM "${table}"`).all();
  const lines = rows.map((row) => {
    const { root, whole, size_bytes } = row;
    const isState = isOurs && typeof root === 'number';
    const stored = { root: Number(root), whole: whole === null ? null : Number(whole), size_bytes: Number(size_bytes) };
    const shown = isState ? { ...row, root: readText(db, stored), whole: undefined } : row;
    return `${table} ${JSON.stringify(Object.entries(shown).map(([name, value]) => [name, textOf(value)]))}`;
  });
  return lines.filter((line) => !COUNTER.test(line));
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
