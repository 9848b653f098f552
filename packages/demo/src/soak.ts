import { toJsonText } from '@checkpoint-inspector/core';
import type { CheckpointStore } from '@checkpoint-inspector/core';
import { ago, seeded } from './clock.ts';

const TASK = 'soak-2000';
const STEPS = ['observe', 'decide', 'act', 'verify'];

/** 2,000 checkpoints with side branches: what a long run looks like. */
export async function seedSoak(store: CheckpointStore, now: Date, count = 2_000): Promise<void> {
  const random = seeded(20);
  let parent: string | undefined;
  let step = 0;
  for (let n = 1; n <= count; n++) {
    const id = `soak-${String(n).padStart(4, '0')}`;
    step += 1;
    const failed = random() < 0.004;
    await store.save({
      id,
      task: TASK,
      text: toJsonText({ n, step, score: Math.round(random() * 1_000) / 1_000, notes: `round ${n % 7}` }),
      ...(parent === undefined ? {} : { parent: { task: TASK, id: parent } }),
      stepIndex: step,
      trigger: failed ? 'error' : 'auto',
      status: failed ? 'failed' : n === count ? 'completed' : 'running',
      description: failed ? 'verify failed, trying another way' : (STEPS[n % STEPS.length] ?? 'observe'),
      durationMs: Math.round(random() * 900),
      createdAt: ago(now, 86_400 + (count - n) * 20),
    });
    // After a failure the run goes back a little and takes another way.
    const back = failed ? 1 + Math.floor(random() * 12) : 0;
    const from = Math.max(1, n - back);
    step -= n - from;
    parent = `soak-${String(from).padStart(4, '0')}`;
  }
}
