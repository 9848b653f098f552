import { openSqlite, type SqliteDatabase, type SqliteStatement } from '@checkpoint-inspector/io';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { langgraphRow, langgraphWrite } from './index.ts';
import { SqliteQueries } from './sqlite-queries.ts';
import type { ThreadsFrom } from './queries.ts';
import { idAt, insert, openRows, type TestStore } from './test-store.ts';

let store: TestStore | undefined;
afterEach(async () => {
  await store?.close();
  store = undefined;
});

const row = (thread: string, n: number) =>
  langgraphRow({ thread, id: idAt(n), ts: '2026-01-01T00:00:00Z', source: 'loop', step: n, values: { n } });
const write = (thread: string, n: number, idx: number) =>
  langgraphWrite({ thread, id: idAt(n), taskId: 'a', idx, channel: 'log', value: idx });

/** Threads with both, with checkpoints alone and with writes alone; some names sort before and after all others. */
const mixed = () =>
  openRows(
    [row('b', 1), row('b', 2), row('d', 1), row('é', 3), row("o'x", 1)],
    ['', 'a', 'b', 'c', 'é', 'é\u0000', '😀', 'A'].flatMap((thread) => [
      write(thread, 4, 0),
      write(thread, 4, 1),
      write(thread, 7, 0),
    ]),
  );

/** The database with every statement noted. */
function noting(database: SqliteDatabase): { database: SqliteDatabase; seen: string[] } {
  const seen: string[] = [];
  const prepare: SqliteDatabase['prepare'] = (sql, options) => {
    seen.push(sql);
    return database.prepare(sql, options);
  };
  return { database: { ...database, prepare }, seen };
}

test('the threads are those of the checkpoints, and those that have writes alone', async () => {
  store = await mixed();
  const { database } = store;
  const distinct = `SELECT thread_id AS id, count(*) AS count, max(checkpoint_id) AS newest FROM checkpoints GROUP BY 1
    UNION ALL SELECT thread_id, 0, max(checkpoint_id) FROM writes
    WHERE thread_id NOT IN (SELECT thread_id FROM checkpoints) GROUP BY 1`;
  const threads = new SqliteQueries(database).threads();
  expect(threads).toEqual(database.prepare(distinct).all());
  expect(threads.map(({ id, count }) => [id, count])).toEqual([
    ['b', 2],
    ['d', 1],
    ["o'x", 1],
    ['é', 1],
    ['', 0],
    ['A', 0],
    ['a', 0],
    ['c', 0],
    ['é\u0000', 0],
    ['😀', 0],
  ]);
});

test('threads in parts are the same threads, whoever has only writes', async () => {
  store = await mixed();
  const many = Array.from({ length: 260 }, (_, n) => `many ${String(n)}`);
  for (const [n, thread] of many.entries()) {
    if (n % 3 > 0) insert(store.database, 'checkpoints', row(thread, n));
    if (n % 3 < 2) insert(store.database, 'writes', write(thread, n, 0));
  }
  const queries = new SqliteQueries(store.database);
  const parts = [];
  for (let from: ThreadsFrom | undefined; ;) {
    const some = queries.someThreads(from);
    parts.push(some.threads);
    from = some.next;
    if (from === undefined) break;
  }
  const byId = (threads: readonly { id: string }[]) => threads.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  expect(byId(parts.flat())).toEqual(byId(queries.threads()));
  expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(many.length);
});

test('without any write the threads are those of the checkpoints', async () => {
  store = await openRows([row('b', 1)]);
  expect(new SqliteQueries(store.database).threads()).toEqual([{ id: 'b', count: 1, newest: idAt(1) }]);
});

test('the threads of the writes are searched for, one step each: the writes are never read through', async () => {
  store = await mixed();
  const { database, seen } = noting(store.database);
  new SqliteQueries(database).threads();
  const plans = seen.flatMap(
    (sql) => store?.database.prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all() ?? [],
  );
  const ofWrites = plans.map(({ detail }) => detail).filter((detail) => /^(SCAN|SEARCH) (w|writes)\b/.test(detail));
  expect(ofWrites.length).toBeGreaterThan(0);
  expect(ofWrites.filter((detail) => detail.startsWith('SCAN'))).toEqual([]);
});

test('an id is found in every thread and subgraph, by looks into the index and no walk through all of it', async () => {
  const inner = { ...row('b', 2), checkpoint_ns: 'tool:1' };
  store = await openRows([row('', 2), row('a', 1), row('a', 2), row('b', 1), inner, row('c', 2), row('😀', 3)]);
  const { database, seen } = noting(store.database);
  const queries = new SqliteQueries(database);
  expect(queries.find(idAt(2))).toEqual([
    { thread: '', ns: '' },
    { thread: 'a', ns: '' },
    { thread: 'b', ns: 'tool:1' },
    { thread: 'c', ns: '' },
  ]);
  expect([queries.find(idAt(3)), queries.find(idAt(9))]).toEqual([[{ thread: '😀', ns: '' }], []]);
  const steps = store.database.prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${seen[0]}`).all({ id: idAt(2) });
  expect(steps.filter(({ detail }) => /SCAN (c|checkpoints)\b/.test(detail))).toEqual([]);
});

test('a place is counted from one that is remembered, and again after a commit', async () => {
  store = await openRows(Array.from({ length: 900 }, (_, n) => row('t', 2 * n)));
  const { database } = store;
  const reading = openSqlite(store.path, { readOnly: true });
  onTestFinished(() => reading.close());
  const { database: noted, seen } = noting(reading);
  const queries = new SqliteQueries({ ...noted, prepare: (sql, options) => counted(noted.prepare(sql, options), sql) });
  const runs: string[] = [];
  function counted<Row>(statement: SqliteStatement<Row>, sql: string): SqliteStatement<Row> {
    return { ...statement, get: (...values) => (runs.push(sql), statement.get(...values)) };
  }
  const plain = database.prepare<{ n: number }>('SELECT count(*) AS n FROM checkpoints WHERE checkpoint_id <= ?');
  const all = Array.from({ length: 1802 }, (_, n) => idAt(n));
  const check = (): void =>
    expect(all.map((id) => queries.place('t', { ns: '', id }))).toEqual(all.map((id) => plain.get(id)?.n));
  check();
  const walks = () => runs.filter((sql) => sql.includes('OFFSET')).length;
  expect([walks(), seen.length]).toEqual([4, 5]);
  database.prepare('DELETE FROM checkpoints WHERE checkpoint_id IN (?, ?)').run(idAt(0), idAt(600));
  check();
  expect(walks()).toBe(8);
});

test('the next newer ones are read in the order of the index', async () => {
  store = await openRows([row('t', 1), row('t', 2), row('t', 3), row('u', 4)]);
  const { database, seen } = noting(store.database);
  expect(new SqliteQueries(database).newer('t', { ns: '', id: idAt(1) }, 5).map(({ id }) => id)).toEqual([
    idAt(2),
    idAt(3),
  ]);
  const sql = seen.at(-1) ?? '';
  const steps = database.prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all('t', '', idAt(1), 5);
  expect(steps.map(({ detail }) => detail)).toEqual([expect.stringContaining('checkpoint_id>?')]);
});
