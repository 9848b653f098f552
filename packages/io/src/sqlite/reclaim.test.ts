import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cutOffChange } from '../testing/cut-off.ts';
import { diskUse, loadDriver, openSqlite, reclaimSqlite, type SqliteDatabase } from './index.ts';

let folder: string;
let path: string;
const open: SqliteDatabase[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reclaim-'));
  path = join(folder, 'agents.sqlite');
});
afterEach(() => {
  for (const database of open.splice(0)) database.close();
  rmSync(folder, { recursive: true, force: true });
});

function connect(): SqliteDatabase {
  const database = openSqlite(path, { readOnly: false, create: true, busyTimeoutMs: 50 });
  open.push(database);
  return database;
}

/** A hundred rows of 10 kB, of which every tenth is left. */
function emptied(mode: 'WAL' | 'DELETE' = 'WAL'): SqliteDatabase {
  const database = connect();
  database.pragma(`journal_mode = ${mode}`);
  database.exec('CREATE TABLE t (id TEXT, big BLOB)');
  const insert = database.prepare('INSERT INTO t VALUES (?, ?)');
  for (let at = 0; at < 100; at++) insert.run(`row ${at}`, new Uint8Array(10_000).fill(at));
  database.exec('DELETE FROM t WHERE CAST(substr(id, 5) AS INTEGER) % 10 <> 0');
  return database;
}

const rows = (database: SqliteDatabase) => database.prepare('SELECT id, big FROM t ORDER BY id').all();
const onDisk = (): number => [path, `${path}-wal`].reduce((sum, file) => sum + sizeOf(file), 0);
const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
const files = (): string => [path, `${path}-wal`].map((file) => `${sizeOf(file)}`).join(' ');

describe('reclaimSqlite', () => {
  it.each(['WAL', 'DELETE'] as const)('gives the empty pages back, and changes no row, in mode %s', async (mode) => {
    const agent = emptied(mode);
    const before = rows(agent);
    expect(before).toHaveLength(10);
    expect(diskUse(path)).toMatchObject({ bytes: onDisk() });
    expect(diskUse(path).freeBytes).toBeGreaterThan(800_000);
    const done = await reclaimSqlite(path);
    expect(done).toEqual({ before: done.before, after: onDisk(), isLogKept: false });
    expect(done.before).toBeGreaterThan(1_000_000);
    expect(done.after).toBeLessThan(200_000);
    expect(sizeOf(`${path}-wal`)).toBe(0);
    expect(diskUse(path).freeBytes).toBe(0);
    expect(rows(agent)).toEqual(before);
    expect(agent.pragma('integrity_check')).toBe('ok');
    expect(String(agent.pragma('journal_mode'))).toBe(mode.toLowerCase());
  });

  it.each(['BEGIN', 'BEGIN IMMEDIATE'])('rewrites nothing while someone is in a transaction (%s)', async (begin) => {
    emptied();
    const other = connect();
    other.exec(begin);
    const before = rows(other);
    // What an agent has saved since that reader began.
    if (begin === 'BEGIN') connect().exec("UPDATE t SET big = 'new' WHERE id = 'row 0'");
    await expect(reclaimSqlite(path, { busyTimeoutMs: 50 })).rejects.toMatchObject({ code: 'busy' });
    expect(diskUse(path).freeBytes).toBeGreaterThan(800_000);
    expect(rows(other)).toEqual(before);
    other.exec('COMMIT');
    expect((await reclaimSqlite(path, { busyTimeoutMs: 50 })).after).toBeLessThan(200_000);
  });

  it('begins nothing while someone reads a database without a log', async () => {
    emptied('DELETE');
    const other = connect();
    other.exec('BEGIN');
    rows(other);
    const before = files();
    await expect(reclaimSqlite(path, { busyTimeoutMs: 50 })).rejects.toMatchObject({ code: 'busy' });
    expect(files()).toBe(before);
  });

  it('begins nothing where the disk has no space for the copy', async () => {
    emptied();
    const before = files();
    const { pageBytes, freeBytes } = diskUse(path);
    const freeSpace = async () => pageBytes - freeBytes - 1;
    await expect(reclaimSqlite(path, { freeSpace })).rejects.toMatchObject({ code: 'disk_full' });
    expect(files()).toBe(before);
  });

  it('undoes a change that was cut off, and gives the empty pages back', async () => {
    const agent = emptied('DELETE');
    const kept = rows(agent);
    for (const database of open.splice(0)) database.close();
    cutOffChange(path, 't');
    const { before, after } = await reclaimSqlite(path);
    expect(before).toBeGreaterThan(1_000_000);
    expect(after).toBeLessThan(200_000);
    expect(rows(connect())).toEqual(kept);
  });

  it.skipIf(process.getuid?.() === 0)('refuses a file that this user may not write', async () => {
    emptied().close();
    open.splice(0);
    chmodSync(path, 0o400);
    await expect(reclaimSqlite(path)).rejects.toMatchObject({ code: 'read_only' });
  });

  it.each(['{"not": "a database"}', ''])('refuses a file that holds %j', async (text) => {
    writeFileSync(path, text);
    await expect(reclaimSqlite(path)).rejects.toMatchObject({ code: 'unsupported' });
  });

  it('leaves a database alone that needs a function of the program that made it', async () => {
    emptied();
    const Driver = loadDriver();
    const agent = new Driver(path);
    agent.function('of_the_agent', { deterministic: true }, (value) => value);
    agent.exec('CREATE INDEX i ON t (of_the_agent(id))');
    agent.close();
    await expect(reclaimSqlite(path)).rejects.toMatchObject({ code: 'unsupported' });
    expect(diskUse(path).freeBytes).toBeGreaterThan(800_000);
  });
});
