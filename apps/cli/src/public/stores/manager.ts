/** `checkpoint-inspector/stores/manager`: the F020 manager with a durable store behind `storagePath`. */
export { CheckpointManager, createCheckpointManager } from '@checkpoint-inspector/stores/manager';
export type {
  CheckpointManagerConfig,
  CheckpointState,
  CheckpointStorageOptions,
  CompletedStep,
  ICheckpointManager,
  RestoreResult,
} from '@checkpoint-inspector/stores/manager';
