/** For tests: carries plans out, and takes the last one back. */
import type { Plan } from '@checkpoint-inspector/core';
import { applyPlan, undoJob, type Job } from '@checkpoint-inspector/io';

const HOOKS = { tag: 'test', prepared: () => undefined };

export function executor(): { apply: (plan: Plan) => Promise<unknown>; undo: () => Promise<unknown> } {
  const jobs: Job[] = [];
  return {
    apply: async (plan) => {
      const { images } = await applyPlan(plan, HOOKS);
      jobs.push(undoJob(plan.target, images));
    },
    undo: async () => {
      for (const job of jobs.splice(-1)) await applyPlan(job, HOOKS);
    },
  };
}
