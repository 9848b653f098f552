import type { SqliteDatabase } from '@checkpoint-inspector/io';
import { afterEach, expect, test } from 'vitest';
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
