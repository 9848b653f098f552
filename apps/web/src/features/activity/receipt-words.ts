import type { Proof, Receipt } from '@checkpoint-inspector/core';

export const PROOF_WORDS: Record<Proof, string> = {
  same: 'read back, same state ✓',
  different: 'reads back differently',
  none: 'not read back',
};

export type WayBack = { readonly kind: 'possible' } | { readonly kind: 'none'; readonly reason: string };

/** Whether a change can be taken back now, or in words why not. */
export function undoOf(receipt: Pick<Receipt, 'undoable' | 'undoneBy'>): WayBack {
  if (receipt.undoneBy !== undefined) return { kind: 'none', reason: 'Taken back' };
  return receipt.undoable === true ? { kind: 'possible' } : { kind: 'none', reason: receipt.undoable };
}
