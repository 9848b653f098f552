/** For tests: carries plans out, and undoes them. */
import type { Plan } from '@checkpoint-inspector/core';
import { ENGINES, type Applied, type Image } from '@checkpoint-inspector/io';

const HOOKS = { tag: 'test', prepared: () => undefined };

export function applyPlan({ job }: Plan): Promise<Applied> {
  return ENGINES.get(job.engine).apply(job, HOOKS);
}

export async function undoPlan({ job }: Plan, images: readonly Image[]): Promise<Applied> {
  const engine = ENGINES.get(job.engine);
  return engine.apply(await engine.undo(job.place, images), { ...HOOKS, tag: 'undo' });
}

export function executor(): { apply: (plan: Plan) => Promise<unknown>; undo: () => Promise<unknown> } {
  const done: { plan: Plan; images: readonly Image[] }[] = [];
  return {
    apply: async (plan) => {
      const { images } = await applyPlan(plan);
      done.push({ plan, images });
    },
    undo: async () => {
      for (const { plan, images } of done.splice(-1)) await undoPlan(plan, images);
    },
  };
}
