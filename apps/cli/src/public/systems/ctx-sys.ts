/** `checkpoint-inspector/systems/ctx-sys`: the programming interface of ctx-sys's document, and its databases as a system. */
export {
  CheckpointedExecutor,
  CheckpointManager,
  CONFIG_FILES,
  createCtxSysCheckpointManager,
  DEFAULT_CHECKPOINT_CONFIG,
  loadCheckpointConfig,
  openCheckpointDatabase,
  parseCheckpointConfig,
} from '@checkpoint-inspector/apis/ctx-sys';
export { ctxSysSystem } from '@checkpoint-inspector/systems/ctx-sys';
export type {
  AgentState,
  Checkpoint,
  CheckpointConfig,
  CheckpointDatabase,
  CheckpointDatabaseOptions,
  CheckpointMetrics,
  CheckpointSummary,
  ExecuteOptions,
  ExecuteStep,
  ExecutionResult,
  ManagerOptions,
  PlanStep,
  SaveOptions,
  StepResult,
  StepStatus,
  TriggerType,
} from '@checkpoint-inspector/apis/ctx-sys';
