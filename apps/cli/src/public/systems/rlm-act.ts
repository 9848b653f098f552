/** `checkpoint-inspector/systems/rlm-act`: the programming interface of requirement REQ_013, and its folders as a system. */
export {
  checkpointDocument,
  CheckpointManager,
  CleanupCounts,
  getGitCommit,
  toCheckpointDict,
} from '@checkpoint-inspector/apis/rlm-act';
export { CHECKPOINTS_FOLDER, PHASES, rlmActSystem } from '@checkpoint-inspector/systems/rlm-act';
export type {
  CheckpointFields,
  CheckpointState,
  DetectedCheckpoint,
  GitOptions,
  ManagerOptions,
} from '@checkpoint-inspector/apis/rlm-act';
