/** For tests of the document's items: a manager on a fresh file for each test. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, vi } from 'vitest';
import {
  CheckpointedExecutor,
  CheckpointManager,
  openCheckpointDatabase,
  type AgentState,
  type CheckpointDatabase,
  type ExecuteStep,
  type ExecuteOptions,
  type ExecutionResult,
  type PlanStep,
  type SaveOptions,
} from './index.ts';
import { temporaryFolder } from '@checkpoint-inspector/systems/testing/ctx-sys/test-store';

export let folder: string;
export let db: CheckpointDatabase;
export let manager: CheckpointManager;

/** Opens before each test of the calling file, and clears away after it. */
export function freshManager(): void {
  beforeEach(() => {
    folder = temporaryFolder();
    db = openCheckpointDatabase({ path: join(folder, 'agent.db') });
    manager = new CheckpointManager(db);
  });
  afterEach(() => {
    vi.useRealTimers();
    db.close();
    rmSync(folder, { recursive: true, force: true });
  });
}

export const NOW = new Date('2026-03-01T12:00:00.000Z');

export function step(id: string, more: Partial<PlanStep> = {}): PlanStep {
  return { id, description: `Step ${id}`, action: 'test', parameters: {}, status: 'pending', ...more };
}

export function stateAt(currentStepIndex: number, more: Partial<AgentState> = {}): AgentState {
  return { query: 'test query', plan: [step('1')], currentStepIndex, results: [], context: {}, ...more };
}

/** Saves, and loads what was saved. */
export async function saved(state: AgentState, options?: SaveOptions) {
  const { id } = await manager.save('session-1', 'project-1', state, options);
  const loaded = await manager.load(id);
  if (!loaded) throw new Error('The checkpoint was saved.');
  return loaded;
}

/** The row as stored. */
export function row(id: string): Record<string, unknown> {
  return db.sqlite.prepare<Record<string, unknown>>('SELECT * FROM checkpoints WHERE id = ?').get(id) ?? {};
}

export function run(
  execute: ExecuteStep,
  plan: PlanStep[],
  options: ExecuteOptions = {},
  by: CheckpointManager = manager,
): Promise<ExecutionResult> {
  return new CheckpointedExecutor(by, execute).execute('session-1', 'project-1', plan, options);
}

export const ok: ExecuteStep = (one) => `output of ${one.id}`;
export const plan3 = (): PlanStep[] => [step('1'), step('2'), step('3')];

/** Fails at this step, as often as told. */
export function failAt(id: string, times = 1): ExecuteStep {
  let left = times;
  return (one) => {
    if (one.id === id && left-- > 0) throw new Error('API timeout');
    return `output of ${one.id}`;
  };
}
