/** What the store writes of a state, and what it removes again. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ENGINES, openSqlite } from '@checkpoint-inspector/io';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { workload, type Step } from '../../scale/workload.ts';
import { openSqliteStore, type SqliteStore } from './store.ts';
import { change, miscounted, numberIn, rowsOf } from './testing/format-1.ts';

let folder: string;
let path: string;
let opened: SqliteStore[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nodes-'));
  path = join(folder, 'a.db');
  opened = [];
});
afterEach(async () => {
  for (const store of opened) await store.close();
  rmSync(folder, { recursive: true });
});

async function open(maxPerTask?: number): Promise<SqliteStore> {
  const store = await openSqliteStore({ path, ...(maxPerTask === undefined ? {} : { maxPerTask }) });
  opened.push(store);
  return store;
}

const nodes = (): number => numberIn(path, 'SELECT count(*) FROM nodes');
const epoch = (): number => numberIn(path, "SELECT v FROM store_meta WHERE k = 'gc_epoch'");
const message = (n: number) => ({ id: n, role: 'user', content: `${n} `.repeat(120) });
/** A conversation of so many messages, beside a memory that changes in one place. */
const state = (count: number) => ({
  memory: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`key ${n}`, n === count % 100 ? count : 'same'])),
  messages: Array.from({ length: count }, (_, n) => message(n)),
});
const textOf = async (store: SqliteStore, id: string) => (await store.state({ task: 't', id }))?.text;

/** Rows that each of the saves wrote. */
async function written(store: SqliteStore, saves: number, immutable: boolean): Promise<number[]> {
  const counts: number[] = [];
  await store.save({ task: 't', id: 'c0', value: {} });
  const db = openSqlite(path, { readOnly: true });
  const count = db.prepare<{ n: number }>('SELECT count(*) AS n FROM nodes');
  const nodesNow = (): number => count.get()?.n ?? 0;
  let messages: readonly object[] = [];
  const { memory } = state(0);
  for (let n = 1; n <= saves; n++) {
    const before = nodesNow();
    messages = [...messages, message(n)];
    await store.save({ task: 't', id: `c${n}`, value: { memory, messages } }, { immutable });
    counts.push(nodesNow() - before);
  }
  db.close();
  return counts;
}

describe('a save', () => {
  it.each([false, true])(
    'writes as few rows the 1,000th time as the 10th (immutable: %s)',
    async (immutable) => {
      const counts = await written(await open(), 1_000, immutable);
      const most = (from: number, to: number) => Math.max(...counts.slice(from, to));
      expect(most(990, 1_000)).toBeLessThanOrEqual(most(5, 30) + 3);
      expect(most(1, 1_000)).toBeLessThan(14);
    },
    60_000,
  );

  it('of the same state, as a text or as a value, writes no node', async () => {
    const store = await open();
    await store.save({ task: 't', id: 'a', value: state(50) });
    const before = nodes();
    await store.save({ task: 't', id: 'b', value: state(50) });
    await store.save({ task: 't', id: 'c', text: JSON.stringify(state(50)) });
    expect(nodes()).toBe(before);
    expect(numberIn(path, 'SELECT count(*) FROM texts')).toBe(0);
    expect([await textOf(store, 'b'), await textOf(store, 'c')]).toEqual(
      Array.from({ length: 2 }, () => JSON.stringify(state(50))),
    );
  });

  it('after a restart compares with what is stored', async () => {
    const first = await open();
    await first.save({ task: 't', id: 'a', value: state(400) });
    const before = nodes();
    await (await open()).save({ task: 't', id: 'b', value: state(401) });
    expect(nodes() - before).toBeLessThan(14);
  });

  it('compares with the parent that it names, whatever was saved last', async () => {
    const store = await open();
    await store.save({ task: 't', id: 'a', value: state(400) });
    await store.save({ task: 't', id: 'b', value: { nothing: 'in common' } });
    const before = nodes();
    await store.save({ task: 'u', id: 'c', value: state(401), parent: { task: 't', id: 'a' } });
    expect(nodes() - before).toBeLessThan(14);
  });

  it('has another revision for another content, and tells no sha256 of a value', async () => {
    const store = await open();
    const saved = [{ value: { n: 1 } }, { value: { n: 2 } }, { value: { n: 1 } }, { text: '{"n":1}' }];
    const revisions: (string | undefined)[] = [];
    for (const [at, content] of saved.entries())
      revisions.push((await store.save({ task: 't', id: `c${at}`, ...content })).revision);
    expect(revisions[0]).toBe(revisions[2]);
    expect(new Set(revisions).size).toBe(3);
    expect(await store.state({ task: 't', id: 'c0' })).toEqual({ text: '{"n":1}', revision: revisions[0] });
    expect((await store.state({ task: 't', id: 'c3' }))?.sha256).toBe(revisions[3]);
  });

  it('of what JSON cannot hold is refused, and nothing is written', async () => {
    const store = await open();
    const loop: unknown[] = [];
    loop.push(loop);
    for (const value of [undefined, Number.NaN, loop, () => 1])
      await expect(store.save({ task: 't', id: 'a', value })).rejects.toMatchObject({ code: 'invalid_input' });
    expect(nodes()).toBe(0);
    expect((await store.tasks()).items).toEqual([]);
  });

  it('beside a damaged state is done, and the others are read', async () => {
    await (await open()).save({ task: 't', id: 'a', value: state(100) });
    change(path, 'DELETE FROM nodes WHERE id = 3');
    const store = await open();
    await store.save({ task: 't', id: 'b', value: state(101) });
    expect(await textOf(store, 'b')).toBe(JSON.stringify(state(101)));
    await expect(store.state({ task: 't', id: 'a' })).rejects.toMatchObject({ code: 'unreadable' });
    expect((await store.checkpoints('t')).items.map(({ id }) => id)).toEqual(['b', 'a']);
    expect(await store.remove({ task: 't', id: 'a' })).toBe(true);
  });
});

describe('the counts of a task', () => {
  it('are those of its rows, whatever changes them', async () => {
    const store = await open(30);
    const times = ['2026-01-03T00:00:00Z', '2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
    for (let n = 0; n < 40; n++)
      await store.save({ task: `t${n % 2}`, id: `c${n % 37}`, value: n, createdAt: times[n % 3] ?? '' });
    expect(miscounted(path)).toEqual([]);
    const { ENGINES } = await import('@checkpoint-inspector/io');
    const ref = { task: 't0', id: 'c4' };
    for (const request of [
      { kind: 'edit', ref, text: '{"edited": true}' },
      { kind: 'fork', ref, targetTask: 'new' },
      { kind: 'delete', refs: [ref] },
    ] as const) {
      const { job } = await store.plan(request);
      const engine = ENGINES.get(job.engine);
      const { images } = await engine.apply(job, { tag: 'x', prepared: () => undefined });
      expect(miscounted(path)).toEqual([]);
      await engine.apply(await engine.undo(job.place, images), { tag: 'y', prepared: () => undefined });
      expect(miscounted(path)).toEqual([]);
    }
    change(path, "UPDATE checkpoints SET task = 'moved', created_at = '2026-02-01T00:00:00Z' WHERE id = 'c6'");
    change(path, "DELETE FROM checkpoints WHERE task = 't1'");
    expect(miscounted(path)).toEqual([]);
    expect((await store.tasks()).items.map(({ id, checkpointCount }) => [id, checkpointCount])).toEqual([
      ['moved', 1],
      ['t0', (await store.checkpoints('t0')).items.length],
    ]);
  });

  it('leave the triggers of others to be refused', async () => {
    const store = await open();
    await store.save({ task: 't', id: 'a', value: 1 });
    change(
      path,
      'CREATE TABLE log (n); CREATE TRIGGER noise AFTER INSERT ON checkpoints BEGIN INSERT INTO log VALUES (1); END',
    );
    const { ENGINES } = await import('@checkpoint-inspector/io');
    const { job } = await store.plan({ kind: 'restore', ref: { task: 't', id: 'a' } });
    const applied = ENGINES.get(job.engine).apply(job, { tag: 'x', prepared: () => undefined });
    await expect(applied).rejects.toMatchObject({ code: 'unsupported' });
  });

  it('tell the place of any row, near the newest or far from it', async () => {
    const store = await open();
    await store.save({ task: 't', id: 'first', value: 1 });
    change(
      path,
      `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 5000)
       INSERT INTO checkpoints (task, id, root, state_hash, size_bytes, created_at)
       SELECT 't', 'c' || n, 1, 'h', 1, '2026-01-01T00:00:00.000Z' FROM n`,
    );
    const places: (number | undefined)[] = [];
    for (const id of ['first', 'c1', 'c2999', 'c3000', 'c3001', 'c5000'])
      places.push((await store.meta({ task: 't', id }))?.seq);
    expect(places).toEqual([1, 2, 3_000, 3_001, 3_002, 5_001]);
    expect((await store.save({ task: 't', id: 'last', value: 1 })).seq).toBe(5_002);
  });
});

it('a deletion of many is made in parts, and undone with every text, count and parent', async () => {
  const store = await open();
  for (let n = 0; n < 150; n++) {
    const parent = n === 0 ? {} : { parent: { task: 't', id: `c${n - 1}` } };
    await store.save({ task: 't', id: `c${n}`, value: { ...state(n % 7), n }, ...parent });
  }
  const rows = () =>
    rowsOf(path, 'SELECT task, id, seq, parent_id, state_hash, size_bytes FROM checkpoints ORDER BY seq');
  const before = rows();
  const refs = Array.from({ length: 140 }, (_, n) => ({ task: 't', id: `c${n}` }));
  const { job } = await store.plan({ kind: 'delete', refs });
  expect(job.steps).toMatchObject({ slices: ['writes'] });
  const engine = ENGINES.get('sqlite');
  const { images } = await engine.apply(job, { tag: 'a', prepared: () => undefined });
  expect(rows()).toHaveLength(10);
  expect(miscounted(path)).toEqual([]);
  await engine.apply(await engine.undo(job.place, images), { tag: 'b', prepared: () => undefined });
  expect([rows(), miscounted(path)]).toEqual([before, []]);
  for (const n of [0, 77, 139]) expect(await textOf(store, `c${n}`)).toBe(JSON.stringify({ ...state(n % 7), n }));
});

describe('a collection', () => {
  it('removes what only the removed checkpoints had, and leaves every other state', async () => {
    const store = await open();
    for (let n = 1; n <= 20; n++) await store.save({ task: 't', id: `c${n}`, value: { ...state(n * 10), n } });
    await store.save({ task: 't', id: 'spaced', text: '{ "a": 1 }' });
    for (let n = 1; n <= 19; n++) await store.remove({ task: 't', id: `c${n}` });
    await store.remove({ task: 't', id: 'spaced' });
    expect(await textOf(store, 'c20')).toBe(JSON.stringify({ ...state(200), n: 20 }));
    expect(numberIn(path, 'SELECT count(*) FROM texts')).toBe(0);
    const left = nodes();
    rmSync(path);
    const fresh = await open();
    await fresh.save({ task: 't', id: 'c20', value: { ...state(200), n: 20 } });
    expect(left).toBe(nodes());
  });

  it('leaves of a long run the bytes of a store that only ever had what is left', async () => {
    const steps = [...workload(1, 400)];
    const kept = steps.slice(-150);
    const save = async (store: SqliteStore, some: readonly Step[]) => {
      for (const { id, parent, state: value } of some)
        await store.save(
          { task: 't', id, value, ...(parent === undefined ? {} : { parent: { task: 't', id: parent } }) },
          { immutable: true },
        );
    };
    const bytes = (): number => {
      change(path, 'VACUUM');
      return numberIn(path, 'SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()');
    };
    await save(await open(), steps.slice(0, -1));
    const store = await open(kept.length);
    await save(store, steps.slice(-1));
    expect(numberIn(path, 'SELECT count(*) FROM checkpoints')).toBe(kept.length);
    for (const { id, state: value } of kept) expect((await textOf(store, id)) === JSON.stringify(value)).toBe(true);
    const left = nodes();
    const leftBytes = bytes();
    for (const one of opened.splice(0)) await one.close();
    rmSync(path);
    await save(await open(), kept);
    // So many that they are told apart in several statements.
    expect(left).toBeGreaterThan(1_000);
    expect(left / nodes()).toBeLessThan(1.1);
    expect(leftBytes / bytes()).toBeLessThan(1.1);
  }, 60_000);

  it('comes with evictions, so that a full task does not grow for ever', async () => {
    const store = await open(3);
    for (let n = 1; n <= 130; n++) await store.save({ task: 't', id: `c${n}`, value: { n, text: `${n}`.repeat(200) } });
    expect(epoch()).toBe(2);
    expect(nodes()).toBeLessThan(60);
  });

  it('comes with replacements, where an agent always saves the same id', async () => {
    const store = await open();
    for (let n = 1; n <= 130; n++) await store.save({ task: 't', id: 'c', value: { n, text: `${n}`.repeat(200) } });
    expect(epoch()).toBe(2);
    expect(nodes()).toBeLessThan(60);
  });

  it('makes another writer forget what it knows of the nodes that went', async () => {
    const one = await open();
    const two = await open();
    await one.save({ task: 't', id: 'old', value: state(200) });
    await two.save({ task: 'u', id: 'other', value: [1] });
    // Only the first writer still knows the state in memory.
    await two.remove({ task: 't', id: 'old' });
    expect(nodes()).toBe(1);
    await two.save({ task: 'u', id: 'takes their ids', value: state(90) });
    await one.save({ task: 't', id: 'new', value: state(201) });
    expect(await textOf(one, 'new')).toBe(JSON.stringify(state(201)));
    expect((await two.state({ task: 'u', id: 'takes their ids' }))?.text).toBe(JSON.stringify(state(90)));
  });

  it('makes a reader forget the texts of the nodes that went', async () => {
    const one = await open();
    const reader = await openSqliteStore({ path, readOnly: true });
    opened.push(reader);
    const told = async (id: string) => (await reader.state({ task: 't', id }))?.text;
    await one.save({ task: 't', id: 'a', value: state(90) });
    expect(await told('a')).toBe(JSON.stringify(state(90)));
    await one.remove({ task: 't', id: 'a' });
    // It gets the same ids.
    const other = { ...state(90), messages: state(90).messages.toReversed() };
    await one.save({ task: 't', id: 'b', value: other });
    expect(await told('b')).toBe(JSON.stringify(other));
    change(path, "UPDATE nodes SET hash = x'00' WHERE id = (SELECT max(id) - 1 FROM nodes)");
    expect(await told('b')).toBe(JSON.stringify(other));
  });

  it('leaves the copies that a plan made, which have no nodes of their own', async () => {
    const store = await open();
    await store.save({ task: 't', id: 'a', value: state(60) });
    await store.save({ task: 't', id: 'b', text: '{ "spaced": 1 }' });
    const before = nodes();
    const { ENGINES } = await import('@checkpoint-inspector/io');
    for (const id of ['a', 'b']) {
      const { job } = await store.plan({ kind: 'restore', ref: { task: 't', id } });
      await ENGINES.get(job.engine).apply(job, { tag: 'x', prepared: () => undefined });
      await store.remove({ task: 't', id });
    }
    expect(nodes()).toBe(before);
    expect(rowsOf(path, 'SELECT id, whole FROM checkpoints ORDER BY seq')).toEqual([
      { id: 'a-restored-1', whole: null },
      { id: 'b-restored-1', whole: 1 },
    ]);
    expect(await textOf(store, 'a-restored-1')).toBe(JSON.stringify(state(60)));
    expect(await textOf(store, 'b-restored-1')).toBe('{ "spaced": 1 }');
  });
});
