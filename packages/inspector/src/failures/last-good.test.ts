import { MemoryStore, overlaid, storeId, type CheckpointSource } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import { createStoreService } from '../stores/service.ts';
import { createFailures } from './service.ts';

const STORE = storeId('runs');

/** The second of three checkpoints has an error beside it. */
async function failing(beside: object) {
  const runs = new MemoryStore({ id: STORE });
  for (const n of [1, 2, 3]) {
    const parent = n === 1 ? {} : { parent: { task: 'a', id: `a-${n - 1}` } };
    await runs.save({
      task: 'a',
      id: `a-${n}`,
      text: `{"n":${n}}`,
      status: n === 2 ? 'failed' : 'completed',
      ...parent,
    });
  }
  const at: CheckpointSource['beside'] = async ({ id }) =>
    id === 'a-2' ? { error: 'timeout', requests: [], refused: {}, ...beside } : undefined;
  const stores = createStoreService({ registry: { open: async () => [] } });
  stores.add(overlaid(runs, { beside: at }));
  return { stores, runs, failures: createFailures(stores, 5_000) };
}

it.each([
  ['a step that saved none', { errors: [{ text: 'timeout', node: 'fetch' }] }, 'a-2'],
  ['the step that saved this checkpoint', { errors: [{ text: 'timeout' }], own: true as const }, 'a-1'],
  ['nobody knows which step', {}, 'a-1'],
])('the last good checkpoint is known by the record, where the error is of %s', async (_who, beside, id) => {
  const { stores, runs, failures } = await failing(beside);
  const expected = { message: 'timeout', failed: { id: 'a-2' }, lastNotFailed: { store: STORE, task: 'a', id } };
  expect((await failures.errors()).items).toMatchObject([{ tasks: [expected] }]);
  // What was found before is not read again, and says the same.
  await runs.save({ task: 'a', id: 'a-4', text: '{}', parent: { task: 'a', id: 'a-3' } });
  stores.touch(STORE, 'a');
  await expect.poll(async () => (await failures.errors()).coverage.n).toBe(4);
  expect((await failures.errors()).items).toMatchObject([{ tasks: [expected] }]);
});
