/** `checkpoint-inspector/systems/rlm-act`: the programming interface of requirement REQ_013, and its folders as a system. */
export {
  checkpointDocument,
  CheckpointManager,
  CHECKPOINTS_FOLDER,
  CleanupCounts,
  getGitCommit,
  PHASES,
  rlmActSystem,
  toCheckpointDict,
} from '@checkpoint-inspector/systems/rlm-act';
export type {
  CheckpointFields,
  CheckpointState,
  DetectedCheckpoint,
  GitOptions,
  ManagerOptions,
} from '@checkpoint-inspector/systems/rlm-act';
