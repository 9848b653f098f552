import type { CheckpointStore } from '../contract.ts';

/**
 * The execution state of a task at one moment.
 * @example const state: CheckpointState = { id: 'cp-1', taskId: 'report', agentId: 'writer', stepIndex: 1, totalSteps: 4,
 *     context: {}, completedSteps: [], pendingSteps: ['draft'], createdAt: new Date().toISOString() }
 */
export interface CheckpointState {
  id: string;
  taskId: string;
  agentId: string;
  stepIndex: number;
  totalSteps: number;
  context: Record<string, unknown>;
  completedSteps: CompletedStep[];
  pendingSteps: string[];
  /** ISO 8601; kept as given and never used for order. */
  createdAt: string;
  metadata?: Record<string, unknown>;
}

/**
 * One step that is done.
 * @example checkpoint.completedSteps.at(-1) // the CompletedStep that ended last
 */
export interface CompletedStep {
  stepId: string;
  name: string;
  result: unknown;
  durationMs: number;
  /** ISO 8601. */
  completedAt: string;
}

/**
 * A folder or file for the checkpoints, and the limit per task.
 * @example const storage: CheckpointStorageOptions = { storagePath: './.agent', maxPerTask: 20, autoCleanup: true }
 */
export interface CheckpointStorageOptions {
  /** A file or folder. Core keeps states in memory; the factory of `stores/manager` makes a durable store here. */
  storagePath: string;
  maxPerTask?: number;
  /** Default true; `false` keeps what is beyond the limit. */
  autoCleanup?: boolean;
}

/**
 * Where a manager keeps its checkpoints, and how many per task.
 * @example const config: CheckpointManagerConfig = { storage: { storagePath: './.agent', maxPerTask: 20 } }
 */
export interface CheckpointManagerConfig {
  storage?: CheckpointStorageOptions;
  /** Checkpoints kept per task, oldest out first; default 10. Before the one in `storage`. */
  maxPerTask?: number;
  /** Where the checkpoints go; default a new MemoryStore. It has its own limit, so it is alone. */
  store?: CheckpointStore;
}

/**
 * Ask `success` first: only then there is a checkpoint.
 * @example const restored = await manager.restore('report'); // a RestoreResult
 *   if (restored.success) resume(restored.checkpoint, restored.remainingSteps)
 */
export type RestoreResult =
  | {
      success: true;
      checkpoint: CheckpointState;
      error?: never;
      /** A copy of the checkpoint's `pendingSteps`. */
      remainingSteps: string[];
    }
  | { success: false; checkpoint?: never; error: string; /** Empty. */ remainingSteps: string[] };

/**
 * Where a fork goes.
 * @example await manager.fork('cp-1', { taskId: 'report-b' })
 */
export interface ForkOptions {
  /** Default `<id>-fork-<n>`. */
  readonly id?: string;
  /** Default the source's own task. */
  readonly taskId?: string;
}

/**
 * What a checkpoint manager of F020 does; `CheckpointManager` does it over any store.
 * @example const manager: ICheckpointManager = createCheckpointManager()
 */
export interface ICheckpointManager {
  save(state: CheckpointState): Promise<void>;
  restore(taskId: string): Promise<RestoreResult>;
  restoreById(checkpointId: string): Promise<RestoreResult>;
  list(taskId: string): Promise<CheckpointState[]>;
  delete(checkpointId: string): Promise<boolean>;
  deleteAll(taskId: string): Promise<number>;
}
