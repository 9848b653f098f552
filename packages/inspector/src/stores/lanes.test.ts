import { laneTitle, MemoryStore, storeId } from '@checkpoint-inspector/core';
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
    return { count: items.filter((lane) => lane.differences.length > 0).length, complete };
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
