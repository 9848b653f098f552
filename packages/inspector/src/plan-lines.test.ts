import { emptyPlanLists, storeId, type PlanView } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import { planLines } from './plan-lines.ts';

const ref = (id: string, task = 'run') => ({ task, id });
const plan: PlanView = {
  id: 'p',
  expiresAt: '2026-01-01T00:00:00.000Z',
  request: { kind: 'delete', refs: [ref('a')] },
  store: storeId('db'),
  task: 'run',
  preconditions: [],
  ...emptyPlanLists(),
  warnings: [],
  latestBefore: { ref: ref('c'), basis: 'rule' },
  latestAfter: ref('b'),
  bytesFreed: 0,
};

it('calls what is removed by its number and step', () => {
  const removes = {
    count: 2,
    items: [
      { ref: ref('a'), reason: 'requested', step: { seq: 9, stepIndex: 7, description: 'fetch' } },
      { ref: ref('b'), reason: 'requested' },
    ],
  };
  expect(planLines({ ...plan, removes })).toEqual([
    'delete in db, task run',
    'latest now: c, afterwards: b',
    'removes 2:',
    '  a  #07 fetch  requested',
    '  b  requested',
  ]);
});

it('says how long writers wait, where they would notice', () => {
  expect(planLines({ ...plan, holdsMs: 100 })).toHaveLength(2);
  expect(planLines({ ...plan, holdsMs: 420 }).at(-1)).toBe('The store is locked for about 0.4 s; writers wait.');
});

it('says whose latest it is where another task is written', () => {
  const { latestAfter: _none, ...rest } = plan;
  const fork: PlanView = {
    ...rest,
    request: { kind: 'fork', ref: ref('a'), targetTask: 'other' },
    targetTask: 'other',
  };
  expect(planLines({ ...fork, latestBefore: { basis: 'none' }, latestAfter: ref('a-fork', 'other') })).toEqual([
    'fork in db, task run, to task other',
    'latest of other now: none, afterwards: a-fork',
  ]);
});
