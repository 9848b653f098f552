import { InspectorError, laneTitle, MemoryStore, storeId } from '@checkpoint-inspector/core';
import { expect, it, vi } from 'vitest';
import { createLanes, readLanes } from './lanes.ts';
import { createStoreService } from './service.ts';
import { createTrees } from './trees.ts';

async function setup(forks: number) {
  const memory = new MemoryStore({ id: storeId('m') });
  const save = (id: string, parent: string | undefined, value: object, costUsd: number) =>
    memory.save({
      id,
      task: 't',
      text: JSON.stringify(value),
      costUsd,
      ...(parent === undefined ? {} : { parent: { task: 't', id: parent } }),
    });
  await save('a', undefined, { prompt: 'none' }, 0.1);
  await save('b', 'a', { prompt: 'concise' }, 0.2);
  for (let at = 0; at < forks; at++) await save(`f${at}`, 'a', { prompt: `variant ${at}x` }, 0.3);
  const stores = createStoreService({ registry: { open: () => Promise.resolve([]) } });
  stores.add(memory);
  return { memory, stores, store: memory.info.id };
}

it('tells how each lane differs and what it used', async () => {
  const { memory } = await setup(2);
  const { items, complete } = await readLanes(memory, 't');
  expect(complete).toBe(true);
  expect(items.map((lane) => [lane.lane, laneTitle(lane), lane.steps, lane.costUsd])).toEqual([
    ['main', 'main', 2, '0.3'],
    ['f1', 'prompt: variant 0x', 1, '0.3'],
    ['f2', 'prompt: variant 1x', 1, '0.3'],
  ]);
  expect(items[1]).toMatchObject({ parent: 'main', from: { id: 'a' }, first: { id: 'f0' }, tip: { id: 'f0' } });
});

it('tells as much as its time allows and the rest on later calls, without reading anything twice', async () => {
  const { memory, stores, store } = await setup(12);
  const state = vi.spyOn(memory, 'state');
  const lanes = createLanes(stores, createTrees(stores), { budgetMs: 0 });
  const named = async () => {
    const { items, complete } = await lanes.list(store, 't');
    return { count: items.filter(({ differences = [] }) => differences.length > 0).length, complete };
  };
  const first = await named();
  expect(first.count).toBeLessThan(12);
  expect(first.complete).toBe(false);
  let last = first;
  for (let call = 0; call < 20 && !last.complete; call++) last = await named();
  expect(last).toEqual({ count: 12, complete: true });
  const reads = state.mock.calls.length;
  await named();
  expect(state.mock.calls.length).toBe(reads);
});

it('knows a new lane as soon as it is saved', async () => {
  const { memory, stores, store } = await setup(1);
  const lanes = createLanes(stores, createTrees(stores));
  expect((await lanes.list(store, 't')).items).toHaveLength(2);
  await memory.save({ id: 'late', task: 't', text: '{"prompt":"late"}', parent: { task: 't', id: 'a' } });
  stores.touch(store, 't');
  expect((await lanes.list(store, 't')).items.map((lane) => laneTitle(lane))).toEqual([
    'main',
    'prompt: variant 0x',
    'prompt: late',
  ]);
});

it('tells of a lane that failed why, in one line, and counts what has been compared', async () => {
  const { memory, stores, store } = await setup(1);
  const fail = (id: string, parent: string, text: string) =>
    memory.save({ id, task: 't', text, status: 'failed', parent: { task: 't', id: parent } });
  await fail('late', 'f0', '{"lastError":{"message":"API timeout after 45 s\\nat fetch"}}');
  await fail('mute', 'a', '{}');
  const lanes = createLanes(stores, createTrees(stores));
  const { items, compared, complete } = await lanes.list(store, 't');
  expect(items.map(({ lane, error }) => [lane, error])).toEqual([
    ['main', undefined],
    ['f1', 'API timeout after 45 s'],
    ['f2', undefined],
  ]);
  expect([compared, complete]).toEqual([3, true]);
});

it('answers without comparing when asked to, and reads no state for it', async () => {
  const { memory, stores, store } = await setup(40);
  const state = vi.spyOn(memory, 'state');
  const lanes = createLanes(stores, createTrees(stores));
  const first = await lanes.list(store, 't', { compare: 'none' });
  expect(state).not.toHaveBeenCalled();
  expect(first.items).toHaveLength(41);
  expect(first.items[40]).toMatchObject({ lane: 'f40', parent: 'main', steps: 1, costUsd: '0.3' });
  expect(first.items[40]).not.toHaveProperty('differences');
  // Main has nothing to be compared with.
  expect([first.compared, first.complete]).toEqual([1, false]);
});

it('compares the lanes that are named, and reads the states of no other', async () => {
  const { memory, stores, store } = await setup(40);
  const state = vi.spyOn(memory, 'state');
  const page = vi.spyOn(memory, 'checkpoints');
  const lanes = createLanes(stores, createTrees(stores));
  const { items, compared, complete } = await lanes.list(store, 't', { compare: ['f7', 'f3', 'f99'] });
  expect(items.map(({ lane, differences = [] }) => [lane, differences[0]?.value])).toEqual([
    ['f3', 'variant 2x'],
    ['f7', 'variant 6x'],
  ]);
  expect([compared, complete]).toEqual([2, true]);
  // One more: the checkpoint that both are compared with.
  expect(state.mock.calls.map(([ref]) => ref.id)).toEqual(['b', 'f2', 'f6']);
  // Nor the rows of the whole task: those around the lanes are enough.
  expect(page).toHaveBeenCalledTimes(1);
});

it('knows after a save what it had compared before, without reading it again', async () => {
  const { memory, stores, store } = await setup(12);
  const lanes = createLanes(stores, createTrees(stores));
  expect(await lanes.list(store, 't')).toMatchObject({ complete: true });
  await memory.save({ id: 'late', task: 't', text: '{"prompt":"late"}', parent: { task: 't', id: 'a' } });
  stores.touch(store, 't');
  const state = vi.spyOn(memory, 'state');
  const { items, compared } = await lanes.list(store, 't', { compare: 'none' });
  expect(items.filter(({ differences }) => differences === undefined).map(({ lane }) => lane)).toEqual(['f13']);
  expect(compared).toBe(13);
  expect(state).not.toHaveBeenCalled();
});

it('stops with the request, and tells nothing wrong of the lane at which it stopped', async () => {
  const { memory, stores, store } = await setup(12);
  const lanes = createLanes(stores, createTrees(stores));
  const request = new AbortController();
  const state = vi.spyOn(memory, 'state').mockImplementation(() => {
    request.abort();
    return Promise.reject(request.signal.reason as Error);
  });
  await expect(lanes.list(store, 't', { signal: request.signal })).rejects.toHaveProperty('name', 'AbortError');
  // Both pairs of the first lane.
  expect(state).toHaveBeenCalledTimes(3);
  state.mockRestore();
  const { items } = await lanes.list(store, 't');
  expect(items.map((lane) => laneTitle(lane))).toContain('prompt: variant 0x');
});

it('tells of lanes when a checkpoint has gone since the tree was read', async () => {
  const { memory, stores, store } = await setup(3);
  const lanes = createLanes(stores, createTrees(stores));
  const page = vi.spyOn(memory, 'checkpoints').mockRejectedValueOnce(new InspectorError('not_found', 'It is gone.'));
  const { items, complete } = await lanes.list(store, 't', { compare: ['f2', 'f3'] });
  expect(page).toHaveBeenCalledTimes(2);
  expect(items.map((lane) => laneTitle(lane))).toEqual(['prompt: variant 1x', 'prompt: variant 2x']);
  expect(complete).toBe(true);
});
