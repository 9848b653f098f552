import { InspectorError, MemoryStore, storeId } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { createDiagnoses } from '../diagnosis/service.ts';
import { createStoreService } from '../stores/service.ts';
import { createFailures } from './service.ts';

const WAIT_MS = 5_000;
const SOUTH = [41, 42, 43, 42, 42_000, 42_000];

/** Two tasks that fail two steps after the value that is to blame; `a` failed last. */
async function twoFailed() {
  const runs = new MemoryStore({ id: storeId('runs') });
  for (const [task, day] of [
    ['b', 1],
    ['a', 2],
  ] as const) {
    for (const [n, south] of SOUTH.entries()) {
      await runs.save({
        task,
        id: `${task}-${n + 1}`,
        text: JSON.stringify({ figures: { north: 40, south, west: 41 }, done: n }),
        createdAt: `2026-01-0${day}T00:00:0${n}Z`,
        ...(n === 0 ? {} : { parent: { task, id: `${task}-${n}` } }),
        ...(n === SOUTH.length - 1 ? { status: 'failed', description: 'compile: figures.south is out of range' } : {}),
      });
    }
  }
  const stores = createStoreService({ registry: { open: async () => [] } });
  stores.add(runs);
  return stores;
}

describe('the last good checkpoints of a list of errors', () => {
  it('are those of the diagnosis, for as many tasks as are asked for', async () => {
    const stores = await twoFailed();
    const { lastGood } = await createDiagnoses({ stores }).of(storeId('runs'), { task: 'a' });
    expect(lastGood?.ref.id).toBe('a-4');
    const [group] = (await createFailures(stores, WAIT_MS).errors({ diagnose: 1 })).items;
    expect(group?.tasks).toMatchObject([
      { lastNotFailed: { id: 'a-5' }, diagnosed: { lastGood: { store: 'runs', ...lastGood?.ref } } },
      { lastNotFailed: { id: 'b-5' } },
    ]);
    expect(group?.tasks[1]).not.toHaveProperty('diagnosed');
  });

  it('are looked for only when asked for, and left out where a task cannot be diagnosed', async () => {
    const stores = await twoFailed();
    const asked: string[] = [];
    const failures = createFailures(stores, WAIT_MS, {
      of: async (_store, { task }) => {
        asked.push(task);
        throw new InspectorError('not_found', 'It was deleted.');
      },
    });
    expect((await failures.errors()).items).toMatchObject([{ count: 2 }]);
    expect(asked).toEqual([]);
    const { items } = await failures.errors({ diagnose: 9 });
    expect(asked).toEqual(['a', 'b']);
    expect(items.flatMap(({ tasks }) => tasks.filter(({ diagnosed }) => diagnosed !== undefined))).toEqual([]);
  });
});
