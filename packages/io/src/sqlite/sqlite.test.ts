import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InspectorError } from '@checkpoint-inspector/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cutOffChange } from '../testing/cut-off.ts';
import { loadDriver } from './driver.ts';
import { sqliteError } from './errors.ts';
import {
  followSqlite,
  openSqlite,
  lookInto,
  tableColumns,
  tableNames,
  watchSqlite,
  type SqliteDatabase,
} from './index.ts';

let folder: string;
let path: string;
const open: SqliteDatabase[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sqlite-test-'));
  path = join(folder, 'a.sqlite');
});

afterEach(() => {
  for (const database of open.splice(0)) database.close();
  rmSync(folder, { recursive: true, force: true });
});

function keep(database: SqliteDatabase): SqliteDatabase {
  open.push(database);
  return database;
}

function writer(mode: 'wal' | 'delete' = 'wal'): SqliteDatabase {
  const database = keep(openSqlite(path, { readOnly: false, create: true }));
  database.pragma(`journal_mode = ${mode}`);
  database.exec('CREATE TABLE IF NOT EXISTS t(a TEXT, b BLOB, n INTEGER)');
  return database;
}

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return InspectorError.is(error) ? error.code : `other: ${String(error)}`;
  }
  return 'no error';
}

describe('openSqlite', () => {
  test('creates a private file and keeps blobs and 64-bit integers', () => {
    const database = writer();
    const big = 9_223_372_036_854_775_807n;
    expect(database.prepare('INSERT INTO t VALUES (?, ?, ?)').run('x', new Uint8Array([0, 255]), big).changes).toBe(1);
    const row = database.prepare<{ b: Uint8Array; n: bigint }>('SELECT * FROM t', { safeIntegers: true }).get();
    expect(row?.n).toBe(big);
    expect([...(row?.b ?? [])]).toEqual([0, 255]);
    expect(database.prepare<{ n: number }>('SELECT 3 AS n').get()?.n).toBe(3);
    const arrays = database.prepare<[number, string]>("SELECT 3 AS n, 'x' AS n", { arrays: true });
    expect([arrays.get(), arrays.all()]).toEqual([[3, 'x'], [[3, 'x']]]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('names a missing file, a folder, and a file that is not a database', () => {
    writeFileSync(join(folder, 'text'), 'not a database, but long enough to look at. '.repeat(40));
    expect(codeOf(() => openSqlite(path, { readOnly: true }))).toBe('no_store');
    expect(codeOf(() => openSqlite(path, { readOnly: false }))).toBe('no_store');
    expect(codeOf(() => openSqlite(folder, { readOnly: true }))).toBe('unreadable');
    expect(codeOf(() => openSqlite(join(folder, 'text'), { readOnly: true }))).toBe('unreadable');
    expect(existsSync(path)).toBe(false);
  });

  test('a reader cannot write, and a damaged page is unreadable', () => {
    const database = writer('delete');
    database.transaction(() => {
      for (let n = 0; n < 500; n++) database.prepare('INSERT INTO t VALUES (?, ?, ?)').run('x'.repeat(100), null, n);
    });
    database.close();
    expect(codeOf(() => keep(openSqlite(path, { readOnly: true })).exec('DELETE FROM t'))).toBe('read_only');
    const bytes = readFileSync(path);
    bytes.fill(7, 8192, bytes.length);
    writeFileSync(path, bytes);
    const damaged = keep(openSqlite(path, { readOnly: true }));
    expect(codeOf(() => damaged.prepare('SELECT sum(n) FROM t').get())).toBe('unreadable');
    expect(codeOf(() => [...damaged.prepare('SELECT a FROM t').iterate()])).toBe('unreadable');
  });

  test('a rollback-journal database gets no side files', () => {
    writer('delete').close();
    const reader = keep(openSqlite(path, { readOnly: true }));
    reader.prepare('SELECT * FROM t').all();
    expect(readdirSync(folder)).toEqual(['a.sqlite']);
  });

  test('reading and closing leaves the database and its log as they were', () => {
    const agent = writer();
    agent.exec("INSERT INTO t(a) VALUES ('in the log')");
    const before = [readFileSync(path), readFileSync(`${path}-wal`)];
    const reader = openSqlite(path, { readOnly: true });
    expect(reader.prepare('SELECT a FROM t').all()).toEqual([{ a: 'in the log' }]);
    reader.close();
    expect([readFileSync(path), readFileSync(`${path}-wal`)]).toEqual(before);
  });

  test('opens a private copy, log included, where side files cannot be made', () => {
    const agent = writer();
    agent.exec("INSERT INTO t(a) VALUES ('in the log')");
    const other = join(folder, 'other');
    mkdirSync(other);
    for (const part of ['', '-wal']) writeFileSync(join(other, `b.sqlite${part}`), readFileSync(path + part));
    symlinkSync('nowhere', join(other, 'b.sqlite-shm'));
    const reader = openSqlite(join(other, 'b.sqlite'), { readOnly: true });
    expect(reader.snapshot).toMatch(/^A private copy in /);
    expect(reader.prepare('SELECT a FROM t').all()).toEqual([{ a: 'in the log' }]);
    const copy = /in (.*), because/.exec(reader.snapshot ?? '')?.[1] ?? '';
    expect(statSync(copy).mode & 0o777).toBe(0o700);
    expect(statSync(join(copy, 'copy.sqlite')).mode & 0o777).toBe(0o600);
    reader.close();
    expect(existsSync(copy)).toBe(false);
    expect(readdirSync(other)).toEqual(['b.sqlite', 'b.sqlite-shm', 'b.sqlite-wal']);
  });

  test('a change that was cut off is not seen, and is undone by the next writer alone', () => {
    const agent = writer('delete');
    agent.exec("INSERT INTO t(a) VALUES ('kept')");
    agent.close();
    cutOffChange(path, 't');
    const bytes = () => readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'base64')]);
    const before = bytes();
    const reader = keep(openSqlite(path, { readOnly: true }));
    expect(reader.snapshot).toMatch(/^A private copy in .* because a change of the original was cut off/);
    expect(reader.awaitsRollback).toBe(true);
    expect(reader.prepare('SELECT a FROM t').all()).toEqual([{ a: 'kept' }]);
    expect(bytes()).toEqual(before);
    keep(openSqlite(path, { readOnly: false }));
    expect(readdirSync(folder)).toEqual(['a.sqlite']);
    expect(keep(openSqlite(path, { readOnly: true })).snapshot).toBeUndefined();
  });

  test('a second writer is busy; a thrown error rolls back and passes unchanged', () => {
    const first = writer();
    const second = keep(openSqlite(path, { readOnly: false, busyTimeoutMs: 0 }));
    const mine = new RangeError('mine');
    expect(() =>
      first.transaction(() => {
        first.exec("INSERT INTO t(a) VALUES ('gone')");
        expect(codeOf(() => second.transaction(() => 1))).toBe('busy');
        throw mine;
      }),
    ).toThrow(mine);
    expect(first.prepare('SELECT count(*) AS n FROM t').get()).toEqual({ n: 0 });
  });
});

test('a missing driver says what to install', () => {
  const missing = (): never => {
    throw Object.assign(new Error('Cannot find module'), { code: 'MODULE_NOT_FOUND' });
  };
  expect(() => loadDriver(missing)).toThrow(
    expect.objectContaining({ code: 'unsupported', remedy: expect.stringMatching(/^Run: npm install better-sqlite3/) }),
  );
  const notBuilt = new Error('Could not locate the bindings file. Tried: …');
  expect(sqliteError(notBuilt, 'x').code).toBe('unsupported');
});

test.each(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE'])('%s is a full disk', (code) => {
  expect(sqliteError(Object.assign(new Error('full'), { code }), 'x').code).toBe('disk_full');
});

test.each(['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_IOERR_READ', 'SQLITE_CANTOPEN'])(
  '%s is of the whole database, and its remedy speaks of no other rows',
  (code) => {
    const { code: ours, remedy } = sqliteError(Object.assign(new Error('bad'), { code }), 'x');
    expect(ours).toBe('unreadable');
    expect(remedy).not.toContain('rows');
  },
);

test('lookInto says what is in a database, and nothing of other files', () => {
  const database = writer();
  expect(lookInto(path, tableNames)).toEqual(['t']);
  writeFileSync(join(folder, 'empty'), '');
  writeFileSync(join(folder, 'short'), 'SQLite');
  writeFileSync(join(folder, 'long'), '{"a": 1}'.repeat(1000));
  for (const name of ['empty', 'short', 'long']) expect(lookInto(join(folder, name), tableNames)).toBeUndefined();
  expect(codeOf(() => lookInto(join(folder, 'none'), tableNames))).toBe('no_store');
  expect(codeOf(() => lookInto(folder, tableNames))).toBe('unreadable');
  expect(tableColumns(database, 't')).toEqual(['a', 'b', 'n']);
  expect(tableColumns(database, "x'; DROP TABLE t; --")).toEqual([]);
});

test('views and virtual tables are not taken for tables', () => {
  const database = writer();
  const endless = 'WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n) SELECT a FROM n';
  database.exec(`CREATE VIEW checkpoints AS ${endless}; CREATE VIRTUAL TABLE writes USING fts5(a)`);
  expect(tableNames(database).filter((name) => !name.startsWith('writes_'))).toEqual(['t']);
  expect(tableColumns(database, 'checkpoints')).toEqual([]);
  expect(tableColumns(database, 'writes')).toEqual([]);
  expect(tableColumns(database, 'T')).toEqual(['a', 'b', 'n']);
});

test('followSqlite opens a replaced file again, and reports it when it is gone', () => {
  writer('delete').exec("INSERT INTO t(a) VALUES ('first')");
  const follow = followSqlite(path);
  const first = follow.current();
  expect(follow.current()).toBe(first);
  writeFileSync(join(folder, 'new'), readFileSync(path));
  keep(openSqlite(join(folder, 'new'), { readOnly: false })).exec("UPDATE t SET a = 'second'");
  renameSync(join(folder, 'new'), path);
  expect(follow.current().prepare('SELECT a FROM t').get()).toEqual({ a: 'second' });
  rmSync(path);
  expect(codeOf(() => follow.current())).toBe('no_store');
  follow.close();
  writer('delete').close();
  expect(() => follow.current()).toThrow('closed');
});

describe('watchSqlite', () => {
  const until = async (ready: () => boolean): Promise<void> => {
    for (let n = 0; n < 200 && !ready(); n++) await new Promise((done) => setTimeout(done, 10));
    expect(ready()).toBe(true);
  };

  test('tells of commits, of a replaced file and of a removed one; silent when nothing happens', async () => {
    const agent = writer();
    let calls = 0;
    const stop = watchSqlite(path, () => calls++, { pollMs: 10 });
    await new Promise((done) => setTimeout(done, 60));
    expect(calls).toBe(0);
    agent.exec("INSERT INTO t(a) VALUES ('x')");
    await until(() => calls === 1);
    agent.close();
    const seen = calls;
    writeFileSync(join(folder, 'new'), readFileSync(path));
    renameSync(join(folder, 'new'), path);
    await until(() => calls > seen);
    const replaced = calls;
    rmSync(path);
    await until(() => calls > replaced);
    stop();
  });

  test('follows the original where readers have a copy', async () => {
    writer().close();
    symlinkSync('nowhere', `${path}-shm`);
    let calls = 0;
    const stop = watchSqlite(path, () => calls++, { pollMs: 10 });
    writeFileSync(`${path}-wal`, 'changed');
    await until(() => calls > 0);
    stop();
  });
});
