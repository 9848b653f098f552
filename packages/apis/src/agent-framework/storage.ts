import { InvalidCheckpointError } from './errors.ts';
import { deserializeCheckpoint, serializeCheckpoint } from './serialize.ts';
import type { WorkflowCheckpoint } from './types.ts';

/**
 * A place for workflow checkpoints. The key given to `saveCheckpoint` is the checkpoint's id from then on.
 * @example
 * const storage: CheckpointStorage = new FileCheckpointStorage('./checkpoints');
 * await storage.saveCheckpoint('run-1_writer', checkpoint);
 * const [newest] = await storage.listCheckpoints('flow');
 */
export interface CheckpointStorage {
  /**
   * Resolves when the checkpoint is stored; one that stood under this id is replaced.
   * @throws InvalidCheckpointError | CheckpointSerializationError | CheckpointStorageError, `too_large` where
   * `loadCheckpoint` would refuse it; nothing is written then
   */
  saveCheckpoint(checkpointId: string, checkpoint: WorkflowCheckpoint): Promise<void>;
  /**
   * A copy of the checkpoint, or null where there is none.
   * @throws CorruptCheckpointError | CheckpointStorageError
   */
  loadCheckpoint(checkpointId: string): Promise<WorkflowCheckpoint | null>;
  /**
   * Ids of the workflow's checkpoints, newest timestamp first; of equal times the one saved last.
   * @throws CheckpointStorageError
   */
  listCheckpoints(workflowId: string): Promise<string[]>;
  /**
   * Removes the checkpoint for good; one that is missing is not an error.
   * @throws CheckpointStorageError
   */
  deleteCheckpoint(checkpointId: string): Promise<void>;
}

/**
 * The text to store under an id. @throws InvalidCheckpointError | CheckpointSerializationError
 * @example const text = storedText('run-1_writer', checkpoint);
 */
export function storedText(checkpointId: string, checkpoint: WorkflowCheckpoint): string {
  if (checkpointId === '' || !checkpointId.isWellFormed()) {
    throw new InvalidCheckpointError('A checkpoint id must be a non-empty string.', { checkpointId });
  }
  return serializeCheckpoint({ ...checkpoint, checkpointId });
}

/**
 * Checkpoints in memory, for development and tests.
 * @example const storage = new InMemoryCheckpointStorage();
 */
export class InMemoryCheckpointStorage implements CheckpointStorage {
  readonly #stored = new Map<string, { readonly text: string; readonly workflowId: string; readonly time: number }>();

  async saveCheckpoint(checkpointId: string, checkpoint: WorkflowCheckpoint): Promise<void> {
    const text = storedText(checkpointId, checkpoint);
    // Removed first, so that it is last among equal times.
    this.#stored.delete(checkpointId);
    const { workflowId, timestamp } = checkpoint;
    this.#stored.set(checkpointId, { text, workflowId, time: timestamp.getTime() });
  }

  async loadCheckpoint(checkpointId: string): Promise<WorkflowCheckpoint | null> {
    const stored = this.#stored.get(checkpointId);
    return stored ? deserializeCheckpoint(stored.text) : null;
  }

  async listCheckpoints(workflowId: string): Promise<string[]> {
    return [...this.#stored]
      .filter(([, stored]) => stored.workflowId === workflowId)
      .reverse()
      .sort(([, a], [, b]) => b.time - a.time)
      .map(([id]) => id);
  }

  async deleteCheckpoint(checkpointId: string): Promise<void> {
    this.#stored.delete(checkpointId);
  }

  /** Removes all checkpoints. @example afterEach(() => storage.clear()); */
  clear(): void {
    this.#stored.clear();
  }
}
