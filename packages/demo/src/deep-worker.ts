import { toJsonText, type CheckpointStore } from '@checkpoint-inspector/core';
import { ago } from './seeding.ts';

const TASK = 'deep-worker';

/** `findings` is saved twice: its value is replaced and it keeps its place. */
const SAVES: readonly (readonly [id: string, does: string])[] = [
  ['worker-01', 'plan the audit'],
  ['worker-02', 'list services'],
  ['worker-03', 'check billing'],
  ['worker-04', 'check identity'],
  ['findings', 'collect findings'],
  ['worker-06', 'check access'],
  ['worker-07', 'check storage'],
  ['worker-08', 'check backups'],
  ['worker-09', 'check alerts'],
  ['findings', 'collect findings, second draft'],
  ['worker-11', 'check quotas'],
  ['worker-12', 'write summary'],
  ['worker-13', 'review'],
];

/**
 * Thirteen saves under twelve ids into a store that keeps ten: the two oldest are evicted, so the oldest one left
 * has a parent that is gone.
 */
export async function seedDeepWorker(store: CheckpointStore, now: Date): Promise<void> {
  const findings: string[] = [];
  const saved: string[] = [];
  for (const [at, [id, does]] of SAVES.entries()) {
    if (does.startsWith('check')) findings.push(`${does.slice('check '.length)}: ${at % 3 === 0 ? 'open' : 'fine'}`);
    // A second save of an id names no parent: the first one's stays.
    const parent = saved.includes(id) ? undefined : saved.at(-1);
    if (!saved.includes(id)) saved.push(id);
    await store.save({
      id,
      task: TASK,
      text: toJsonText({ goal: 'Audit the services', step: does, findings, services: 4 + Math.min(at, 3) }),
      ...(parent === undefined ? {} : { parent: { task: TASK, id: parent } }),
      stepIndex: at + 1,
      totalSteps: SAVES.length,
      trigger: 'auto',
      status: at === SAVES.length - 1 ? 'completed' : 'running',
      description: does,
      agentId: TASK,
      durationMs: 400 + at * 35,
      createdAt: ago(now, 9_000 - at * 60),
    });
  }
}
