import { emptyPlanLists } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import { PlanShelf } from './plans.ts';
import { ref } from './testing/bench.ts';
import { STORE, TASK } from './testing/stores.ts';
import type { PlannedChange } from './types.ts';

const MiB = 1024 * 1024;

function change(id: string, size = 0): PlannedChange {
  return {
    view: {
      ...emptyPlanLists(),
      id,
      expiresAt: '2100-01-01T00:00:00.000Z',
      request: { kind: 'restore', ref: ref('c1') },
      store: STORE,
      task: TASK,
      preconditions: [],
      warnings: [],
      latestBefore: { basis: 'none' },
      bytesFreed: 0,
    },
    job: {
      engine: 'files',
      place: '/nowhere',
      steps: { ops: size === 0 ? [] : [{ op: 'create', path: 'a', bytes: new Uint8Array(size) }] },
    },
  };
}

const kept = (shelf: PlanShelf, ids: readonly string[]): string[] =>
  ids.filter((id) => {
    try {
      return shelf.look(id).view.id === id;
    } catch {
      return false;
    }
  });

it('of more than a hundred plans the oldest goes', () => {
  const shelf = new PlanShelf(() => new Date('2026-01-01'));
  const ids = Array.from({ length: 101 }, (_, n) => `p${n}`);
  for (const id of ids) shelf.put(change(id));
  expect(kept(shelf, ids)).toEqual(ids.slice(1));
});

it('of plans that hold too many bytes as many go as it needs, and the newest stays', () => {
  const shelf = new PlanShelf(() => new Date('2026-01-01'));
  for (const id of ['a', 'b', 'c']) shelf.put(change(id, 100 * MiB));
  expect(kept(shelf, ['a', 'b', 'c'])).toEqual(['b', 'c']);
  shelf.put(change('d', 300 * MiB));
  expect(kept(shelf, ['a', 'b', 'c', 'd'])).toEqual(['d']);
});
