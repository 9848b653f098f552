/** Kaizen's programming interface; its names in camelCase, the keys of its dictionaries as stored. */
export { AgentState, type AgentStateInit, type AgentStatus } from './agent-state.ts';
export { CheckpointMetadata, type CheckpointMetadataInit } from './checkpoint-metadata.ts';
export type { Dict } from './dict.ts';
export { FilesystemStorage, type FilesystemStorageOptions, type ListProblem } from './filesystem-storage.ts';
export {
  HookEvent,
  HookManager,
  HookResult,
  type Hook,
  type HookContext,
  type HookFailure,
  type HookManagerOptions,
} from './hooks.ts';
export { JsonNumber, pythonJson } from './python-json.ts';
export { StateManager, type CleanupFailure, type StateManagerOptions } from './state-manager.ts';
export { StateSnapshot, type StateSnapshotInit } from './state-snapshot.ts';
export { isStorageBackend, type StorageBackend } from './storage-backend.ts';
export { Timestamp } from './timestamp.ts';
export { jsonNumber, kaizenDocument, type KaizenFields } from './write.ts';
