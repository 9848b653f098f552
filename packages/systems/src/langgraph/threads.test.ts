import { storeId } from '@checkpoint-inspector/core';
import { openSqlite } from '@checkpoint-inspector/io';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { langgraphRow } from './index.ts';
import { SqliteQueries } from './sqlite-queries.ts';
import { idAt, insert, openRows, type TestStore } from './test-store.ts';
import { Threads } from './threads.ts';

let store: TestStore;
afterEach(() => store.close());

const THREADS = 60;

/** Ids whose times differ by milliseconds. */
const at = (n: number): string => idAt(16 * n);

const row = (thread: string, n: number) =>
  langgraphRow({ thread, id: at(n), ts: '2026-01-01T00:00:00Z', source: 'loop', step: n, values: { n } });

/** Threads with two checkpoints each, and the questions that were asked of their tables. */
async function openThreads(count = THREADS) {
  store = await openRows(
    Array.from({ length: count }, (_, n) => [row(`t${n}`, 2 * n), row(`t${n}`, 2 * n + 1)]).flat(),
  );
  const reader = openSqlite(store.path, { readOnly: true });
  onTestFinished(() => reader.close());
  const asked: string[] = [];
  const queries = new Proxy(new SqliteQueries(reader), {
    get: (target, name: keyof SqliteQueries) => {
      const answer = target[name].bind(target) as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        asked.push(name);
        return answer(...args);
      };
    },
  });
  let now = 0;
  const threads = new Threads(storeId('test'), () => now);
  const page = (query: Parameters<Threads['page']>[1]) => threads.page(queries, query);
  return {
    page,
    head: (thread: string) => threads.head(queries, thread),
    wait: (ms: number) => (now += ms),
    ids: async (limit = THREADS) =>
      (await page({ limit })).items.map(({ id, checkpointCount }) => `${id} ${checkpointCount}`),
    /** How often each question is asked while this runs. */
    countsOf: async (run: () => Promise<void>): Promise<Record<string, number>> => {
      asked.length = 0;
      await run();
      const counts: Record<string, number> = {};
      for (const name of asked) counts[name] = (counts[name] ?? 0) + 1;
      return counts;
    },
  };
}

const save = (thread: string, n: number): void => insert(store.database, 'checkpoints', row(thread, n));

it('reads for a save the thread that it touched, and nothing while nothing is committed', async () => {
  const { ids, countsOf } = await openThreads();
  await ids();
  save('t7', 500);
  const counts = await countsOf(async () => expect((await ids(10))[0]).toBe('t7 3'));
  expect(counts).toMatchObject({ threads: 1, suspects: 1, bytes: 1 });
  const still = await countsOf(async () => expect((await ids(10))[0]).toBe('t7 3'));
  for (const name of ['threads', 'suspects', 'bytes']) expect(still).not.toHaveProperty(name);
});

it('tells what was removed, though a save hides the commit that removed it', async () => {
  const { ids } = await openThreads();
  expect(await ids(3)).toEqual(['t59 2', 't58 2', 't57 2']);
  store.database.exec("DELETE FROM checkpoints WHERE thread_id = 't58'");
  store.database.prepare("DELETE FROM checkpoints WHERE thread_id = 't57' AND checkpoint_id = ?").run(at(115));
  save('t1', 500);
  // t57 now ends with 114, and is still newer than t56.
  expect(await ids(4)).toEqual(['t1 3', 't59 2', 't57 1', 't56 2']);
});

it('reads every thread again after a commit that saved nothing, and a few aged ones after others', async () => {
  const { ids, wait, countsOf, page } = await openThreads();
  await ids();
  const change = (thread: string) =>
    store.database.exec(`UPDATE checkpoints SET type = 'x' WHERE thread_id = '${thread}'`);
  change('t59');
  expect((await page({ text: 't59' })).items).toMatchObject([{ unreadable: 2 }]);
  await ids();
  change('t58');
  save('t7', 500);
  expect((await page({ text: 't58' })).items).toMatchObject([{ unreadable: 0 }]);
  wait(10_001);
  const counts = await countsOf(async () =>
    expect((await page({ limit: 20 })).items[2]).toMatchObject({ id: 't58', unreadable: 2 }),
  );
  // Five of those, and the thread of the save.
  expect(counts['suspects']).toBe(6);
});

it('tells a row that gets the row id of one that was removed', async () => {
  const { ids } = await openThreads();
  await ids();
  store.database.exec("DELETE FROM checkpoints WHERE thread_id = 't59'");
  save('new', 501);
  expect(await ids(2)).toEqual(['new 1', 't58 2']);
});

it('tells a thread that is put back in its place', async () => {
  const { ids } = await openThreads();
  store.database.exec("CREATE TABLE kept AS SELECT rowid AS r, * FROM checkpoints WHERE thread_id = 't5'");
  store.database.exec("DELETE FROM checkpoints WHERE thread_id = 't5'");
  expect(await ids()).toHaveLength(THREADS - 1);
  store.database
    .exec(`INSERT INTO checkpoints (rowid, thread_id, checkpoint_ns, checkpoint_id, type, checkpoint, metadata)
    SELECT r, thread_id, checkpoint_ns, checkpoint_id, type, checkpoint, metadata FROM kept`);
  expect(await ids()).toContain('t5 2');
});

it('tells a thread of which only writes are left, and one whose error was written', async () => {
  const { ids, page } = await openThreads();
  await ids();
  const write = { thread_id: 't3', checkpoint_ns: '', checkpoint_id: at(7), task_id: 'x', idx: -1 };
  insert(store.database, 'writes', { ...write, channel: '__error__', type: 'json', value: Buffer.from('"no disk"') });
  const t3 = async () => (await page({ limit: THREADS })).items.find(({ id }) => id === 't3');
  expect(await t3()).toMatchObject({ status: 'failed' });
  store.database.exec("DELETE FROM checkpoints WHERE thread_id = 't3'");
  expect(await t3()).toMatchObject({ checkpointCount: 0 });
});

it('shows the pages one after another while an agent saves', async () => {
  const { page } = await openThreads();
  const first = await page({ limit: 20 });
  save('t50', 502);
  const second = await page({ limit: 20, ...(first.cursor === undefined ? {} : { cursor: first.cursor }) });
  expect(second.items.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, n) => `t${39 - n}`));
});

it.each([1, 49, 50, 260])('%i threads are in order, with their number', async (count) => {
  const { page } = await openThreads(count);
  const { items, of } = await page({ limit: 1_000 });
  expect(items.map(({ id }) => id)).toEqual(Array.from({ length: count }, (_, n) => `t${count - 1 - n}`));
  expect(of).toBe(count);
});

it('finds the latest of a thread without a look into its other rows', async () => {
  const { head, countsOf } = await openThreads(3);
  const counts = await countsOf(async () => {
    expect((await head('t1')).latest.ref?.id).toBe(at(3));
    save('t1', 9);
    expect((await head('t1')).latest.ref?.id).toBe(at(9));
  });
  for (const name of ['suspects', 'otherTypes', 'bytes', 'threads']) expect(counts).not.toHaveProperty(name);
});
