import { MemoryStore, storeId } from '@checkpoint-inspector/core';
import { expect, it, vi } from 'vitest';
import { metaOf } from './lookup.ts';

const REF = { task: 'run', id: 'cp' };

it.each([
  ['a short log', 1_000, 1],
  ['a long one', 100_000_000, 0],
])('tells the revision where the state is read for it: %s', async (_name, stateBytes, reads) => {
  const store = new MemoryStore({ id: storeId('log') });
  const { revision, ...meta } = await store.save({ ...REF, text: '{"n":1}' });
  vi.spyOn(store, 'meta').mockResolvedValue({ ...meta, stateBytes });
  const state = vi.spyOn(store, 'state');
  expect((await metaOf(store, REF)).revision).toBe(reads === 0 ? undefined : revision);
  expect(state).toHaveBeenCalledTimes(reads);
});
