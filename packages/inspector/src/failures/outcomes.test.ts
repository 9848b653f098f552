import { InspectorError, MemoryStore, storeId } from '@checkpoint-inspector/core';
import type { CheckpointSource, NewCheckpoint } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import { createStoreService } from '../stores/service.ts';
import { createFailures } from './service.ts';

const GOOD = '{"checks":[{"name":"total","passed":true}]}';
const BAD = '{"checks":[{"name":"total","passed":false,"message":"sum differs","expected":122,"actual":350}]}';
const MESSAGE = 'Check total failed: sum differs (expected 122, actual 350)';

async function opened() {
  const runs = new MemoryStore({ id: storeId('runs') });
  const save = (task: string, texts: readonly string[], last: Partial<NewCheckpoint> = {}) =>
    Promise.all(
      texts.map((text, at) =>
        runs.save({
          task,
          id: `${task}-${at + 1}`,
          text,
          status: 'completed',
          ...(at === 0 ? {} : { parent: { task, id: `${task}-${at}` } }),
          ...(at === texts.length - 1 ? last : {}),
        }),
      ),
    );
  await save('good', ['{}', BAD, GOOD]);
  await save('bad', ['{}', BAD], { createdAt: '2026-01-01T00:00:01Z', description: 'verify' });
  await save('running', ['{}', BAD], { status: 'running' });
  await save('failed', ['{}', BAD], { status: 'failed', description: 'boom' });
  return runs;
}

function over(source: CheckpointSource, waitMs = 5_000) {
  const stores = createStoreService({ registry: { open: async () => [] } });
  stores.add(source);
  return { stores, failures: createFailures(stores, waitMs) };
}

/** A store of which some members are others. */
const changed = (source: CheckpointSource, members: Partial<CheckpointSource>): CheckpointSource =>
  new Proxy(source, {
    get: (target, name) => {
      const value: unknown = Reflect.get(name in members ? members : target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

const listed = async ({ failures }: ReturnType<typeof over>) =>
  Object.fromEntries((await failures.tasks()).items.map(({ id, status, outcome }) => [id, outcome ?? status]));

it('is the outcome of a task that completed with a check that failed in its latest state, and of no other', async () => {
  const inspected = over(await opened());
  expect(await listed(inspected)).toEqual({
    good: 'completed',
    bad: 'check_failed',
    running: 'running',
    failed: 'failed',
  });
  const { items } = await inspected.failures.tasks({ status: 'check_failed' });
  expect(items).toMatchObject([{ id: 'bad', status: 'completed', outcome: 'check_failed', lastError: MESSAGE }]);
});

it('is a group of its own among errors, current, and ends the outline', async () => {
  const runs = await opened();
  await runs.save({ task: 'same', id: 'same-1', text: '{}', status: 'failed', description: MESSAGE });
  const { failures } = over(runs);
  const { items } = await failures.errors();
  expect(items.filter(({ outcome }) => outcome !== undefined)).toMatchObject([
    {
      outcome: 'check_failed',
      count: 1,
      current: 1,
      tasks: [
        { task: 'bad', current: true, failed: { id: 'bad-2' }, lastNotFailed: { id: 'bad-1' }, message: MESSAGE },
      ],
    },
  ]);
  // The same words of an error are another group.
  expect(items.filter(({ tasks }) => tasks.some(({ task }) => task === 'same'))).toMatchObject([{ count: 1 }]);
  const { items: outlines } = await failures.outlines({ store: storeId('runs'), task: 'bad' });
  expect(outlines).toMatchObject([{ error: MESSAGE, marks: ['done', 'check_failed'] }]);
  const since = await failures.errors({ since: '2026-01-02T00:00:00Z' });
  expect(since.items.map(({ outcome }) => outcome)).toEqual([undefined, undefined]);
});

it('fills filtered pages, and continues them by their cursor', async () => {
  const runs = new MemoryStore({ id: storeId('runs') });
  for (let at = 0; at < 25; at++)
    await runs.save({ task: `t${at}`, id: `c${at}`, text: at % 5 === 0 ? BAD : GOOD, status: 'completed' });
  const { failures } = over(runs);
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await failures.tasks({
      status: 'check_failed',
      limit: 2,
      ...(cursor === undefined ? {} : { cursor }),
    });
    expect(page.items.length).toBeLessThanOrEqual(2);
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.cursor;
  } while (cursor !== undefined);
  expect(ids.toSorted()).toEqual(['t0', 't10', 't15', 't20', 't5']);
  const { items } = await failures.tasks({ status: 'completed' });
  expect(items).toHaveLength(20);
});

it('follows the task: another latest checkpoint is looked at, and the same save is not read again', async () => {
  const runs = await opened();
  const read: string[] = [];
  const state: CheckpointSource['state'] = (ref, options) => (read.push(ref.id), runs.state(ref, options));
  const inspected = over(changed(runs, { state }));
  expect(await listed(inspected)).toMatchObject({ bad: 'check_failed' });
  expect(read.splice(0).toSorted()).toEqual(['bad-2', 'good-3']);
  inspected.stores.touch(storeId('runs'), 'bad');
  await listed(inspected);
  expect(read).toEqual([]);
  await runs.save({ task: 'bad', id: 'bad-3', text: GOOD, status: 'completed' });
  inspected.stores.touch(storeId('runs'), 'bad');
  await expect.poll(() => listed(inspected)).toMatchObject({ bad: 'completed' });
  await expect.poll(async () => (await listed(inspected), read)).toEqual(['bad-3']);
});

it.each([
  [
    'too large',
    async (runs: MemoryStore): Promise<Partial<CheckpointSource>> => ({
      meta: async (ref) => {
        const meta = await runs.meta(ref);
        return meta && { ...meta, sizeBytes: 5 * 1024 * 1024 };
      },
    }),
  ],
  [
    'unreadable',
    async (): Promise<Partial<CheckpointSource>> => ({
      state: async () => {
        throw new InspectorError('unreadable', 'torn');
      },
    }),
  ],
  [
    'not JSON',
    async (runs: MemoryStore): Promise<Partial<CheckpointSource>> => ({
      state: async (ref) => {
        const state = await runs.state(ref);
        return state && { ...state, text: `${state.text}{checks` };
      },
    }),
  ],
])('is unknown where the state is %s: the task stays as stored', async (_, members) => {
  const runs = await opened();
  expect(await listed(over(changed(runs, await members(runs))))).toMatchObject({ bad: 'completed' });
});

it('says that states are still to be looked at', async () => {
  const runs = await opened();
  let go = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const state: CheckpointSource['state'] = async (ref, options) => {
    await held;
    return runs.state(ref, options);
  };
  const inspected = over(changed(runs, { state }), 20);
  const early = await inspected.failures.tasks();
  expect(early.items).toHaveLength(4);
  expect(early.coverage).toMatchObject({ complete: false });
  expect((await inspected.failures.errors()).coverage.complete).toBe(false);
  go();
  await expect.poll(() => listed(inspected)).toMatchObject({ bad: 'check_failed' });
  await expect.poll(async () => (await inspected.failures.tasks()).coverage).toBeUndefined();
});
