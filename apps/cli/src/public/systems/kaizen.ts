/** `checkpoint-inspector/systems/kaizen`: Kaizen's programming interface, and its folders as a system. */
export {
  AgentState,
  CheckpointMetadata,
  FilesystemStorage,
  HookEvent,
  HookManager,
  HookResult,
  isStorageBackend,
  StateManager,
  StateSnapshot,
  Timestamp,
} from '@checkpoint-inspector/apis/kaizen';
export { kaizenSystem } from '@checkpoint-inspector/systems/kaizen';
export type {
  AgentStateInit,
  AgentStatus,
  CheckpointMetadataInit,
  CleanupFailure,
  Dict,
  FilesystemStorageOptions,
  Hook,
  HookContext,
  HookFailure,
  HookManagerOptions,
  ListProblem,
  StateManagerOptions,
  StateSnapshotInit,
  StorageBackend,
} from '@checkpoint-inspector/apis/kaizen';
