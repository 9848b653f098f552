import type { CheckpointStore } from '../contract.ts';

/** The execution state of a task at one moment. */
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

export interface CompletedStep {
  stepId: string;
  name: string;
  result: unknown;
  durationMs: number;
  /** ISO 8601. */
  completedAt: string;
}

export interface CheckpointStorageOptions {
  /** A file or folder. Core keeps states in memory; the factory of `stores/manager` makes a durable store here. */
  storagePath: string;
  maxPerTask?: number;
  /** Default true; `false` keeps what is beyond the limit. */
  autoCleanup?: boolean;
}

export interface CheckpointManagerConfig {
  storage?: CheckpointStorageOptions;
  /** Checkpoints kept per task, oldest out first; default 10. Before the one in `storage`. */
  maxPerTask?: number;
  /** Where the checkpoints go; default a new MemoryStore. It has its own limit, so it stands alone. */
  store?: CheckpointStore;
}

/** Ask `success` first: only then there is a checkpoint. */
export type RestoreResult =
  | {
      success: true;
      checkpoint: CheckpointState;
      error?: never;
      /** A copy of the checkpoint's `pendingSteps`. */
      remainingSteps: string[];
    }
  | { success: false; checkpoint?: never; error: string; /** Empty. */ remainingSteps: string[] };

export interface ForkOptions {
  /** Default `<id>-fork-<n>`. */
  readonly id?: string;
  /** Default the source's own task. */
  readonly taskId?: string;
}

export interface ICheckpointManager {
  save(state: CheckpointState): Promise<void>;
  restore(taskId: string): Promise<RestoreResult>;
  restoreById(checkpointId: string): Promise<RestoreResult>;
  list(taskId: string): Promise<CheckpointState[]>;
  delete(checkpointId: string): Promise<boolean>;
  deleteAll(taskId: string): Promise<number>;
}
