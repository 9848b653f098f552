import type { CheckpointRef, EditRequest, Receipt } from '@checkpoint-inspector/core';
import type { ReactNode } from 'react';
import type { PruneTarget } from '../prune/use-prune.ts';

/** Called after a change was applied and the page has read the store again. */
export type OnChanged = (receipt: Receipt) => void;

/** What `useChangeDialog()` gives to every screen that changes something. */
export interface ChangeDialogs {
  openRestore(store: string, ref: CheckpointRef, onChanged?: OnChanged): void;
  openFork(store: string, ref: CheckpointRef, onChanged?: OnChanged): void;
  openDelete(store: string, refs: readonly CheckpointRef[], onChanged?: OnChanged): void;
  /** A policy over one or several tasks, with its preview. */
  openPrune(targets: readonly PruneTarget[], onChanged?: OnChanged): void;
  /** `changes` shows what the edit changes: only the page that made it knows the text. */
  openEdit(store: string, request: EditRequest, changes: ReactNode, onChanged?: OnChanged): void;
  /** One click, no dialog: the result is shown as a toast. */
  undo(receiptId: string): Promise<void>;
}

export interface ProofText {
  readonly tone: 'good' | 'warn';
  readonly title: string;
  readonly evidence: string;
}
