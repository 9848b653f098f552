/** The F020 manager with a durable store behind `storagePath`. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { CheckpointManager as ManagerInMemory, InspectorError, keptPerTask } from '@checkpoint-inspector/core';
import type { CheckpointManagerConfig, CheckpointStore } from '@checkpoint-inspector/core';
import { SqliteStore } from './sqlite/index.ts';

export type {
  CheckpointManagerConfig,
  CheckpointState,
  CheckpointStorageOptions,
  CompletedStep,
  ICheckpointManager,
  RestoreResult,
} from '@checkpoint-inspector/core';

const FILE_IN_FOLDER = 'checkpoints.sqlite';

/**
 * Saves and restores the execution states of agent tasks (F020). They outlive the process where `storage.storagePath`
 * is set: a name with an extension is the SQLite file itself, any other a folder that gets one (`checkpoints.sqlite`).
 * @throws InspectorError invalid_input | unsupported_version | unreadable | busy | disk_full
 * @example const manager = new CheckpointManager({ storage: { storagePath: './.agent', maxPerTask: 20 } });
 */
export class CheckpointManager extends ManagerInMemory {
  constructor(config: CheckpointManagerConfig = {}) {
    super(withStore(config));
  }
}

/**
 * The same as `new CheckpointManager(config)`.
 * @throws InspectorError invalid_input | unsupported_version | unreadable | busy | disk_full
 * @example const manager = createCheckpointManager({ storage: { storagePath: './.agent', maxPerTask: 20 } });
 */
export function createCheckpointManager(config?: CheckpointManagerConfig): CheckpointManager {
  return new CheckpointManager(config);
}

function withStore(config: CheckpointManagerConfig): CheckpointManagerConfig {
  const { storage } = config;
  if (storage === undefined || config.store !== undefined) return config;
  const limit = keptPerTask(config); // checks storagePath too
  return { store: durableStore(storage.storagePath, limit) };
}

function durableStore(storagePath: string, maxPerTask: number | undefined): CheckpointStore {
  const path = fileAt(resolve(storagePath));
  return new SqliteStore({ path, location: path, ...(maxPerTask === undefined ? { keepAll: true } : { maxPerTask }) });
}

/** The SQLite file that a path means; the folders above it are made. */
function fileAt(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    const isFolder = found === undefined ? extname(path) === '' : found.isDirectory();
    const file = isFolder ? join(path, FILE_IN_FOLDER) : path;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    return file;
  } catch (cause) {
    throw new InspectorError('invalid_input', `Checkpoints can't be saved to ${path}.`, {
      cause,
      data: { key: 'storage.storagePath' },
      remedy: 'Choose a storagePath that this user can write to.',
    });
  }
}
