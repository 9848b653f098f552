import { bytesRead } from '@checkpoint-inspector/config/measure';
import { storeIdFrom } from '@checkpoint-inspector/core';
import { collect } from '@checkpoint-inspector/core/testing';
import { openSqlite } from '@checkpoint-inspector/io';
import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createRegistry, foreignSystems } from '../registry.ts';
import { ctxSysSystem } from './index.ts';
import {
  DEMO,
  documentDdl,
  fixture,
  insert,
  openFixture,
  openRows,
  openSources,
  openTest,
  projectDdl,
  rowOf,
  temporaryFolder,
  toolState,
  type TestStore,
} from './test-store.ts';

const TABLE = 'p_x_checkpoints';
const folders: string[] = [];
let store: TestStore | undefined;
afterEach(async () => {
  await store?.close();
  store = undefined;
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const rows = async (...all: Parameters<typeof openRows>[2][number][]): Promise<TestStore> => {
  store = await openRows(projectDdl(TABLE), TABLE, all);
  return store;
};
const ids = async (task = 's'): Promise<string[]> =>
  ((await store?.source.checkpoints(task))?.items ?? []).map(({ id }) => id);

function newFolder(): string {
  const folder = temporaryFolder();
  folders.push(folder);
  return folder;
}

describe('opening', () => {
  test('by the file, its .ctx-sys folder or its project folder: 2 projects, 7 sessions, 40 checkpoints', async () => {
    const project = join(newFolder(), 'demo-app');
    mkdirSync(join(project, '.ctx-sys'), { recursive: true });
    copyFileSync(fixture, join(project, '.ctx-sys', 'ctx-sys.db'));
    const registry = createRegistry(foreignSystems);
    for (const path of [project, join(project, '.ctx-sys'), join(project, '.ctx-sys', 'ctx-sys.db')]) {
      const names = new Set<string>();
      const sources = await registry.open(path, {
        label: 'demo-app',
        location: path,
        nameStore: (name) => storeIdFrom(name),
      });
      const counts = await Promise.all(
        sources.map(async (source) => (await source.tasks()).items.map((task) => task.checkpointCount)),
      );
      for (const source of sources) names.add(source.info.label);
      expect([...names]).toEqual(['demo-app', 'demo-app/other-2']);
      expect(counts.map((all) => all.length)).toEqual([6, 1]);
      expect(counts.flat().reduce((sum, n) => sum + n, 0)).toBe(40);
      for (const source of sources) await source.close?.();
    }
    expect((await registry.discover(project)).map(({ match }) => match.because)).toEqual([
      '40 checkpoints in 2 projects',
    ]);
  });

  test('tables called checkpoints are told apart by columns; an unknown one is named with its columns', async () => {
    const folder = newFolder();
    const path = join(folder, 'other.db');
    const database = openSqlite(path, { readOnly: false, create: true });
    database.exec('CREATE TABLE checkpoints (id TEXT, payload BLOB)');
    database.exec('CREATE TABLE p_x_checkpoints (id TEXT)');
    database.close();
    expect(await ctxSysSystem.detect({ kind: 'path', path, is: 'file' })).toBeUndefined();
    expect(await ctxSysSystem.detect({ kind: 'path', path: folder, is: 'folder' })).toBeUndefined();
    await expect(openSources(path)).rejects.toMatchObject({ code: 'no_store' });
    const opened = createRegistry(foreignSystems).open(path, {
      label: 'x',
      location: path,
      nameStore: (name) => storeIdFrom(name),
    });
    await expect(opened).rejects.toMatchObject({ message: expect.stringContaining('checkpoints (id, payload)') });
    const langgraph = new URL('../langgraph/fixtures/js.sqlite', import.meta.url).pathname;
    expect(await ctxSysSystem.detect({ kind: 'path', path: langgraph, is: 'file' })).toBeUndefined();
  });

  test("the document's table is one source; the project becomes a label, and a tie as a tie", async () => {
    store = await openRows(documentDdl.replaceAll(/,\s*FOREIGN KEY.*\n/g, '\n'), 'checkpoints', [
      { ...rowOf('a', 1), project_id: 'p1' },
      { ...rowOf('b', 1), project_id: 'p2' },
    ]);
    expect(await ctxSysSystem.detect({ kind: 'path', path: store.path, is: 'file' })).toMatchObject({
      because: '2 checkpoints in the table checkpoints',
    });
    const { items } = await store.source.checkpoints('s');
    expect(items.map(({ id, labels }) => [id, labels])).toEqual([
      ['b', ['project p2']],
      ['a', ['project p1']],
    ]);
    expect(await store.source.latest('s')).toMatchObject({ ref: { id: 'b' }, basis: 'tie' });
  });

  test('a table without an entry in projects is named after itself; several ids of one table share it', async () => {
    store = await openTest((path) => {
      const database = openSqlite(path, { readOnly: false, create: true });
      database.exec(projectDdl('p_a_b_checkpoints') + projectDdl('p_lost_checkpoints'));
      database.exec("INSERT INTO projects VALUES ('a-b', '1', ''), ('a_b', '2', ''), (NULL, '3', '')");
      insert(database, 'p_lost_checkpoints', rowOf('x', 1));
      insert(database, 'p_a_b_checkpoints', rowOf('x', 1));
      database.close();
    });
    expect(store.sources.map(({ info }) => info.label)).toEqual(['test/a-b, a_b', 'test/lost']);
  });

  test('one session id in two projects: each project reads its own', async () => {
    store = await openFixture();
    const counts = await Promise.all(store.sources.map((source) => source.checkpoints('etl-nightly')));
    expect(counts.map(({ items }) => items.length)).toEqual([7, 3]);
  });
});

describe('reading', () => {
  test('shadow: the newest row is not the latest, and both notes say what the original shows', async () => {
    store = await openFixture();
    const latest = await store.source.latest('shadow');
    expect(latest.ref?.id).toBe('ckpt_5d0c5a6b-093c-4675-a223-c7f099a309c0');
    expect(latest.note).toContain('ckpt_45d21005-3a85-409e-888e-664a03ef47bc at step 3, is not the latest: step 6');
    expect(latest.note).toContain('lists ckpt_dbf5bd15-ac39-4fc9-862c-fc78144d5517 first');
  });

  test('shadow: a step that falls back hangs under the older save that it continued from', async () => {
    store = await openFixture();
    const lineage = await collect(store.source.lineage('shadow'));
    expect(lineage.map(({ seq, stepIndex, parent, kind }) => [seq, stepIndex, parent?.id.slice(5, 9), kind])).toEqual([
      [1, 1, undefined, 'none'],
      [2, 2, '2f09', 'inferred'],
      [3, 3, '20cc', 'inferred'],
      [4, 4, '17fa', 'inferred'],
      [5, 5, 'a65a', 'inferred'],
      [6, 6, '715d', 'inferred'],
      [7, 6, 'dbf5', 'inferred'],
      [8, 3, '20cc', 'inferred'],
      [9, 3, 'ada6', 'inferred'],
    ]);
  });

  test('a task and its checkpoints say what is stored', async () => {
    store = await openFixture();
    const { items } = await store.source.tasks({ text: 'FAILS' });
    expect(items).toEqual([
      expect.objectContaining({
        id: 'fails-first',
        status: 'failed',
        lastError: expect.any(String),
        system: 'ctx-sys',
      }),
    ]);
    const etl = (await store.source.checkpoints('etl-nightly')).items;
    expect(etl.map(({ stepIndex, status, trigger }) => [stepIndex, status, trigger])).toEqual([
      [5, 'completed', 'auto'],
      [5, 'completed', 'auto'],
      [4, 'completed', 'auto'],
      [3, 'completed', 'auto'],
      [2, 'failed', 'error'],
      [2, 'completed', 'auto'],
      [1, 'completed', 'auto'],
    ]);
    expect(etl[0]).toMatchObject({
      description: 'Execution complete',
      totalSteps: 5,
      timeBasis: 'utc',
      durationMs: 11,
    });
    expect(etl[2]).toMatchObject({ description: 'Step 4 – Schritt ✓', createdAt: '2026-11-21T13:31:05.785Z' });
    const tool = (await store.source.checkpoints('mcp-исследование')).items;
    expect(tool.map(({ status, trigger, description }) => [status, trigger, description])).toEqual([
      ['unknown', 'manual', undefined],
      ['unknown', 'manual', 'notes 3 — “quoted”'],
      ['unknown', 'manual', 'notes 1 — “quoted”'],
    ]);
  });

  test('the state is the column byte for byte, also at any depth', async () => {
    const text = ` ${toolState(1, `{"n": 1.0, "big": 12345678901234567890, "u": "\\ud800", "deep": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`)}\n`;
    const { source } = await rows(rowOf('a', 1, { state_json: text }), rowOf('b', 2));
    const read = await bytesRead(async () => {
      expect((await source.state({ task: 's', id: 'a' }))?.text).toBe(text);
      expect(Buffer.from((await source.raw?.({ task: 's', id: 'a' })) ?? []).toString()).toBe(text);
      expect((await source.checkpoints('s')).items.map(({ problem }) => problem)).toEqual([undefined, undefined]);
    });
    expect(read).toBeLessThan(10 * text.length);
  });

  test('damaged rows are in the list with reason and offset, the good ones beside them', async () => {
    const { source, database } = await rows(
      rowOf('good', 1),
      rowOf('torn', 2, { state_json: '{"ключ": "x' }),
      rowOf('nan', 3, { state_json: '{"n": NaN}' }),
    );
    insert(database, TABLE, { ...rowOf('bytes', 4), state_json: new Uint8Array([0x1f, 0x8b, 0xff]) });
    insert(database, TABLE, { ...rowOf('blob', 5), state_json: Buffer.from('{"plan": 3}') });
    insert(database, TABLE, { ...rowOf('x', 6), id: null });
    insert(database, TABLE, { ...rowOf('y', 7), session_id: new Uint8Array([1]) });
    insert(database, TABLE, { ...rowOf('word', 8), step_number: 'eight', created_at: 'yesterday' });
    const { items } = await source.checkpoints('s');
    expect(items.map(({ id, problem }) => [id, problem?.offset ?? problem?.message])).toEqual([
      ['word', undefined],
      ['rowid 6', "The column id of this row isn't text."],
      ['blob', undefined],
      ['bytes', "The state isn't valid UTF-8 text."],
      ['nan', "The state contains NaN or Infinity, which ctx-sys can't read."],
      ['torn', 15],
      ['good', undefined],
    ]);
    expect(items[0]).toMatchObject({ createdAtText: 'yesterday', timeBasis: 'none' });
    expect(items[0]?.stepIndex).toBeUndefined();
    const tasks = (await source.tasks()).items;
    expect(tasks.map(({ id, checkpointCount, unreadable }) => [id, checkpointCount, unreadable])).toEqual([
      ['session_id of type BLOB 01', 1, 1],
      ['s', 7, 4],
    ]);
  });

  test('where the top row cannot be read the next one is the latest, and the note says what ctx-sys does', async () => {
    const { source } = await rows(rowOf('good', 1), rowOf('bad', 2, { state_json: 'x' }));
    expect(await source.latest('s')).toMatchObject({
      ref: { id: 'good' },
      note: expect.stringContaining('picks bad, which cannot be read, and stops'),
    });
    store?.database.exec(`UPDATE ${TABLE} SET state_json = 'xx'`);
    expect(await source.latest('s')).toMatchObject({ basis: 'none', note: expect.any(String) });
    expect((await source.tasks()).items[0]).toMatchObject({ status: 'unknown', unreadable: 2 });
  });

  test('status of an unfinished run: running while fresh, pending later, interrupted by a manual save', async () => {
    const now = new Date().toISOString();
    const { source, database } = await rows(rowOf('old', 1), rowOf('fresh', 2, { created_at: now }));
    const status = async () => (await source.checkpoints('s')).items.map((meta) => meta.status);
    expect(await status()).toEqual(['running', 'completed']);
    database.exec(`DELETE FROM ${TABLE} WHERE id = 'fresh'`);
    expect(await status()).toEqual(['pending']);
    insert(database, TABLE, rowOf('pause', 2, { trigger_type: 'manual', created_at: '2026-01-01 00:00:09' }));
    expect(await status()).toEqual(['interrupted', 'completed']);
    expect((await source.checkpoints('s')).items[0]).toMatchObject({
      createdAt: '2026-01-01T00:00:09Z',
      createdAtText: '2026-01-01 00:00:09',
      timeBasis: 'utc',
    });
  });

  test('rows still in the write-ahead log are read, and what is committed is seen at once', async () => {
    store = await openFixture();
    const { source, path, database } = store;
    insert(database, DEMO, rowOf('live', 99, { session_id: 'shadow' }));
    expect(readFileSync(`${path}-wal`).length).toBeGreaterThan(0);
    expect((await source.latest('shadow')).ref?.id).toBe('live');
    const told = new Promise<void>((resolve) => {
      const stop = source.watch?.(() => {
        stop?.();
        resolve();
      });
    });
    await new Promise((done) => setTimeout(done, 50));
    insert(database, DEMO, rowOf('live-2', 100, { session_id: 'shadow' }));
    await told;
    expect((await source.find('live-2')).length).toBe(1);
  });

  test('a place in the list outlives its row', async () => {
    const { source, database } = await rows(rowOf('a', 1), rowOf('b', 2), rowOf('c', 3), rowOf('d', 4));
    const first = await source.checkpoints('s', { limit: 2 });
    database.exec(`DELETE FROM ${TABLE} WHERE id = 'c'`);
    const cursor = first.cursor ?? '';
    expect((await source.checkpoints('s', { cursor })).items.map(({ id }) => id)).toEqual(['b', 'a']);
    await expect(source.checkpoints('s', { around: { task: 's', id: 'c' } })).rejects.toMatchObject({
      code: 'not_found',
    });
    for (const id of ['t', 'u', 'v']) insert(database, TABLE, rowOf(id, 1, { session_id: id }));
    const tasks = await source.tasks({ limit: 2 });
    const last = tasks.items.at(-1)?.id ?? '';
    database.prepare(`DELETE FROM ${TABLE} WHERE session_id = ?`).run(last);
    const rest = (await source.tasks({ cursor: tasks.cursor ?? '' })).items.map(({ id }) => id);
    expect(rest).toEqual(['s', 't', 'u', 'v'].filter((id) => id !== last && id !== tasks.items[0]?.id));
    database.exec(`DELETE FROM ${TABLE}`);
    expect(await source.tasks({ cursor: tasks.cursor ?? '' })).toEqual({ items: [] });
  });

  test('states that are not runs are shown, and a strange trigger becomes a label', async () => {
    await rows(
      rowOf('null', 1, { state_json: 'null' }),
      rowOf('list', 2, { state_json: '[1]', trigger_type: 'odd', token_usage: 7 }),
    );
    expect(await ids()).toEqual(['list', 'null']);
    const [list] = (await store?.source.checkpoints('s'))?.items ?? [];
    expect(list).toMatchObject({ labels: ['trigger odd'], status: 'unknown', tokenUsage: 7 });
    expect(list?.trigger).toBeUndefined();
  });

  test('lineage: an error or a last save after a step back hangs under the same step, a new run under nothing', async () => {
    const done = { description: 'Execution complete' };
    const { source } = await rows(
      rowOf('a', 2),
      rowOf('b', 3),
      rowOf('error', 2, { trigger_type: 'error' }),
      rowOf('c', 3),
      rowOf('final', 2, done),
      rowOf('new', 1),
    );
    const parents = (await collect(source.lineage('s'))).map(({ id, parent }) => [id, parent?.id]);
    expect(parents).toEqual([
      ['a', undefined],
      ['b', 'a'],
      ['error', 'a'],
      ['c', 'error'],
      ['final', 'error'],
      ['new', undefined],
    ]);
  });

  test('cells of other types than ctx-sys writes are shown as they are, or not at all', async () => {
    store = await openTest((path) => {
      const database = openSqlite(path, { readOnly: false, create: true });
      database.exec(`CREATE TABLE projects (name TEXT); CREATE TABLE p_odd_checkpoints (id TEXT, session_id, step_number,
        created_at, state_json, description, trigger_type, duration_ms, token_usage)`);
      const odd = { ...rowOf('a', 1), created_at: null, description: 5, duration_ms: 1.5, trigger_type: null };
      insert(database, 'p_odd_checkpoints', { ...odd, session_id: null, state_json: null, token_usage: 2n ** 60n });
      insert(database, 'p_odd_checkpoints', { ...odd, id: 'b', session_id: 7 });
      insert(database, 'p_odd_checkpoints', { ...odd, id: 'c', session_id: 's' });
      database.close();
    });
    const tasks = (await store.source.tasks()).items;
    expect(tasks.map(({ id, updatedAt }) => [id, updatedAt])).toEqual([
      ['s', undefined],
      ['session_id of type NULL', undefined],
      ['session_id of type number', undefined],
    ]);
    const [meta] = (await store.source.checkpoints('s')).items;
    expect(meta).toMatchObject({ description: '5', durationMs: 1.5, labels: ['trigger '], timeBasis: 'none' });
    const [none] = (await store.source.checkpoints('session_id of type NULL')).items;
    expect([none?.tokenUsage, none?.sizeBytes, none?.problem?.code]).toEqual([undefined, 0, 'unreadable']);
    expect(await store.source.raw?.({ task: 'session_id of type NULL', id: 'a' })).toEqual(new Uint8Array());
  });

  test('many states: others get their turn, and an archive is told by its name', async () => {
    const big = toolState(1, JSON.stringify({ text: 'x'.repeat(3 * 1024 * 1024) }));
    const archived = 's@archived-2026-11-21T13-40-00-123Z';
    await rows(
      rowOf('a', 1, { state_json: big }),
      rowOf('b', 2, { state_json: big }),
      rowOf('c', 3, { session_id: archived }),
      rowOf('d', 3, { session_id: 's@archived-soon' }),
    );
    const kinds = ((await store?.source.tasks())?.items ?? []).map(({ id, kind }) => [id, kind]);
    expect(new Map(kinds as [string, string | undefined][])).toEqual(
      new Map([
        ['s', undefined],
        [archived, 'archived'],
        ['s@archived-soon', undefined],
      ]),
    );
  });

  test('a file that lost its table says so; a private copy cannot be changed', async () => {
    await rows(rowOf('a', 1));
    const { path, source } = store as TestStore;
    const other = join(newFolder(), 'other.db');
    writeFileSync(other, readFileSync(fixture));
    symlinkSync('nowhere', `${other}-shm`);
    const copies = await openSources(other);
    expect(copies[0]?.info.capabilities.restore).toMatch(/private copy/);
    const refused = copies[0]?.plan({ kind: 'fork', ref: { task: 'x', id: 'y' } });
    await expect(refused).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('private copy'),
    });
    for (const copy of copies) await copy.close?.();
    (store as TestStore).database.exec(`DROP TABLE ${TABLE}`);
    await expect(source.tasks()).rejects.toMatchObject({ code: 'no_store', message: expect.stringContaining(TABLE) });
    await expect(openSources(path)).rejects.toMatchObject({ code: 'no_store' });
  });
});
