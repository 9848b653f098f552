export { CleanupCounts } from './manager.ts';
export { checkpointDocument, toCheckpointDict, type CheckpointFields, type CheckpointState } from './document.ts';
export { getGitCommit, type GitOptions } from './git.ts';
export { CheckpointManager, type DetectedCheckpoint, type ManagerOptions } from './manager.ts';
