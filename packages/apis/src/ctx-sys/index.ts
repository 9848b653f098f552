/** The programming interface of ctx-sys's checkpointing document, with its names. */
import { CheckpointManager } from './manager.ts';
import { loadCheckpointConfig } from './config-files.ts';
import type { CheckpointConfig } from './config.ts';
import { openCheckpointDatabase, type CheckpointDatabaseOptions } from './database.ts';

export { CONFIG_FILES, loadCheckpointConfig } from './config-files.ts';
export { parseCheckpointConfig } from './config-text.ts';
export { DEFAULT_CHECKPOINT_CONFIG, type CheckpointConfig } from './config.ts';
export { openCheckpointDatabase, type CheckpointDatabaseOptions } from './database.ts';
export { CheckpointedExecutor } from './executor.ts';
export { CheckpointManager } from './manager.ts';
export type { CheckpointMetrics } from './manager.ts';
export type { CheckpointDatabase } from '@checkpoint-inspector/systems/ctx-sys';
export type {
  AgentState,
  Checkpoint,
  CheckpointSummary,
  ExecuteOptions,
  ExecuteStep,
  ExecutionResult,
  PlanStep,
  SaveOptions,
  StepResult,
  StepStatus,
  TriggerType,
} from './types.ts';

export interface ManagerOptions extends CheckpointDatabaseOptions {
  /** Folder whose `ctx-sys.yaml` and `.ctx-sys/config.yaml` are read. */
  readonly projectFolder?: string | undefined;
  /** Takes precedence over the files. */
  readonly config?: Partial<CheckpointConfig> | undefined;
}

/**
 * A manager over a file: a new one, one of ctx-sys, or one with the document's table.
 * @throws InspectorError as openCheckpointDatabase, loadCheckpointConfig and CheckpointManager
 * @example const manager = await createCtxSysCheckpointManager({ path: 'agent.db', projectFolder: '.' })
 */
export async function createCtxSysCheckpointManager(options: ManagerOptions): Promise<CheckpointManager> {
  const { projectFolder, config } = options;
  const fromFiles = projectFolder === undefined ? {} : await loadCheckpointConfig(projectFolder);
  const database = openCheckpointDatabase(options);
  try {
    return new CheckpointManager(database, { ...fromFiles, ...config });
  } catch (error) {
    database.close();
    throw error;
  }
}
