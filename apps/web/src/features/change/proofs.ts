/** What follows a change: its proof on the screen, and the way back from the newest one. */
import { type CheckpointRef, InspectorError, type Receipt } from '@checkpoint-inspector/core';
import type { QueryClient } from '@tanstack/react-query';
import { toAddress } from '../../lib/address.ts';
import { api } from '../../lib/api.ts';
import { findQuery, receiptQuery } from '../../lib/queries.ts';
import { changing, refresh } from '../../lib/refresh.ts';
import { proofOfAll } from '../prune/words.ts';
import { markMade } from './made.ts';
import { namesFromCache } from './names.ts';
import { newerOf, proofOf, undoRefusal } from './proof.ts';
import { proofOfReceipt, showProof } from './ProofToast.tsx';
import { NAMED } from './sentences.ts';

interface ProofsDeps {
  readonly client: QueryClient;
  /** Leads away from what an undo removes; the answer leads back. */
  readonly leave: (receipt: Receipt) => (() => void) | undefined;
  readonly labelOf: (store: string) => string;
}

export interface Proofs {
  /** True while the change is still the newest once the page has read the store again. */
  prove(receipt: Receipt): Promise<boolean>;
  /** Several changes at once: one summary, and Activity for the undo of each. */
  proveAll(receipts: readonly Receipt[]): Promise<void>;
  undo(receiptId: string): Promise<void>;
  undoLast(): Promise<void>;
  /** Only where an undo was the last thing that happened: Activity knows that of all pages. */
  redoLast(): Promise<void>;
}

const TO_ACTIVITY = 'Activity lists every change, with undo.';

export function createProofs({ client, leave, labelOf }: ProofsDeps): Proofs {
  let last: Receipt | undefined;
  let running = false;

  const prove = async (receipt: Receipt): Promise<boolean> => {
    last = receipt;
    const [written] = receipt.written;
    if (written && receipt.request.kind !== 'undo') markMade(toAddress(receipt.store, written));
    if (receipt.latestNow.ref) await nameRef(client, receipt.store, receipt.latestNow.ref);
    const text = proofOf(receipt, namesFromCache(client, receipt.store), labelOf(receipt.store));
    proofOfReceipt(text, receipt, () => void undo(receipt.id));
    // The stream of events does the same; this is for a page whose stream is away.
    await refresh(client);
    // Somebody may have been quick to undo it: then nothing leads there any longer.
    return last === receipt && !running;
  };

  const proveAll = async (receipts: readonly Receipt[]): Promise<void> => {
    const [only] = receipts;
    if (receipts.length === 1 && only) return void (await prove(only));
    last = undefined;
    showProof({ text: proofOfAll(receipts) });
    await refresh(client);
  };

  const undo = async (receiptId: string): Promise<void> => {
    if (running) return;
    running = true;
    // Before it is gone: nothing is asked of it then any longer.
    const comeBack = last?.id === receiptId ? leave(last) : undefined;
    // Only the change itself: a key that is pressed while its proof is shown must not be lost.
    const undone = await changing(client, () => api.undo(receiptId)).catch(InspectorError.from);
    running = false;
    if (!InspectorError.is(undone)) return void (await prove(undone));
    comeBack?.();
    await refuse(client, receiptId, undone);
  };

  const undoLast = async (): Promise<void> => {
    const receipt = last;
    const isUndo = receipt?.request.kind === 'undo' && !(await isRedo(receipt));
    if (receipt?.undoable === true && !isUndo) return undo(receipt.id);
    const reason = typeof receipt?.undoable === 'string' ? receipt.undoable : undefined;
    showProof({ text: { tone: 'warn', title: reason ?? 'Nothing to undo on this page yet.', evidence: TO_ACTIVITY } });
  };

  const redoLast = async (): Promise<void> => {
    const newest = (await api.activity().catch(() => undefined))?.items[0];
    const isOpen = newest?.undoable === true && newest.undoneBy === undefined;
    if (isOpen && newest.request.kind === 'undo' && !(await isRedo(newest))) return undo(newest.id);
    const title = "Nothing to redo: the last change wasn't an undo.";
    showProof({ text: { tone: 'warn', title, evidence: TO_ACTIVITY } });
  };

  return { prove, proveAll, undo, undoLast, redoLast };
}

/** True for the undo of an undo: what was done holds again. */
async function isRedo({ request }: Pick<Receipt, 'request'>): Promise<boolean> {
  if (request.kind !== 'undo') return false;
  return (await api.receipt(request.receiptId).catch(() => undefined))?.request.kind === 'undo';
}

/** Says why nothing was undone, with the numbers of the checkpoints that are in the way. */
async function refuse(client: QueryClient, receiptId: string, error: InspectorError): Promise<void> {
  const receipt = await client.fetchQuery({ ...receiptQuery(receiptId), retry: false }).catch(() => undefined);
  const store = receipt?.store ?? '';
  const newer = newerOf(error)
    .filter((item) => typeof item !== 'string')
    .slice(0, NAMED);
  await Promise.all(newer.map((ref) => nameRef(client, store, ref)));
  showProof({ text: undoRefusal(error, namesFromCache(client, store)) });
}

/** So that a message can say `#11` instead of an id. A failure only costs the number. */
async function nameRef(client: QueryClient, store: string, ref: CheckpointRef): Promise<void> {
  await client.fetchQuery({ ...findQuery(store, ref.id), retry: false }).catch(() => undefined);
}
