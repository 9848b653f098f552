/** For tests: managers over memory, and over files that a second manager reads back. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { CheckpointManager } from '@checkpoint-inspector/core';
import { createCheckpointManager } from '../manager.ts';
import type { CheckpointManagerConfig, CheckpointState, CheckpointStorageOptions, CompletedStep } from '../manager.ts';

export const base = mkdtempSync(join(tmpdir(), 'f020-'));
const opened: CheckpointManager[] = [];
afterAll(async () => {
  for (const manager of opened) await manager.store.close?.();
  rmSync(base, { recursive: true });
});

export function keep(manager: CheckpointManager): CheckpointManager {
  opened.push(manager);
  return manager;
}

export const done: CompletedStep = {
  stepId: 's1',
  name: 'Fetch',
  result: { rows: [1, null, 'ü'] },
  durationMs: 12.5,
  completedAt: '2026-01-01T00:00:01Z',
};

export function stateOf(id: string, taskId = 'task-1', more: Partial<CheckpointState> = {}): CheckpointState {
  return {
    id,
    taskId,
    agentId: 'agent-1',
    stepIndex: 1,
    totalSteps: 3,
    context: { nested: { list: [1, 2] } },
    completedSteps: [structuredClone(done)],
    pendingSteps: ['s2', 's3'],
    createdAt: '2026-01-01T00:00:00.000Z',
    metadata: { trigger: 'manual' },
    ...more,
  };
}

export const idsOf = (states: readonly CheckpointState[]) => states.map(({ id }) => id);

export interface Place {
  /** A manager in a new place, with these checkpoints of `task-1` saved. */
  with(ids: readonly string[], config?: CheckpointManagerConfig): Promise<CheckpointManager>;
  /** What another process would see: the same manager for memory, a second one for a file. */
  again(manager: CheckpointManager): CheckpointManager;
}

export async function save(manager: CheckpointManager, ids: readonly string[]): Promise<CheckpointManager> {
  for (const id of ids) await manager.save(stateOf(id));
  return manager;
}

export const memory: Place = {
  with: (ids, config) => save(keep(createCheckpointManager(config)), ids),
  again: (manager) => manager,
};

export function durable(): Place {
  const paths = new Map<CheckpointManager, CheckpointStorageOptions>();
  return {
    with(ids, config = {}) {
      const storage = { ...config.storage, storagePath: join(base, `agent-${paths.size}`) };
      const manager = keep(createCheckpointManager({ ...config, storage }));
      paths.set(manager, storage);
      return save(manager, ids);
    },
    again(manager) {
      const storage = paths.get(manager);
      if (!storage) throw new Error('This manager is not of this place.');
      return keep(createCheckpointManager({ storage: { ...storage, autoCleanup: false } }));
    },
  };
}

let made = 0;
/** A manager over a new file, after so many saves. */
export async function durableOnce(config: CheckpointManagerConfig, saves: number): Promise<CheckpointManager> {
  made += 1;
  const storage = { ...config.storage, storagePath: join(base, `once-${made}.db`) };
  const ids = Array.from({ length: saves }, (_, at) => `cp-${at}`);
  return save(keep(createCheckpointManager({ ...config, storage })), ids);
}
