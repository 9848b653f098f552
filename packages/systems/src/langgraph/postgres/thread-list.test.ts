import type { Page, Task } from '@checkpoint-inspector/core';
import { openPostgres, type PostgresDatabase, type PostgresReader } from '@checkpoint-inspector/io';
import { describeWithPostgres } from '@checkpoint-inspector/io/testing';
import { storeId } from '@checkpoint-inspector/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { idAt } from '../test-store.ts';
import { suspectsOf, threadFacts, threadPrints } from './sql.ts';
import { layoutOf } from './tables.ts';
import { openPostgresStore, POSTGRES_DDL, type PostgresStore } from './test-store.ts';
import { PostgresThreadList } from './thread-list.ts';

/** 40 ms apart. */
const at = (n: number): string => idAt(n * 100);

const INSERT = `INSERT INTO checkpoints SELECT $1, '', $2::text, NULL, NULL, jsonb_build_object('v', 4, 'id', $2::text, 'ts',
  '2026-01-01T00:00:00Z', 'channel_versions', '{}'::jsonb, 'versions_seen', '{}'::jsonb), '{"source":"loop","step":1,"parents":{}}'`;
/** Threads of more blocks than a table grows by at once. */
const FILL = `INSERT INTO checkpoints SELECT 'filler-' || n, '', '1e000000-0000-6000-8000-' || lpad(n::text, 12, '0'), NULL, NULL,
  jsonb_build_object('v', 4, 'pad', (SELECT string_agg(md5(i::text || n), '') FROM generate_series(1, 55) i)), '{}'
  FROM generate_series(1, 1600) n`;

describeWithPostgres('the list of threads in PostgreSQL', () => {
  let store: PostgresStore;
  let database: PostgresDatabase;
  let list: PostgresThreadList;
  let asked: string[];
  let now: number;
  beforeEach(async () => {
    store = await openPostgresStore(({ run }) => run(POSTGRES_DDL));
    database = await openPostgres(store.database.url);
    now = 1_000_000;
    list = await newList();
    for (const [thread, n] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ] as const)
      await save(thread, n);
  });
  afterEach(async () => {
    await database.close();
    await store.close();
  });

  test('reads of some threads nothing of the others', async () => {
    await store.database.run(FILL);
    await store.database.run('ANALYZE');
    const layout = await layoutOf(database, database.schema);
    if (!layout) throw new Error("The tables are LangGraph's.");
    const threads = Array.from({ length: 100 }, (_, n) => `filler-${n + 1}`);
    for (const ask of [suspectsOf, threadFacts, threadPrints]) {
      const plan: string[] = [];
      const explained: PostgresReader = {
        query: async (sql, values) => {
          plan.push(JSON.stringify(await database.query(`EXPLAIN ${sql}`, values)));
          return [];
        },
      };
      await ask(explained, layout, threads);
      expect(plan.join()).toMatch(/Index.* on checkpoints/);
      expect(plan.join()).not.toMatch(/Seq Scan on checkpoints /);
    }
  });

  async function newList(readsEnds = true, clock = () => now): Promise<PostgresThreadList> {
    const layout = await layoutOf(database, database.schema);
    if (!layout) throw new Error("The tables are LangGraph's.");
    return new PostgresThreadList({ store: storeId('s'), layout, readsEnds, clock });
  }
  const save = (thread: string, n: number) => store.database.run(INSERT, [thread, at(n)]);
  /** A page, with the statements that it took. */
  const page = (limit = 50, cursor?: string): Promise<Page<Task>> => {
    asked = [];
    const counted = (reader: PostgresReader): PostgresReader => ({
      query: (sql, values, options) => {
        asked.push(sql);
        return reader.query(sql, values, options);
      },
    });
    const query = { limit, ...(cursor === undefined ? {} : { cursor }) };
    return list.page((work) => database.snapshot((reader) => work(counted(reader))), query);
  };
  const ids = async () => (await page()).items.map(({ id, checkpointCount }) => `${id} ${checkpointCount}`);
  const wasReadWhole = () => asked.some((sql) => sql.includes('GROUP BY thread_id'));

  test('a commit costs the threads that it touched: the list is not read again, nor what is known of the others', async () => {
    expect(await ids()).toEqual(['c 1', 'b 1', 'a 1']);
    expect(wasReadWhole()).toBe(true);
    await save('a', 4);
    await save('d', 5);
    expect(await ids()).toEqual(['d 1', 'a 2', 'c 1', 'b 1']);
    expect(wasReadWhole()).toBe(false);
    const some = asked.length;
    expect(await ids()).toEqual(['d 1', 'a 2', 'c 1', 'b 1']);
    expect(asked.length).toBeLessThan(some);
    expect(asked.filter((sql) => sql.includes('versions_seen'))).toEqual([]);
  });

  test('who commits late is seen, whenever it wrote, also in a part of a transaction', async () => {
    const [early, late] = [await store.database.session(), await store.database.session()];
    await early.run('BEGIN');
    await early.run(INSERT, ['early', at(10)]);
    await ids();
    await late.run('BEGIN');
    await late.run(INSERT, ['late', at(11)]);
    await late.run('SAVEPOINT one');
    await late.run(INSERT, ['a', at(12)]);
    await save('b', 13);
    expect(await ids()).toEqual(['b 2', 'c 1', 'a 1']);
    await store.database.run(FILL);
    now += 1;
    await page(5);
    await late.run('COMMIT');
    expect((await page(3)).items.map(({ id }) => id)).toEqual(['b', 'a', 'late']);
    expect(wasReadWhole()).toBe(false);
    await early.run('ROLLBACK');
    expect((await page(3)).items.map(({ id }) => id)).toEqual(['b', 'a', 'late']);
    const other = await store.database.session();
    await other.run('BEGIN');
    await other.run(INSERT, ['early', at(14)]);
    await page(3);
    await save('b', 13.5);
    await page(3);
    await other.run('COMMIT');
    expect((await page(3)).items.map(({ id }) => id)).toEqual(['early', 'b', 'a']);
    expect(wasReadWhole()).toBe(false);
    await Promise.all([early.close(), late.close(), other.close()]);
  });

  test('what is shown is as it is now: deletions, rows written in their place, writes alone', async () => {
    await ids();
    await store.database.run("DELETE FROM checkpoints WHERE thread_id = 'c'");
    expect(await ids()).toEqual(['b 1', 'a 1']);
    const failed = "INSERT INTO checkpoint_writes VALUES ($1, '', $2, 't', -1, '__error__', 'json', $3)";
    await store.database.run(failed, ['a', at(1), Buffer.from('{"message":"no","name":"Error"}')]);
    await store.database.run(failed, ['alone', at(9), Buffer.from('{}')]);
    const { items } = await page();
    expect(items.map(({ id, status }) => `${id} ${status}`)).toEqual(['alone unknown', 'b completed', 'a failed']);
    await store.database.run('DELETE FROM checkpoint_writes');
    expect((await page()).items.map(({ id, status }) => `${id} ${status}`)).toEqual(['b completed', 'a completed']);
    await store.database.run("UPDATE checkpoints SET metadata = '[]' WHERE thread_id = 'b'");
    expect((await page()).items.map(({ unreadable }) => unreadable)).toEqual([1, 0]);
    expect(wasReadWhole()).toBe(false);
  });

  test('a row that went into free space further up is found once all is read again, or its thread is shown', async () => {
    await store.database.run(FILL);
    await store.database.run("DELETE FROM checkpoints WHERE thread_id IN ('filler-1', 'filler-2', 'filler-3')");
    await store.database.run('VACUUM checkpoints');
    expect((await page(1)).items[0]?.id).toBe('c');
    await save('new', 20);
    const first = (await page(1)).items[0]?.id;
    now += 1;
    expect((await page(1)).items[0]?.id).toBe('new');
    expect(['c', 'new']).toContain(first);
  });

  test('a table that was rewritten, and a server that reads no end alone, are read as a whole', async () => {
    await ids();
    await store.database.run('VACUUM FULL checkpoints');
    await save('d', 5);
    expect(await ids()).toEqual(['d 1', 'c 1', 'b 1', 'a 1']);
    expect(wasReadWhole()).toBe(true);
    list = await newList(false);
    await ids();
    now += 1;
    await save('e', 6);
    expect((await ids()).at(0)).toBe('e 1');
    expect(wasReadWhole()).toBe(true);
  });

  test('pages follow one another, by name too, and ids that are no times are placed by their checkpoint', async () => {
    await store.database.run(INSERT, ['odd', 'not-a-time']);
    const seen: string[] = [];
    for (let cursor: string | undefined, n = 0; n === 0 || cursor !== undefined; n++) {
      const { items, cursor: next } = await page(2, cursor);
      seen.push(...items.map(({ id }) => id));
      cursor = next;
    }
    expect(seen).toEqual(['odd', 'c', 'b', 'a'].toSorted((x, y) => seen.indexOf(x) - seen.indexOf(y)));
    expect(seen).toHaveLength(4);
    const { items } = await list.page((work) => database.snapshot(work), { limit: 5, text: 'OD' });
    expect(items.map(({ id, updatedAt }) => [id, updatedAt])).toEqual([['odd', '2026-01-01T00:00:00.000Z']]);
  });

  test('a further page is held against its rows for a part of the time, and at once where rows were added', async () => {
    list = await newList(true, () => now++);
    const second = async () => {
      const { cursor } = await page(1);
      return (await page(5, cursor)).items.map(({ id, checkpointCount }) => `${id} ${checkpointCount}`);
    };
    expect(await second()).toEqual(['b 1', 'a 1']);
    await second();
    expect(asked.filter((sql) => sql.includes('hashtext'))).toEqual([]);
    await store.database.run(INSERT, ['a', at(0)]);
    expect(await second()).toEqual(['b 1', 'a 2']);
    await store.database.run('DELETE FROM checkpoints WHERE checkpoint_id = $1', [at(0)]);
    now += 10_000;
    expect(await second()).toEqual(['b 1', 'a 1']);
  });
});
