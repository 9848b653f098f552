import type { Receipt } from '@checkpoint-inspector/core';
import { storeId } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import { receiptLines } from './change.ts';

const ref = { task: 't', id: 'a' };
const receipt: Receipt = {
  id: 'r1',
  planId: 'p1',
  request: { kind: 'restore', ref },
  store: storeId('test'),
  task: 't',
  appliedAt: '2026-01-01T00:00:00.000Z',
  done: [],
  failed: [],
  written: [ref],
  removed: [],
  latestNow: { ref, basis: 'rule' },
  proof: 'same',
  undoable: true,
};

it.each([
  [{}, 'Verified: the store now returns this state.'],
  [
    { differs: ['written'] },
    'What was written differs from the plan; check it before you continue, or undo the change.',
  ],
  [{ differs: ['latest'] }, "The latest isn't the planned one; check it before you continue, or undo the change."],
  [{ differs: [] }, 'The store did not return this state; check it before you continue, or undo the change.'],
] as const)('a receipt with %j says what its proof found', (more: Pick<Receipt, 'differs'>, line) => {
  expect(receiptLines({ ...receipt, ...more, ...(more.differs ? { proof: 'different' } : {}) })).toContain(line);
});

it('a receipt without a proof says why what was written was not read back', () => {
  const note = "What was written couldn't be read back: the disk is gone";
  const lines = receiptLines({ ...receipt, proof: 'none', latestNow: { ref, basis: 'rule', note } });
  expect(lines).toContain(note);
  expect(receiptLines({ ...receipt, proof: 'none' }).join()).not.toContain('read back');
});
