/** Answers of the HTTP surface that are no types of core. */
import type { Capability, CheckpointMeta, CheckpointRef, Diff, StoreId } from '@checkpoint-inspector/core';

/** A row of the history: with one line on what changed since its parent. */
export type CheckpointRow = CheckpointMeta & { readonly summary?: string };

export interface StoreFailure {
  readonly store: string;
  readonly error: { readonly code: string; readonly message: string; readonly remedy: string };
}

export type DiffAnswer = Diff & { readonly ignoreRules: readonly string[] };

export interface StateAnswer {
  readonly text: string;
  readonly hash: string;
  /** How the text was assembled, where it is no exact slice of the store. */
  readonly derived?: string;
}

export interface TrashItem {
  readonly receiptId: string;
  readonly store: StoreId;
  readonly ref: CheckpointRef;
  readonly what: string;
  /** Absent where it was not known when it was deleted. */
  readonly sizeBytes?: number;
  readonly deletedAt: string;
  readonly restorable: Capability;
}
