import { expect, it } from 'vitest';
import { proofWords, undoOf, whyOf } from './receipt-words.ts';

it('offers undo only where one click does it, else says why not', () => {
  expect(undoOf({ undoable: true })).toEqual({ kind: 'possible' });
  expect(undoOf({ undoable: 'A newer checkpoint was saved.' })).toEqual({
    kind: 'none',
    reason: 'A newer checkpoint was saved.',
  });
  expect(undoOf({ undoable: true, undoneBy: 'r2' })).toEqual({ kind: 'none', reason: 'Undone' });
});

it('says what was read back, and nothing where there was nothing to read', () => {
  const restore = { kind: 'restore', ref: { task: 't', id: 'a' } } as const;
  const prune = { kind: 'prune', task: 't', policy: { olderThanDays: 30 } } as const;
  expect(proofWords({ proof: 'same', request: restore })).toBe('read back, same state ✓');
  expect(proofWords({ proof: 'none', request: restore })).toBe('not read back');
  expect(proofWords({ proof: 'none', request: prune })).toBeUndefined();
  expect(proofWords({ proof: 'different', request: prune })).toBe('reads back differently');
  expect(proofWords({ proof: 'different', differs: ['latest'], request: restore })).toBe(
    "the latest isn't the planned one",
  );
});

it('says who edited and why', () => {
  const edit = { kind: 'edit', ref: { task: 't', id: 'a' }, textHash: 'x', textBytes: 1 } as const;
  expect(whyOf({ request: edit })).toBeUndefined();
  expect(whyOf({ request: { ...edit, author: 'Ann' } })).toBe('By Ann');
  expect(whyOf({ request: { ...edit, reason: 'stale' } })).toBe('Why: stale');
  expect(whyOf({ request: { ...edit, author: 'Ann', reason: 'stale' } })).toBe('By Ann: stale');
});
