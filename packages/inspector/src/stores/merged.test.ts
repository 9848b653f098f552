import { everyPage, MemoryStore, storeId } from '@checkpoint-inspector/core';
import type { CheckpointSource, Task, TaskPage } from '@checkpoint-inspector/core';
import { afterEach, expect, it, vi } from 'vitest';
import { createStoreService } from './service.ts';
import type { StoresEvent } from './types.ts';

afterEach(() => void vi.useRealTimers());

const COUNT = 2_000;
const A = storeId('a');

/** The n-th newest; every hundredth has failed. */
const taskAt = (n: number, store = A): Task => ({
  store,
  id: `t${String(n).padStart(5, '0')}`,
  title: `t${n}`,
  system: 'native',
  checkpointCount: 1,
  unreadable: 0,
  status: n % 100 === 99 ? 'failed' : 'completed',
  updatedAt: new Date(Date.UTC(2026, 0, 1) - n * 1000).toISOString(),
});

/** A source that gives its pages when it is told to. */
function slowSource(tasks: Task[], { id = A, open = 1 } = {}) {
  const source: CheckpointSource = new MemoryStore({ id });
  let [left, calls] = [open, 0];
  const waiting: (() => void)[] = [];
  source.tasks = async ({ limit = 100, cursor = '0', text } = {}): Promise<TaskPage> => {
    calls++;
    if (left-- <= 0) await new Promise<void>((resolve) => void waiting.push(resolve));
    const found = tasks.filter((task) => text === undefined || task.id.includes(text));
    const end = Number(cursor) + limit;
    const items = found.slice(Number(cursor), end);
    return { items, of: found.length, ...(end < found.length ? { cursor: String(end) } : {}) };
  };
  const give = (pages: number): void => {
    left = waiting.length > 0 ? pages - 1 : pages;
    waiting.shift()?.();
  };
  return { source, give, calls: () => calls };
}

function serviceOf(...sources: CheckpointSource[]) {
  const stores = createStoreService({ registry: { open: async () => [] } });
  for (const source of sources) stores.add(source);
  return stores;
}

it('answers with the newest tasks of a long list, says how far it is read, and then has the failed ones first', async () => {
  const { source, give } = slowSource(Array.from({ length: COUNT }, (_, n) => taskAt(n)));
  const stores = serviceOf(source);
  const first = await stores.tasks({ limit: 1000 });
  expect(first.items).toHaveLength(250);
  expect(first.items.slice(0, 3).map(({ id }) => id)).toEqual(['t00099', 't00199', 't00000']);
  expect(first.reading).toEqual([{ store: 'a', n: 250, of: COUNT }]);
  expect(await stores.tasks({ status: 'failed', limit: 1 })).toMatchObject({ reading: [{ n: 250 }] });
  give(Infinity);
  const whole = await stores.tasks({ limit: 1000, whole: true });
  expect(whole.reading).toBeUndefined();
  expect(whole.items).toHaveLength(1000);
  expect(whole.items.filter(({ status }) => status === 'failed')).toHaveLength(COUNT / 100);
  expect(whole.items[19]?.id).toBe('t01999');
});

it('lists a folder by the part of it that is read, says how large that is, and then all of it', async () => {
  const [tasks, all] = [[taskAt(0)], [taskAt(0), taskAt(99)]];
  const source: CheckpointSource = new MemoryStore({ id: A });
  const { info } = source;
  let indexed = { n: 1, of: 2 };
  let rest = (): void => undefined;
  const whole = new Promise<void>((resolve) => (rest = resolve));
  Object.defineProperty(source, 'info', { get: () => ({ ...info, indexed }) });
  source.tasks = async ({ partial = false } = {}): Promise<TaskPage> => {
    if (partial && indexed.n < 2) return { items: tasks, partial: indexed };
    await whole;
    return { items: all };
  };
  const stores = serviceOf(source);
  expect(await stores.tasks()).toEqual({
    items: tasks,
    failures: [],
    cursor: expect.any(String),
    reading: [{ store: 'a', n: 1, files: indexed }],
  });
  const waiting = stores.tasks({ whole: true });
  indexed = { n: 2, of: 2 };
  rest();
  const { items, reading } = await waiting;
  expect(items.map(({ id }) => id)).toEqual(['t00099', 't00000']);
  expect(reading).toBeUndefined();
});

it('lists every task once, though the rest becomes known between two pages', async () => {
  const [b, c] = [storeId('b'), storeId('c')];
  const long = slowSource(Array.from({ length: COUNT }, (_, n) => taskAt(n)));
  const other = slowSource(
    Array.from({ length: 900 }, (_, n) => taskAt(n, b)),
    { id: b },
  );
  const short = slowSource([taskAt(5, c), taskAt(99, c)], { id: c, open: Infinity });
  const stores = serviceOf(long.source, other.source, short.source);
  const seen: string[] = [];
  let pages = 0;
  for await (const { items, failures } of everyPage((at) => stores.tasks(at), 70)) {
    expect(failures).toEqual([]);
    seen.push(...items.map((task) => `${task.store} ${task.id}`));
    if (++pages === 2) long.give(1);
    if (pages === 4) other.give(Infinity);
    if (pages === 6) long.give(Infinity);
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen).toHaveLength(COUNT + 900 + 2);
});

it('finds by text what is not read yet, and all of it once the list is known', async () => {
  const { source, give, calls } = slowSource(
    Array.from({ length: COUNT }, (_, n) => taskAt(n)),
    { open: 2 },
  );
  const stores = serviceOf(source);
  await stores.tasks({ limit: 1 });
  give(3);
  expect((await stores.tasks({ text: '01777' })).items.map(({ id }) => id)).toEqual(['t01777']);
  give(Infinity);
  await stores.tasks({ whole: true });
  const before = calls();
  expect((await stores.tasks({ text: '01777' })).items.map(({ id }) => id)).toEqual(['t01777']);
  expect(calls()).toBe(before);
});

it('asks a source that names no changes for no more tasks than are shown, until all of them are due again', async () => {
  const { source } = slowSource(
    Array.from({ length: COUNT }, (_, n) => taskAt(n)),
    { open: Infinity },
  );
  const { tasks } = source;
  const limits: (number | undefined)[] = [];
  source.tasks = async (query = {}) => {
    // A list that takes a while is not read again at once.
    if (limits.length === 0) await new Promise((resolve) => setTimeout(resolve, 100));
    limits.push(query.limit);
    return tasks(query);
  };
  const stores = serviceOf(source);
  await stores.tasks({ whole: true });
  limits.length = 0;
  stores.touch(A);
  expect((await stores.tasks({ limit: 40 })).items).toHaveLength(40);
  expect(limits).toEqual([40]);
});

it.each([3, COUNT])(
  'shows nothing that is gone from the first of %i tasks, though reading takes long',
  async (count) => {
    const tasks = Array.from({ length: count }, (_, n) => taskAt(n));
    const { source } = slowSource(tasks, { open: Infinity });
    const list = source.tasks.bind(source);
    source.tasks = async (query) => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      return list(query);
    };
    const stores = serviceOf(source);
    expect((await stores.tasks({ whole: true, limit: 1000 })).items).toHaveLength(Math.min(1000, count));
    tasks.splice(0, 2);
    stores.touch(A);
    const { items } = await stores.tasks({ text: 't0000' });
    expect(items.map(({ id }) => id)).toEqual(tasks.slice(0, 8).map(({ id }) => id));
  },
);

it('tells that a task far down a long list is gone, a minute later at the most, though nobody asks', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  const tasks = Array.from({ length: COUNT }, (_, n) => taskAt(n));
  const { source, calls } = slowSource(tasks, { open: Infinity });
  const list = source.tasks.bind(source);
  source.tasks = async (query) => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    return list(query);
  };
  const stores = serviceOf(source);
  const pass = async (seconds: number) => {
    for (let n = 0; n < seconds * 10; n++) {
      await vi.advanceTimersByTimeAsync(100);
      await new Promise((resume) => setImmediate(resume));
    }
  };
  const answer = async (query: { readonly whole?: true; readonly text?: string }) => {
    const asked = stores.tasks({ limit: 10, ...query });
    await pass(3);
    return (await asked).items.map(({ id }) => id);
  };
  await answer({ whole: true });
  expect(await answer({ whole: true, text: 't01500' })).toEqual(['t01500']);
  tasks.splice(1500, 1);
  stores.touch(A);
  const told: StoresEvent[] = [];
  stores.onEvent((event) => told.push(event));
  expect(await answer({ text: 't01500' })).toEqual(['t01500']);
  expect(told).toEqual([]);
  await pass(62);
  expect(told).toEqual([{ kind: 'change', store: 'a', task: 't01500' }]);
  expect(await answer({ text: 't01500' })).toEqual([]);
  // Nothing else is read until something changes or someone asks.
  await pass(62);
  const before = calls();
  await pass(120);
  expect(calls()).toBe(before);
});

it('a cursor of a list that was read again is refused', async () => {
  const stores = serviceOf(slowSource(Array.from({ length: COUNT }, (_, n) => taskAt(n))).source);
  const { cursor = '' } = await stores.tasks({ limit: 10 });
  await stores.close(A);
  stores.add(slowSource(Array.from({ length: COUNT }, (_, n) => taskAt(n))).source);
  await expect(stores.tasks({ cursor })).rejects.toMatchObject({ code: 'invalid_input' });
  for (const wrong of ['x', btoa('[0,"","",1]'), btoa('["more","{"]'), btoa('[1,"","a","b","[]"]')])
    await expect(stores.tasks({ cursor: wrong })).rejects.toMatchObject({ code: 'invalid_input' });
});
