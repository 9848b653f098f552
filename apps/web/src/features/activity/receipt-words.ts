/** What a receipt says, in words. */
import { type Proof, proofDifference, type Receipt } from '@checkpoint-inspector/core';

const PROOF_WORDS: Record<Proof, string> = {
  same: 'read back, same state ✓',
  different: 'reads back differently',
  none: 'not read back',
};

/** What of a receipt was read back; a delete leaves no state to compare, so it gets no words. */
export function proofWords(receipt: Pick<Receipt, 'proof' | 'differs' | 'request'>): string | undefined {
  const {
    proof,
    request: { kind },
  } = receipt;
  if (proof === 'none' && (kind === 'delete' || kind === 'prune')) return undefined;
  return proofDifference(receipt) ?? PROOF_WORDS[proof];
}

/** Who edited and why, where somebody said it. @example 'By Ann: stale cache' */
export function whyOf({ request }: Pick<Receipt, 'request'>): string | undefined {
  if (request.kind !== 'edit') return undefined;
  const { author, reason } = request;
  if (author === undefined) return reason === undefined ? undefined : `Why: ${reason}`;
  return reason === undefined ? `By ${author}` : `By ${author}: ${reason}`;
}

type WayBack = { readonly kind: 'possible' } | { readonly kind: 'none'; readonly reason: string };

/** Whether a change can be undone now, or in words why not. */
export function undoOf(receipt: Pick<Receipt, 'undoable' | 'undoneBy'>): WayBack {
  if (receipt.undoneBy !== undefined) return { kind: 'none', reason: 'Undone' };
  return receipt.undoable === true ? { kind: 'possible' } : { kind: 'none', reason: receipt.undoable };
}
