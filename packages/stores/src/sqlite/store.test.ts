import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '@checkpoint-inspector/io';
import { openSqliteStore, SqliteStore } from './store.ts';

it('saves, evicts first in first out, and reads back byte for byte', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-store-'));
  const path = join(folder, 'a.db');
  const store = await openSqliteStore({ path, maxPerTask: 2 });
  const text = '{ "n": 12345678901234567890, "z": -0, "__proto__": {"é": 1.0} }';
  for (const id of ['a', 'b', 'c']) await store.save({ id, task: 't', text });
  const page = await store.checkpoints('t');
  expect(
    page.items.map(({ id, seq, parentId, lineage, isLatest }) => ({ id, seq, parentId, lineage, isLatest })),
  ).toEqual([
    { id: 'c', seq: 2, parentId: 'b', lineage: 'inferred', isLatest: true },
    { id: 'b', seq: 1, parentId: undefined, lineage: 'none', isLatest: false },
  ]);
  expect((await store.state({ task: 't', id: 'c' }))?.text).toBe(text);
  await store.close();
  const again = await openSqliteStore({ path, readOnly: true });
  expect((await again.state({ task: 't', id: 'b' }))?.text).toBe(text);
  await expect(again.save({ id: 'd', task: 't', text })).rejects.toMatchObject({ code: 'read_only' });
  await again.close();
  rmSync(folder, { recursive: true });
});

it('makes the folders above its file, but not to look into it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-store-'));
  const path = join(folder, 'new', 'deeper', 'a.db');
  await expect(openSqliteStore({ path, readOnly: true })).rejects.toMatchObject({ code: 'no_store' });
  const store = await openSqliteStore({ path });
  await store.save({ id: 'a', task: 't', value: 1 });
  await store.close();
  await expect(openSqliteStore({ path: join(path, 'below.db') })).rejects.toMatchObject({
    code: 'invalid_input',
    message: `The folder ${path} can't be created.`,
  });
  rmSync(folder, { recursive: true });
});

it.each([{}, { path: '' }, { path: 5 }, { path: 'a\0b' }])(
  'refuses %j: the path of a file is needed',
  async (options) => {
    const opened = openSqliteStore(options as { path: string });
    await expect(opened).rejects.toMatchObject({ code: 'invalid_input', data: { key: 'path' } });
  },
);

it('tells the whole lineage of a task, beyond one batch, and a page around any checkpoint of it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-store-'));
  const path = join(folder, 'a.db');
  const store = await openSqliteStore({ path });
  const db = openSqlite(path, { readOnly: false });
  const insert = db.prepare(
    "INSERT INTO checkpoints (task, id, text, state_hash, size_bytes, status, created_at) VALUES ('t', ?, '{}', 'h', 2, 'completed', '2026-01-01T00:00:00.000Z')",
  );
  db.transaction(() => {
    for (let n = 1; n <= 2_500; n++) insert.run(`c-${n}`);
  });
  db.close();
  const ids: string[] = [];
  for await (const { id } of store.lineage('t')) ids.push(id);
  expect(ids).toEqual(Array.from({ length: 2_500 }, (_, n) => `c-${n + 1}`));
  const page = await store.checkpoints('t', { around: { task: 't', id: 'c-100' }, limit: 4 });
  expect(page.items.map(({ id }) => id)).toEqual(['c-101', 'c-100', 'c-99', 'c-98']);
  await store.close();
  rmSync(folder, { recursive: true });
});

it('is durable at each save: WAL with synchronous FULL', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-store-'));
  const path = join(folder, 'a.db');
  const store = await openSqliteStore({ path });
  await store.save({ id: 'a', task: 't', text: '{}' });
  const db = openSqlite(path, { readOnly: true });
  expect(db.pragma('journal_mode')).toBe('wal');
  db.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

it('misses a file that was moved away, and reads the one that takes its place', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-store-'));
  const path = join(folder, 'a.db');
  const fill = async (at: string, id: string, maxPerTask: number) => {
    const store = await openSqliteStore({ path: at, maxPerTask });
    await store.save({ id, task: 't', text: '{}' });
    await store.close();
  };
  await fill(path, 'old', 3);
  await fill(join(folder, 'b.db'), 'new', 7);
  const seen = await openSqliteStore({ path, readOnly: true });
  expect((await seen.checkpoints('t')).items.map(({ id }) => id)).toEqual(['old']);

  renameSync(path, join(folder, 'away.db'));
  await expect(seen.tasks()).rejects.toMatchObject({ code: 'no_store' });
  expect(seen.info.label).toBe('a.db');
  await expect(seen.plan({ kind: 'restore', ref: { task: 't', id: 'old' } })).rejects.toMatchObject({
    code: 'no_store',
  });

  renameSync(join(folder, 'b.db'), path);
  expect((await seen.checkpoints('t')).items.map(({ id }) => id)).toEqual(['new']);
  expect(seen.info.notes).toEqual(['Keeps 7 checkpoints per task, evicting the oldest first.']);
  await seen.close();
  rmSync(folder, { recursive: true });
});

it('around the largest row a save is read again as the latest, or is too_large with nothing written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-store-'));
  const store = new SqliteStore({ path: join(folder, 'a.db') }, { maxRowBytes: 1024 });
  const outcomes = new Set<unknown>();
  let latest: string | undefined;
  for (let length = 700; length < 1024; length++) {
    const text = JSON.stringify('値'.repeat(length / 3));
    const id = `s${length}`;
    const error: unknown = await store.save({ id, task: 't', text, description: 'd' }).catch((cause: unknown) => cause);
    const isSaved = !(error instanceof Error);
    if (isSaved) latest = id;
    else expect(error).toMatchObject({ code: 'too_large' });
    outcomes.add(isSaved);
    expect((await store.latest('t')).ref?.id).toBe(latest);
    expect((await store.state({ task: 't', id }))?.text).toBe(isSaved ? text : undefined);
  }
  expect([...outcomes]).toEqual([true, false]);
  await store.close();
  rmSync(folder, { recursive: true });
});

it('still reads rows with an empty id or task that another writer left', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-store-'));
  const path = join(folder, 'a.db');
  const store = await openSqliteStore({ path });
  await store.save({ id: 'a', task: 't', text: '{"a":1}' });
  const db = openSqlite(path, { readOnly: false });
  db.exec("UPDATE checkpoints SET id = '', task = ''");
  db.close();
  const ref = { task: '', id: '' };
  expect((await store.tasks()).items).toMatchObject([{ id: '', latestId: '' }]);
  expect((await store.checkpoints('')).items).toMatchObject([{ id: '', taskId: '' }]);
  expect((await store.state(ref))?.text).toBe('{"a":1}');
  expect((await store.plan({ kind: 'fork', ref, targetTask: 'named' })).view.latestAfter).toEqual({
    task: 'named',
    id: '-fork-1',
  });
  await store.close();
  rmSync(folder, { recursive: true });
});

it('refuses a database of another program, a newer format, a misspelt option and text that is not JSON', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-store-'));
  const other = join(folder, 'other.db');
  const db = openSqlite(other, { readOnly: false, create: true });
  db.exec('CREATE TABLE users (id INTEGER)');
  db.close();
  await expect(openSqliteStore({ path: other })).rejects.toMatchObject({ code: 'invalid_input' });

  const newer = join(folder, 'newer.db');
  await (await openSqliteStore({ path: newer })).close();
  const edit = openSqlite(newer, { readOnly: false });
  edit.exec("UPDATE store_meta SET v = '3' WHERE k = 'format'");
  edit.close();
  await expect(openSqliteStore({ path: newer })).rejects.toMatchObject({ code: 'unsupported_version' });

  await expect(openSqliteStore({ path: ':memory:' })).rejects.toMatchObject({
    code: 'invalid_input',
    remedy: expect.stringContaining('MemoryStore'),
  });

  const text: object = { maxPerTask: '3' };
  await expect(openSqliteStore({ path: newer, ...text })).rejects.toThrow('whole number, not "3".');
  const misspelt = { path: newer, maxPerTsk: 3 };
  await expect(openSqliteStore(misspelt)).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining('maxPerTsk'),
  });

  const store = await openSqliteStore({ path: join(folder, 'ok.db') });
  await expect(store.save({ id: 'a', task: 't', text: '{"a":' })).rejects.toMatchObject({ code: 'invalid_input' });
  await expect(store.save({ id: 'a', task: 't', text: '"\ud800"' })).rejects.toMatchObject({ code: 'invalid_input' });
  expect((await store.tasks()).items).toEqual([]);
  await store.close();
  rmSync(folder, { recursive: true });
});
