/**
 * What `checkpoint-inspector/core` exports, which runs in browsers too; `checkpoint-inspector` adds the disk. A name is public when it is written here (or in
 * `public/` for the other entries), has a docstring with an example where it is declared, and is in
 * `test/exported-names.json`. The packages' own barrels are internal.
 */

/** Saving and restoring (F020). */
export { CheckpointManager, createCheckpointManager, MemoryStore } from '@checkpoint-inspector/core';
export type {
  CheckpointManagerConfig,
  CheckpointState,
  CheckpointStorageOptions,
  CompletedStep,
  ForkOptions,
  ICheckpointManager,
  RestoreResult,
} from '@checkpoint-inspector/core';

/** Errors. */
export { ERROR_CODES, InspectorError } from '@checkpoint-inspector/core';
export type { ErrorCode } from '@checkpoint-inspector/core';

/** Comparing two states. */
export { diffJson, equalJson } from '@checkpoint-inspector/core';
export type { Diff, Difference, DiffOptions } from '@checkpoint-inspector/core';

/** The contract, for stores and systems of your own. */
export { isChangeable, storeId } from '@checkpoint-inspector/core';
export type {
  Beside,
  CallOptions,
  Changeable,
  SystemRequest,
  CheckpointMeta,
  CheckpointRef,
  CheckpointSource,
  CheckpointStore,
  Coverage,
  Damage,
  Latest,
  LineagePart,
  LineageRow,
  LineageRun,
  Match,
  NewCheckpoint,
  NewValue,
  NewWrite,
  OpenOptions,
  Page,
  PageQuery,
  Plan,
  SavedCheckpoint,
  SaveOptions,
  State,
  StateDiff,
  StatePart,
  StoreEvent,
  StoreId,
  StoreInfo,
  StoreOptions,
  System,
  Target,
  Task,
  TaskPage,
  TaskQuery,
  Unwatch,
  WriteOptions,
} from '@checkpoint-inspector/core';
