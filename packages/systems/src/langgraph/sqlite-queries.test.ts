import type { SqliteDatabase } from '@checkpoint-inspector/io';
import { afterEach, expect, test } from 'vitest';
import { langgraphRow, langgraphWrite } from './index.ts';
import { SqliteQueries } from './sqlite-queries.ts';
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

test('without any write the threads are those of the checkpoints', async () => {
  store = await openRows([row('b', 1)]);
  expect(new SqliteQueries(store.database).threads()).toEqual([{ id: 'b', count: 1, newest: idAt(1) }]);
});

test('the threads of the writes are searched for, one step each: the writes are never read through', async () => {
  store = await mixed();
  const { database, seen } = noting(store.database);
  const queries = new SqliteQueries(database);
  // Once for each file: rows that no thread lists.
  queries.odd();
  seen.length = 0;
  queries.threads();
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

test('a place is how many rows are as old or older, in one namespace or in several', async () => {
  store = await openRows(Array.from({ length: 30 }, (_, n) => row('t', 2 * n)));
  const queries = new SqliteQueries(store.database);
  const all = Array.from({ length: 62 }, (_, n) => idAt(n));
  const places = () => all.map((id) => queries.place('t', { ns: '', id }));
  const counted = (sql: string) => {
    const plain = store?.database.prepare<{ n: number }>(`SELECT count(*) AS n FROM checkpoints WHERE ${sql}`);
    return all.map((id) => plain?.get(id)?.n);
  };
  expect(places()).toEqual(counted('checkpoint_id <= ?'));
  for (const n of [3, 4, 40]) insert(store.database, 'checkpoints', { ...row('t', n), checkpoint_ns: 'tool:1' });
  expect(places()).toEqual(counted("(checkpoint_id, checkpoint_ns) <= (?, '')"));
});

test('children are those whose parent looks at every row find, of one checkpoint or of many', async () => {
  const child = (n: number, parent: string | Uint8Array | null, ns = '') => ({
    ...row('t', n),
    checkpoint_ns: ns,
    parent_checkpoint_id: parent,
  });
  const blob = Buffer.from(idAt(1));
  store = await openRows([
    child(1, null),
    child(2, idAt(1)),
    child(3, idAt(1)),
    child(4, blob),
    child(5, idAt(4)),
    child(6, 'none'),
    child(2, idAt(1), 'tool:1'),
    child(3, idAt(2), 'tool:1'),
  ]);
  const queries = new SqliteQueries(store.database);
  const keys = ['', 'tool:1'].flatMap((ns) => [1, 2, 4, 9].map((n) => ({ ns, id: idAt(n) })));
  const many = queries.children('t', keys);
  expect(many).toEqual([[idAt(2), idAt(3)], [], [idAt(5)], [], [idAt(2)], [idAt(3)], [], []]);
  expect(keys.map((key) => queries.children('t', [key])[0])).toEqual(many);
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
