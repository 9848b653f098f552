import { expect, it } from 'vitest';
import type { Plan, StepStatus } from '../../lib/views.ts';
import { errorWords, planCount, planWords } from './StepsTab.tsx';

const plan = (statuses: readonly StepStatus[], requests = 0): Plan => ({
  steps: statuses.map((status) => ({ name: status, status, isCurrent: false, errors: [], details: [] })),
  requests: Array.from({ length: requests }, (_, at) => ({ id: String(at), text: '{}' })),
});

it('counts equal the rows below', () => {
  const some = plan(['completed', 'failed', 'pending', 'skipped', 'completed']);
  expect(planWords(some)).toBe('2 of 5 steps completed, 1 failed, 1 skipped');
  expect(planCount(some)).toBe('2/5');
  expect(planWords(plan(['running'], 2))).toBe('0 of 1 step completed, 1 running, 2 open requests');
  expect(planCount(plan([], 1))).toBeUndefined();
});

it('an error that was overcome is told as history', () => {
  const overcome = { ...plan(['completed', 'pending']), error: 'API timeout', errorStep: '2' };
  expect(errorWords(overcome, 'completed')).toBe('Error from step 2, since recovered');
  expect(errorWords({ ...plan([]), error: 'API timeout' }, 'running')).toBe('Earlier error, since recovered');
  expect(errorWords(overcome, 'failed')).toBe('Last error');
  expect(errorWords({ ...plan(['failed']), error: 'API timeout' }, 'completed')).toBe('Last error');
});
