import { MemoryStore, storeId, type Task } from '@checkpoint-inspector/core';
import { expect, it, vi } from 'vitest';
import { createStoreService } from '../stores/service.ts';
import { createTaskIndex } from './task-index.ts';

it('is through with a task whose checkpoints were only counted by looking through it', async () => {
  const store = new MemoryStore({ id: storeId('log') });
  for (const id of ['a', 'b', 'c']) await store.save({ task: 'run', id, text: '{}' });
  let isWhole = false;
  const tasks = store.tasks.bind(store);
  vi.spyOn(store, 'tasks').mockImplementation(async (query) => {
    const page = await tasks(query);
    const partly = (task: Task): Task => ({ ...task, checkpointCount: 1, atLeast: true });
    return isWhole ? page : { ...page, items: page.items.map(partly) };
  });
  const stores = createStoreService({ registry: { open: async () => [] } });
  stores.add(store);
  // As it is now, and not as the list was when it was last read.
  vi.spyOn(stores, 'tasks').mockImplementation(async () => ({ ...(await store.tasks()), failures: [] }));
  let time = 0;
  const looked: number[] = [];
  const look = async (_source: unknown, task: Task): Promise<number> => {
    looked.push(task.checkpointCount);
    isWhole = true;
    time += 1_000;
    return 0;
  };
  const index = createTaskIndex(stores, look, () => time);
  await index.read({}, 10_000);
  time += 6_000;
  expect((await index.read({}, 10_000)).coverage).toEqual({ n: 3, of: 3, unreadable: 0, complete: true });
  expect(looked).toEqual([1]);
  index.close();
});

it('knows no task that none of the stores has, once all have been read', async () => {
  const store = new MemoryStore({ id: storeId('log') });
  await store.save({ task: 'report', id: 'a', text: '{}' });
  const stores = createStoreService({ registry: { open: async () => [] } });
  stores.add(store);
  const index = createTaskIndex(stores, async () => 0);
  expect((await index.read({ task: 'report' }, 10_000)).values).toHaveLength(1);
  const near = { code: 'not_found', remedy: 'Did you mean "report"?', data: { task: 'reprot', near: ['report'] } };
  await expect(index.read({ task: 'reprot' }, 10_000)).rejects.toMatchObject(near);
  await expect(index.read({ store: storeId('log'), task: 'reprot' }, 10_000)).rejects.toMatchObject(near);
  vi.spyOn(stores, 'tasks').mockRejectedValue(new Error('locked'));
  const failing = createTaskIndex(stores, async () => 0);
  expect((await failing.read({ task: 'reprot' }, 10_000)).failures).toHaveLength(1);
  for (const one of [index, failing]) one.close();
});
