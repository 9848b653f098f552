import { MemoryStore, decodeLineage, storeId } from '@checkpoint-inspector/core';
import type { CheckpointSource, LineageColumns } from '@checkpoint-inspector/core';
import { expect, it, vi } from 'vitest';
import { createStoreService } from './service.ts';
import { createTrees } from './trees.ts';

const idsOf = (text: string): string[] => decodeLineage(JSON.parse(text) as LineageColumns).map(({ id }) => id);

async function setup(watched: boolean) {
  const memory = new MemoryStore({ id: storeId('m') });
  await memory.save({ id: 'a', task: 't', text: '{}' });
  const lineage = vi.fn((task: string) => memory.lineage(task));
  const source: CheckpointSource = {
    info: memory.info,
    tasks: (query) => memory.tasks(query),
    checkpoints: (task, query) => memory.checkpoints(task, query),
    lineage,
    state: (ref) => memory.state(ref),
    meta: (ref) => memory.meta(ref),
    latest: (task) => memory.latest(task),
    find: (id) => memory.find(id),
    ...(watched ? { watch: () => () => undefined } : {}),
  };
  const stores = createStoreService({ registry: { open: () => Promise.resolve([]) } });
  stores.add(source);
  return { memory, lineage, stores, trees: createTrees(stores), store: memory.info.id };
}

it('reads a tree once until its store changes', async () => {
  const { memory, lineage, stores, trees, store } = await setup(true);
  expect(idsOf(await trees.columns(store, 't'))).toEqual(['a']);
  await trees.columns(store, 't');
  expect(lineage).toHaveBeenCalledTimes(1);
  await memory.save({ id: 'b', task: 't', text: '{}' });
  stores.touch(store, 't');
  expect(idsOf(await trees.columns(store, 't'))).toEqual(['a', 'b']);
  expect(lineage).toHaveBeenCalledTimes(2);
});

it('reads each time where nothing would tell of a change', async () => {
  const { lineage, trees, store } = await setup(false);
  await trees.columns(store, 't');
  await trees.columns(store, 't');
  expect(lineage).toHaveBeenCalledTimes(2);
});

it('does not keep a failure', async () => {
  const { lineage, trees, store } = await setup(true);
  lineage.mockImplementationOnce(() => {
    throw new Error('busy');
  });
  await expect(trees.columns(store, 't')).rejects.toThrow('busy');
  expect(idsOf(await trees.columns(store, 't'))).toEqual(['a']);
});
