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
/** Of a page, so many are looked at again after a commit. */
const SURE = 50;

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
  let [now, looks] = [0, 0];
  // The first reading of all threads takes long, so the next one is not due soon.
  const threads = new Threads(storeId('test'), queries, () => (now += looks++ < 3 ? 200 : 0));
  return {
    threads,
    wait: (ms: number) => (now += ms),
    ids: (limit = THREADS) =>
      threads.page({ limit }).items.map(({ id, checkpointCount }) => `${id} ${checkpointCount}`),
    /** How often each question is asked while this runs. */
    countsOf: (run: () => void): Record<string, number> => {
      asked.length = 0;
      run();
      const counts: Record<string, number> = {};
      for (const name of asked) counts[name] = (counts[name] ?? 0) + 1;
      return counts;
    },
  };
}

const save = (thread: string, n: number): void => insert(store.database, 'checkpoints', row(thread, n));

it('reads for a commit the thread that it touched, and of those shown whether they are the same', async () => {
  const { ids, countsOf } = await openThreads();
  ids();
  save('t7', 500);
  const counts = countsOf(() => expect(ids(10)[0]).toBe('t7 3'));
  expect(counts['threads']).toBeUndefined();
  expect(counts['suspects']).toBe(1);
  expect(counts['bytes']).toBe(1);
  expect(counts['thread']).toBeLessThan(15);
});

it('tells what was removed, though a save hides the commit that removed it', async () => {
  const { ids } = await openThreads();
  expect(ids(3)).toEqual(['t59 2', 't58 2', 't57 2']);
  store.database.exec("DELETE FROM checkpoints WHERE thread_id = 't58'");
  store.database.prepare("DELETE FROM checkpoints WHERE thread_id = 't57' AND checkpoint_id = ?").run(at(115));
  save('t1', 500);
  // t57 now ends with 114, and is still newer than t56.
  expect(ids(4)).toEqual(['t1 3', 't59 2', 't57 1', 't56 2']);
});

it('reads again a few of the threads that have been shown for long', async () => {
  const { ids, wait, countsOf, threads } = await openThreads();
  ids();
  store.database.exec("UPDATE checkpoints SET type = 'x' WHERE thread_id = 't59'");
  save('t7', 500);
  expect(threads.page({ text: 't59' }).items).toMatchObject([{ unreadable: 0 }]);
  wait(10_001);
  const counts = countsOf(() => expect(threads.page({ limit: 20 }).items[1]).toMatchObject({ unreadable: 2 }));
  expect(counts['threads']).toBeUndefined();
  // Five of those, and the thread of the save.
  expect(counts['suspects']).toBe(6);
});

it('tells a row that gets the row id of one that was removed', async () => {
  const { ids } = await openThreads();
  ids();
  store.database.exec("DELETE FROM checkpoints WHERE thread_id = 't59'");
  save('new', 501);
  expect(ids(2)).toEqual(['new 1', 't58 2']);
});

it('tells a thread that is put back in its place', async () => {
  const { ids } = await openThreads();
  store.database.exec("CREATE TABLE kept AS SELECT rowid AS r, * FROM checkpoints WHERE thread_id = 't5'");
  store.database.exec("DELETE FROM checkpoints WHERE thread_id = 't5'");
  expect(ids()).toHaveLength(THREADS - 1);
  store.database
    .exec(`INSERT INTO checkpoints (rowid, thread_id, checkpoint_ns, checkpoint_id, type, checkpoint, metadata)
    SELECT r, thread_id, checkpoint_ns, checkpoint_id, type, checkpoint, metadata FROM kept`);
  expect(ids()).toContain('t5 2');
});

it('tells a thread of which only writes are left, and one whose error was written', async () => {
  const { ids, threads } = await openThreads();
  ids();
  const write = { thread_id: 't3', checkpoint_ns: '', checkpoint_id: at(7), task_id: 'x', idx: -1 };
  insert(store.database, 'writes', { ...write, channel: '__error__', type: 'json', value: Buffer.from('"no disk"') });
  expect(threads.page({ text: 't3' }).items.find(({ id }) => id === 't3')).toMatchObject({ status: 'failed' });
  store.database.exec("DELETE FROM checkpoints WHERE thread_id = 't3'");
  expect(threads.page({ limit: THREADS }).items.find(({ id }) => id === 't3')).toMatchObject({ checkpointCount: 0 });
});

it('shows the pages one after another while an agent saves', async () => {
  const { threads } = await openThreads();
  const first = threads.page({ limit: 20 });
  save('t50', 502);
  const second = threads.page({ limit: 20, ...(first.cursor === undefined ? {} : { cursor: first.cursor }) });
  expect(second.items.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, n) => `t${39 - n}`));
});

it('looks at a bounded number of threads for a page, however long it is, and at all of them by turns', async () => {
  const { threads, ids, countsOf } = await openThreads(300);
  ids(300);
  save('t7', 700);
  // The first ones, others by turns, the thread of the save, and what its place in the list costs.
  expect(countsOf(() => ids(300))['thread']).toBeLessThan(2 * SURE + 5);
  store.database.exec("DELETE FROM checkpoints WHERE thread_id = 't100'");
  save('t8', 701);
  let turns = 0;
  while (threads.page({ limit: 300 }).items.some(({ id, checkpointCount }) => id === 't100' && checkpointCount > 0)) {
    save('t9', 702 + turns++);
  }
  expect(turns).toBeLessThan(300 / SURE + 1);
});

it('after a removal reads the list again, and of the threads those that are shown first', async () => {
  const { ids, countsOf } = await openThreads(300);
  ids(300);
  store.database.exec("DELETE FROM checkpoints WHERE thread_id = 't10'");
  const counts = countsOf(() => expect(ids(300)).toHaveLength(299));
  expect(counts['threads']).toBe(1);
  expect(counts['suspects']).toBeLessThanOrEqual(2 * SURE);
});

it.each([1, 249, 250, 1_300])('%i threads that are read in parts are in order', async (count) => {
  const { threads, ids } = await openThreads(count);
  await threads.prepare({ limit: 1 });
  const found = ids(1_000);
  expect(found).toEqual(Array.from({ length: Math.min(count, 1_000) }, (_, n) => `t${count - 1 - n} 2`));
});

it('a page that was prepared needs no more than a look at it', async () => {
  const { threads, countsOf } = await openThreads();
  await threads.prepare({ limit: 20 });
  const counts = countsOf(() => expect(threads.page({ limit: 20 }).items[0]?.id).toBe('t59'));
  expect([counts['threads'], counts['suspects']]).toEqual([undefined, undefined]);
});

it('takes in what is saved while the threads are read in parts', async () => {
  const { threads } = await openThreads(600);
  const prepared = threads.prepare({});
  save('t599', 2000);
  threads.head('t599');
  save('new', 2001);
  threads.head('new');
  await prepared;
  expect(threads.page({ limit: 2 }).items.map(({ id, checkpointCount }) => [id, checkpointCount])).toEqual([
    ['new', 1],
    ['t599', 3],
  ]);
});

it('names the threads that a commit touched, and those that are gone, to everyone who asks since a mark', async () => {
  const { threads, ids, countsOf } = await openThreads(300);
  ids(300);
  const { mark, tasks } = await threads.changes(undefined);
  expect(tasks).toBeUndefined();
  save('t7', 700);
  save('new', 701);
  const counts = countsOf(() => void threads.page({ limit: 10 }));
  // Another reader has taken the commit in; the mark still tells.
  const told = await threads.changes(mark);
  expect(told.tasks?.map(({ id, checkpointCount }) => [id, checkpointCount])).toEqual([
    ['t7', 3],
    ['new', 1],
  ]);
  expect([told.gone, told.mayBeMore, counts['threads']]).toEqual([[], false, undefined]);
  store.database.exec("DELETE FROM checkpoints WHERE thread_id = 't250'");
  const after = await threads.changes(told.mark);
  expect([after.tasks, after.gone, after.mayBeMore]).toEqual([[], ['t250'], true]);
  expect(await threads.changes(after.mark)).toMatchObject({ tasks: [], gone: [], mayBeMore: false });
});

it('names a thread that was changed in its place, once somebody has seen it', async () => {
  const { threads, ids, wait } = await openThreads(200);
  ids(200);
  let { mark } = await threads.changes(undefined);
  store.database.exec("UPDATE checkpoints SET type = 'x' WHERE thread_id = 't20'");
  save('t7', 700);
  const named: string[] = [];
  for (let n = 0; n < 100 && !named.includes('t20'); n++) {
    wait(10_001);
    const changes = await threads.changes(mark);
    mark = changes.mark;
    for (const { id, unreadable } of changes.tasks ?? []) if (id !== 't20' || unreadable === 2) named.push(id);
  }
  expect(named).toEqual(['t7', 't20']);
});

it('finds the latest of a thread without a look into its other rows', async () => {
  const { threads, countsOf } = await openThreads(3);
  const counts = countsOf(() => {
    expect(threads.head('t1').latest.ref?.id).toBe(at(3));
    threads.head('t1');
    save('t1', 9);
    expect(threads.head('t1').latest.ref?.id).toBe(at(9));
  });
  expect(counts).toMatchObject({ summary: 2 });
  for (const name of ['suspects', 'otherTypes', 'bytes']) expect(counts).not.toHaveProperty(name);
});
