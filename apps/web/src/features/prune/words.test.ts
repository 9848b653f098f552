import { planList, type PlanView } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { planFor, receiptFor, ref } from '../change/testing/plans.ts';
import { accountOf, accountText, actOfPrune, proofOfAll, titleOf, undoText } from './words.ts';

const request = { kind: 'prune', task: 'run', policy: { olderThanDays: 30 } } as const;
const plan = (goes: number, stays: number, more: Partial<PlanView> = {}): PlanView =>
  planFor(request, {
    removes: planList(Array.from({ length: goes }, (_, n) => ({ ref: ref(`c${n}`), reason: 'old' }))),
    protected: planList(Array.from({ length: stays }, (_, n) => ({ ref: ref(`p${n}`), reason: 'kept' }))),
    leftOut: { skipped: 1, others: 8 },
    bytesFreed: 1000,
    ...more,
  });

describe('a prune in words', () => {
  it('accounts for every checkpoint of all tasks', () => {
    const account = accountOf([plan(41, 6), plan(0, 1)]);
    expect(account).toEqual({ goes: 41, stays: 7, skipped: 2, others: 16, bytes: 2000 });
    expect(accountText(account)).toBe('41 to delete, 2.0 kB; 7 protected; 2 unreadable skipped');
  });

  it('promises what undo does, and nothing where nothing goes', () => {
    expect(undoText([plan(41, 6)])).toBe(
      'Undo brings all 41 back byte for byte, even after the agent has saved again.',
    );
    expect(undoText([plan(1, 0)])).toContain('brings it back');
    expect(undoText([plan(2, 0), plan(3, 0)])).toContain('all 5 back byte for byte, task by task');
    expect(undoText([plan(0, 3)])).toBe('No checkpoints match this policy.');
  });

  it('names the tasks, the policy and what failed', () => {
    expect([titleOf(['run']), titleOf(['run', 'other'])]).toEqual(['Tidy up run', 'Tidy up 2 tasks']);
    const done = receiptFor(request, { removed: [ref('a'), ref('b')] });
    expect(actOfPrune(done)).toBe('Deleted 2 checkpoints older than 30 days');
    expect(proofOfAll([done, done])).toMatchObject({
      tone: 'good',
      title: 'Moved 4 checkpoints of 2 tasks to the trash.',
    });
    const partly = { ...done, failed: [{ what: 'a', reason: 'it is read-only' }] };
    expect(proofOfAll([done, partly])).toMatchObject({ tone: 'warn', title: '4 deleted, 1 failed: it is read-only' });
  });
});
