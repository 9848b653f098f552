import { plural } from '../../lib/format.ts';
import type { Plan, StepStatus } from '../../lib/views.ts';

const count = ({ steps }: Plan, status: StepStatus): number => steps.filter((step) => step.status === status).length;

/** @example planWords(plan) // '2 of 4 steps completed, 1 failed' */
export function planWords(plan: Plan): string {
  const parts = [
    plan.steps.length === 0
      ? undefined
      : `${count(plan, 'completed')} of ${plural(plan.steps.length, 'step')} completed`,
    ...(['failed', 'running', 'skipped'] as const).map((status) =>
      count(plan, status) === 0 ? undefined : `${count(plan, status)} ${status}`,
    ),
    plan.requests.length === 0 ? undefined : plural(plan.requests.length, 'open request'),
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

/** For the tab. @example planCount(plan) // '2/4' */
export const planCount = (plan: Plan): string | undefined =>
  plan.steps.length === 0 ? undefined : `${count(plan, 'completed')}/${plan.steps.length}`;
