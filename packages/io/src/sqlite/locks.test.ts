import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { locksOn } from '../testing/locks.ts';
import { hashFile } from '../engines/files/disk.ts';
import { readBounded, readHead } from '../files/index.ts';
import { lookInto, openSqlite, tableNames, type SqliteDatabase } from './index.ts';
import { removeScratch } from '../scratch.ts';
import { copyDatabase } from './snapshot.ts';

let folder: string;
let path: string;
let database: SqliteDatabase;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'locks-test-'));
  path = join(folder, 'agent.sqlite');
  const agent = openSqlite(path, { readOnly: false, create: true });
  agent.pragma('journal_mode = WAL');
  agent.exec("CREATE TABLE t(a); INSERT INTO t VALUES ('x')");
  agent.close();
  database = openSqlite(path, { readOnly: true });
  database.prepare('SELECT * FROM t').all();
});

afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

// Other systems have such locks too, and show them nowhere.
describe.skipIf(!existsSync('/proc/locks'))('an open database keeps its locks', () => {
  test('while it is looked into, opened once more and closed', () => {
    expect(locksOn(path)).toBe(1);
    expect(lookInto(path, tableNames)).toEqual(['t']);
    openSqlite(path, { readOnly: true }).close();
    expect(locksOn(path)).toBe(1);
  });

  test('while a private copy of it is made', () => {
    const copy = copyDatabase(path);
    expect(locksOn(path)).toBe(1);
    expect(lookInto(copy, tableNames)).toEqual(['t']);
    removeScratch(dirname(copy));
  });

  test('while it is read as a document under another name', async () => {
    const other = join(folder, 'ckpt_1.jsonl');
    linkSync(path, other);
    await expect(readBounded(other)).rejects.toMatchObject({ code: 'unreadable' });
    await expect(readHead(other, 16)).rejects.toMatchObject({ code: 'unreadable' });
    expect(await hashFile(other)).toMatch(/^[0-9a-f]{64}$/);
    expect(locksOn(path)).toBe(1);
  });

  test('so that its log stays when the last writer ends', () => {
    lookInto(path, tableNames);
    const save = `const db = new (require(process.argv[1]))(process.argv[2]);
      db.pragma('journal_mode = WAL'); db.exec("INSERT INTO t VALUES ('y')"); db.close();`;
    const driver = Number(process.versions.node.split('.')[0]) >= 22 ? 'better-sqlite3-napi' : 'better-sqlite3';
    execFileSync(process.execPath, ['-e', save, driver, path], { cwd: import.meta.dirname });
    expect(existsSync(`${path}-wal`)).toBe(true);
    expect(database.prepare('SELECT a FROM t').all()).toEqual([{ a: 'x' }, { a: 'y' }]);
    expect(database.pragma('integrity_check')).toBe('ok');
  });
});

test('a copy that cannot be made says why, and leaves nothing behind', () => {
  symlinkSync('nowhere', join(folder, 'agent.sqlite-journal'));
  const copies = () =>
    readdirSync(tmpdir()).filter((name) => name.startsWith(`checkpoint-inspector-copy-${process.pid}-`));
  expect(() => copyDatabase(folder)).toThrow(/private copy of .* couldn't be made/);
  expect(copies()).toEqual([]);
});
