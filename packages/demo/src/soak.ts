import { createHash } from 'node:crypto';
import { checkpointToRow, toJsonText, type NewCheckpoint } from '@checkpoint-inspector/core';
import { ago, seeded, writeRows } from './seeding.ts';

const TASK = 'soak-2000';
const STEPS = ['observe', 'decide', 'act', 'verify'];

/** 2,000 checkpoints with side branches: what a long run looks like. */
export async function seedSoak(path: string, now: Date, count = 2_000): Promise<void> {
  const rows = [...soak(now, count)].map((checkpoint) => ({
    ...checkpointToRow(checkpoint, () => now),
    state_hash: createHash('sha256').update(checkpoint.text).digest('hex'),
  }));
  await writeRows(path, rows);
}

function* soak(now: Date, count: number): Generator<NewCheckpoint> {
  const random = seeded(20);
  let parent: string | undefined;
  let step = 0;
  for (let n = 1; n <= count; n++) {
    step += 1;
    const failed = random() < 0.004;
    yield {
      id: soakId(n),
      task: TASK,
      text: toJsonText({ n, step, score: Math.round(random() * 1_000) / 1_000, notes: `round ${n % 7}` }),
      ...(parent === undefined ? {} : { parent: { task: TASK, id: parent } }),
      stepIndex: step,
      trigger: failed ? 'error' : 'auto',
      status: failed ? 'failed' : n === count ? 'completed' : 'running',
      description: failed ? 'API timeout after 8 s' : (STEPS[n % STEPS.length] ?? 'observe'),
      durationMs: Math.round(random() * 900),
      createdAt: ago(now, 86_400 + (count - n) * 20),
    };
    // After a failure the run goes back a little and takes another way.
    const back = failed ? 1 + Math.floor(random() * 12) : 0;
    const from = Math.max(1, n - back);
    step -= n - from;
    parent = soakId(from);
  }
}

const soakId = (n: number): string => `soak-${String(n).padStart(4, '0')}`;
