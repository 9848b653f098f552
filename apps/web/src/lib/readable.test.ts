import { storeId, type StoreInfo, type Task } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { isLocked, lockedStores, mayUnlock } from './readable.ts';

const store = (id: string, notes?: readonly string[]): StoreInfo => ({
  id: storeId(id),
  label: id,
  system: 'kaizen',
  latestRule: 'newest',
  volatilePaths: [],
  indexed: { n: 1, of: 1 },
  capabilities: { restore: true, fork: true, edit: true, delete: true },
  ...(notes === undefined ? {} : { notes }),
});
const task = (at: string, unreadable: number): Task => ({
  store: storeId(at),
  id: `${at} ${unreadable}`,
  title: at,
  system: 'kaizen',
  checkpointCount: 9,
  unreadable,
  status: 'unknown',
});

describe('locks', () => {
  it('are problems that another key would solve', () => {
    expect(isLocked({ code: 'locked', message: '' })).toBe(true);
    expect(isLocked({ code: 'wrong_key', message: '' })).toBe(true);
    expect(isLocked({ code: 'unreadable', message: '' })).toBe(false);
    expect(isLocked(undefined)).toBe(false);
  });
  it('can be opened where the store speaks of them', () => {
    expect(mayUnlock(store('a', ['13 encrypted: they pile up.']))).toBe(true);
    expect(mayUnlock(store('a', ['2 locked: unlock the store.']))).toBe(true);
    expect(mayUnlock(store('a', ['Keeps 10 checkpoints per task.', 'Blocked by none.']))).toBe(false);
    expect(mayUnlock(store('a'))).toBe(false);
  });
  it('are said of a store only where they are all of its problems', () => {
    const notes = ['3 encrypted: they pile up.', '2 locked: unlock.', '1 do not open with the key given.'];
    expect([
      ...lockedStores([store('a', notes), store('b', notes)], [task('a', 2), task('a', 1), task('b', 4)]),
    ]).toEqual(['a']);
    expect([...lockedStores([store('a')], [task('a', 1)])]).toEqual([]);
    expect([...lockedStores([store('a', ['0 locked'])], [task('a', 0)])]).toEqual([]);
  });
});
