import { InspectorError } from '@checkpoint-inspector/core';
import { copyState, newCheckpointId, type AgentState } from './agent-state.ts';
import { newestFirst, type CheckpointMetadata } from './checkpoint-metadata.ts';
import { FilesystemStorage } from './filesystem-storage.ts';
import { HookEvent, type HookManager } from './hooks.ts';
import { isStorageBackend, type StorageBackend } from './storage-backend.ts';

/** How often a `StateManager` saves, where to, and how many checkpoints it keeps. */
export interface StateManagerOptions {
  /** Default `new FilesystemStorage()`. */
  readonly storage?: StorageBackend;
  /** Checkpoint every so many steps, default 10, */
  readonly checkpointFrequency?: number;
  /** or every so many seconds, default 60. */
  readonly checkpointInterval?: number;
  /** Keep so many per agent, from 1; default 100. */
  readonly retentionCount?: number;
  readonly hookManager?: HookManager;
}

/** A clean-up that did not work; the save before it did. */
export interface CleanupFailure {
  readonly agentId: string;
  /** Absent where the list itself could not be had. */
  readonly checkpointId?: string;
  readonly error: InspectorError;
}

/** Newest failures kept. */
const KEPT_FAILURES = 100;

/**
 * Saves, loads, resumes, forks, lists and prunes an agent's checkpoints
 * (`kaizen.core.autonomy.state.manager.StateManager`).
 * @example
 * const manager = new StateManager({ checkpointFrequency: 5, retentionCount: 50 });
 * if (manager.shouldCheckpoint(state.agentId, step, Date.now() / 1000)) await manager.saveCheckpoint(state);
 */
export class StateManager {
  readonly storage: StorageBackend;
  readonly checkpointFrequency: number;
  readonly checkpointInterval: number;
  readonly retentionCount: number;
  readonly hookManager: HookManager | undefined;
  readonly #last = new Map<string, { readonly step: number; readonly time: number }>();
  readonly #failures: CleanupFailure[] = [];

  /** @throws InspectorError invalid_input */
  constructor(options: StateManagerOptions = {}) {
    this.storage = options.storage ?? new FilesystemStorage();
    this.checkpointFrequency = options.checkpointFrequency ?? 10;
    this.checkpointInterval = options.checkpointInterval ?? 60;
    this.retentionCount = options.retentionCount ?? 100;
    this.hookManager = options.hookManager;
    if (!isStorageBackend(this.storage)) {
      throw new InspectorError('invalid_input', 'storage is missing a method of StorageBackend.');
    }
    if (!Number.isInteger(this.retentionCount) || this.retentionCount < 1) {
      throw new InspectorError(
        'invalid_input',
        `retentionCount must be a positive whole number, not ${this.retentionCount}.`,
      );
    }
  }

  /** Clean-ups that went wrong, the last 100, the oldest first. */
  get cleanupFailures(): readonly CleanupFailure[] {
    return [...this.#failures];
  }

  /**
   * True when enough steps or enough time lie behind the agent's last save; true before its first.
   * @param currentTime seconds since 1970
   */
  shouldCheckpoint(agentId: string, currentStep: number, currentTime: number): boolean {
    const last = this.#last.get(agentId);
    if (!last) return true;
    return currentStep - last.step >= this.checkpointFrequency || currentTime - last.time >= this.checkpointInterval;
  }

  /**
   * Saves the state, always; `force` is accepted and changes nothing. Hooks run before and after, then old
   * checkpoints are cleaned up; neither can make the save fail.
   * @returns the checkpoint id
   * @throws InspectorError of the storage, when the save fails
   */
  async saveCheckpoint(state: AgentState, _force = false): Promise<string> {
    await this.#trigger(HookEvent.PRE_CHECKPOINT_SAVE, state, {});
    const { agentId, stepNumber } = state;
    const checkpointId = await this.storage.save(state);
    this.#last.set(agentId, { step: stepNumber, time: Date.now() / 1000 });
    await this.#trigger(HookEvent.POST_CHECKPOINT_SAVE, state, { checkpoint_id: checkpointId });
    // A fork keeps its parent's time: it must not fall to the clean-up of its own save.
    await this.#cleanup(agentId, checkpointId).catch((error: unknown) => this.#record(agentId, error));
    return checkpointId;
  }

  /** @throws InspectorError not_found | unreadable | locked | wrong_key */
  async loadCheckpoint(checkpointId: string): Promise<AgentState> {
    return this.storage.load(checkpointId);
  }

  /**
   * The agent's newest state, or `undefined` when it has none.
   * @throws InspectorError also too_large, where a newer one than the list has is too large to be read: going on from
   * an older one would lose steps without a word
   */
  async resumeFromLatest(agentId: string): Promise<AgentState | undefined> {
    const [latest] = await this.listCheckpoints(agentId);
    await this.storage.assertLatest?.(agentId, latest);
    return latest && this.storage.load(latest.checkpointId);
  }

  /**
   * Saves a copy under a new id with `parentCheckpointId` set to the original; like Kaizen's it keeps the timestamp.
   * @throws InspectorError not_found
   */
  async forkFromCheckpoint(checkpointId: string): Promise<AgentState> {
    const fork = copyState(await this.storage.load(checkpointId));
    fork.checkpointId = newCheckpointId();
    fork.parentCheckpointId = checkpointId;
    await this.storage.save(fork);
    return fork;
  }

  /** Newest first; of all agents where `agentId` is absent. */
  async listCheckpoints(agentId?: string): Promise<CheckpointMetadata[]> {
    // A backend's own word on order and agent is not enough where files are deleted by it.
    const listed = await this.storage.listCheckpoints(agentId);
    return newestFirst(listed.filter((item) => agentId === undefined || item.agentId === agentId));
  }

  /**
   * Deletes the agent's checkpoints past `retentionCount`, the oldest. One that cannot be deleted is recorded in
   * `cleanupFailures`, and the rest continues.
   * @returns how many were deleted
   * @throws InspectorError when the checkpoints cannot be listed
   */
  async cleanupOldCheckpoints(agentId: string): Promise<number> {
    return this.#cleanup(agentId);
  }

  /** The ids of each parent's children, newest first. */
  async getCheckpointTree(agentId: string): Promise<Record<string, string[]>> {
    const children = new Map<string, string[]>();
    for (const { checkpointId, parentCheckpointId: parent } of await this.listCheckpoints(agentId)) {
      if (parent) children.set(parent, [...(children.get(parent) ?? []), checkpointId]);
    }
    return Object.fromEntries(children);
  }

  async #cleanup(agentId: string, justSaved?: string): Promise<number> {
    const items = await this.listCheckpoints(agentId);
    const saved = items.filter((item) => item.checkpointId === justSaved);
    const others = items.filter((item) => item.checkpointId !== justSaved);
    let deleted = 0;
    for (const { checkpointId } of others.slice(this.retentionCount - saved.length)) {
      try {
        await this.storage.delete(checkpointId);
        deleted++;
      } catch (error) {
        this.#record(agentId, error, checkpointId);
      }
    }
    return deleted;
  }

  #record(agentId: string, error: unknown, checkpointId?: string): void {
    this.#failures.push({
      agentId,
      ...(checkpointId === undefined ? {} : { checkpointId }),
      error: InspectorError.from(error),
    });
    if (this.#failures.length > KEPT_FAILURES) this.#failures.shift();
  }

  async #trigger(event: HookEvent, state: AgentState, more: { checkpoint_id?: string }): Promise<void> {
    const { agentId, stepNumber, status } = state;
    const timestamp = Date.now() / 1000;
    const data = { agent_id: agentId, ...more, step_number: stepNumber, status, timestamp };
    await this.hookManager?.trigger(event, agentId, data);
  }
}
