import type { CheckpointRef, Problem, StoreInfo, WireError } from '@checkpoint-inspector/core';

/** A checkpoint that is not in the copy as it is in the source, and why. */
export interface CopyFinding {
  readonly ref: CheckpointRef;
  readonly code: WireError['error']['code'] | Problem['code'];
  readonly message: string;
}

/** Things of the source that a target has no place for, with how many checkpoints have them. */
export interface NotKept {
  readonly what: string;
  readonly checkpoints: number;
}

type Named = Pick<StoreInfo, 'system' | 'label'>;

/** What a copy did, or with `dryRun` would do. */
export interface CopyReport {
  readonly from: Named;
  readonly to: Named;
  readonly dryRun: boolean;
  readonly tasks: number;
  /** In the source, unreadable ones included. */
  readonly checkpoints: number;
  readonly copied: number;
  /** There before, with the same content. */
  readonly present: number;
  /** Of those: their details differ, such as a status that moved on. They are left as they were. */
  readonly outdated: number;
  /** Read back at the end and compared; with `dryRun` none. */
  readonly verified: number;
  /** Of the states that were copied, in UTF-8. */
  readonly stateBytes: number;
  /** Could not be read in the source, or not be kept by the target. */
  readonly unreadable: readonly CopyFinding[];
  /** The target has different content under the same id; it is left as it was. */
  readonly conflicts: readonly CopyFinding[];
  /** Read back differently, or not at all. */
  readonly failed: readonly CopyFinding[];
  /** Have their labels and note in this user's journal now; with `dryRun` would have. */
  readonly annotated: number;
  /** Labels or a note could not be kept; with `dryRun` a label that couldn't be. */
  readonly notAnnotated: readonly CopyFinding[];
  readonly notKept: readonly NotKept[];
}

export interface CopyProgress {
  /** Checkpoints that were looked at, and in the second round read back. */
  readonly done: number;
  readonly of: number;
  readonly step: 'copying' | 'verifying';
}
