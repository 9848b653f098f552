import type { AgentState } from './agent-state.ts';
import type { CheckpointMetadata } from './checkpoint-metadata.ts';

/**
 * Where a StateManager keeps checkpoints (`kaizen.core.autonomy.state.storage.StorageBackend`); any object with
 * these five methods will do.
 */
export interface StorageBackend {
  /** Stores the state and gives its `checkpointId`; the same id again replaces it. @throws when the save fails */
  save(state: AgentState): Promise<string>;
  /** @throws InspectorError not_found when there is none */
  load(checkpointId: string): Promise<AgentState>;
  /** Newest first; of all agents where `agentId` is absent. */
  listCheckpoints(agentId?: string): Promise<CheckpointMetadata[]>;
  /** @throws InspectorError not_found when there is none */
  delete(checkpointId: string): Promise<void>;
  exists(checkpointId: string): Promise<boolean>;
  /**
   * Asked before resuming, where a backend has it: whether the newest one listed may be resumed.
   * @throws InspectorError too_large where a newer checkpoint of the agent cannot be read for its size
   */
  assertLatest?(agentId: string, latest: CheckpointMetadata | undefined): Promise<void>;
}

const METHODS = ['save', 'load', 'listCheckpoints', 'delete', 'exists'];

/**
 * True for an object with all the methods of a storage backend.
 * @example isStorageBackend(new FilesystemStorage()) // true
 */
export function isStorageBackend(value: unknown): value is StorageBackend {
  if (typeof value !== 'object' || value === null) return false;
  return METHODS.every((method) => typeof Reflect.get(value, method) === 'function');
}
