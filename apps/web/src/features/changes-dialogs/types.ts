import type { CheckpointRef, Receipt } from '@checkpoint-inspector/core';

/** Called after a change was applied and the page has read the store again. */
export type OnChanged = (receipt: Receipt) => void;

/** What `useChangeDialog()` gives to every screen that changes something. */
export interface ChangeDialogs {
  openRestore(store: string, ref: CheckpointRef, onChanged?: OnChanged): void;
  openFork(store: string, ref: CheckpointRef, onChanged?: OnChanged): void;
  openDelete(store: string, refs: readonly CheckpointRef[], onChanged?: OnChanged): void;
  /** One click, no dialog: the result is shown as a toast. */
  undo(receiptId: string): Promise<void>;
}
