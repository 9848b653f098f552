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
