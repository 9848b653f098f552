/** What a receipt proves, in one sentence and one line of evidence. */
import { type CheckpointRef, InspectorError, proofDifference, type Receipt } from '@checkpoint-inspector/core';
import * as z from 'zod/mini';
import { formatCount, cutMiddle, plural, showId } from '../../lib/format.ts';
import { actOfPrune } from '../prune/words.ts';
import { nameList, type NameOf, type ProofText } from './sentences.ts';

export function proofOf(receipt: Receipt, nameOf: NameOf, storeLabel: string): ProofText {
  return {
    tone: receipt.proof === 'different' || receipt.failed.length > 0 ? 'warn' : 'good',
    title: titleOf(receipt, nameOf),
    evidence: evidenceOf(receipt, nameOf, storeLabel),
  };
}

function titleOf(receipt: Receipt, nameOf: NameOf): string {
  const { request, proof } = receipt;
  if (receipt.failed.length > 0) return partly(receipt);
  switch (request.kind) {
    case 'restore':
      if (proof === 'same') return 'Restored. Latest now returns this state ✓';
      return proof === 'different'
        ? `Written, but ${proofDifference(receipt) ?? 'latest returns another state'}.`
        : `Restored ${nameOf(request.ref)}. It couldn't be verified.`;
    case 'fork':
      if (proof === 'same') return 'Forked. The new checkpoint reads back as this state ✓';
      return proof === 'different'
        ? `Written, but ${proofDifference(receipt) ?? 'the new checkpoint reads back as another state'}.`
        : `Forked ${nameOf(request.ref)}. It couldn't be verified.`;
    case 'edit':
      if (proof === 'same') return 'Saved as a fork. The new checkpoint reads back as this state ✓';
      return proof === 'different'
        ? `Written, but ${proofDifference(receipt) ?? 'the new checkpoint reads back as another state'}.`
        : `Saved an edit of ${nameOf(request.ref)}. It couldn't be verified.`;
    case 'save':
      return 'Saved.';
    case 'prune':
    case 'delete':
      return proof === 'different'
        ? `Deleted, but ${proofDifference(receipt) ?? "the store doesn't match the plan"}.`
        : `Moved ${plural(receipt.removed.length, 'checkpoint')} to the trash.`;
    case 'undo':
      if (proof === 'different')
        return `Undone, but ${proofDifference(receipt) ?? "the store isn't the same as before"}.`;
      return receipt.removed.length === 0 && receipt.written.length > 0
        ? `Undone. ${plural(receipt.written.length, 'checkpoint')} ${receipt.written.length === 1 ? 'is' : 'are'} in place again, byte for byte.`
        : 'Undone. The store is as it was before.';
  }
}

function partly(receipt: Receipt): string {
  const made = takesAway(receipt)
    ? `${formatCount(receipt.removed.length)} deleted`
    : `${formatCount(receipt.done.length)} done`;
  return `${made}, ${formatCount(receipt.failed.length)} failed: ${receipt.failed[0]?.reason ?? ''}`;
}

function evidenceOf(receipt: Receipt, nameOf: NameOf, storeLabel: string): string {
  const latest = receipt.latestNow.ref;
  const head =
    latest === undefined
      ? 'the task has no latest checkpoint now'
      : `latest is ${[...new Set([nameOf(latest), cutMiddle(showId(latest.id), 20)])].join(', ')}`;
  const read = receipt.proof === 'none' ? `In ${storeLabel} ${head}.` : `Read back from ${storeLabel}: ${head}.`;
  const evicted =
    takesAway(receipt) || receipt.removed.length === 0
      ? ''
      : ` Evicted ${nameList(receipt.removed, nameOf)}, kept for undo.`;
  return `${read}${receipt.request.kind === 'undo' ? '' : evicted}`;
}

const takesAway = ({ request: { kind } }: Receipt): boolean => kind === 'delete' || kind === 'prune';

/** One line of the activity list. @example 'Restored #06' */
export function actOf(receipt: Receipt, nameOf: NameOf): string {
  const { request } = receipt;
  switch (request.kind) {
    case 'restore':
      return `Restored ${nameOf(request.ref)}`;
    case 'fork':
      return `Forked ${nameOf(request.ref)}`;
    case 'edit':
      return `Edited ${nameOf(request.ref)}`;
    case 'save':
      return `Saved to ${showId(request.task)}`;
    case 'prune':
      return actOfPrune(receipt);
    case 'delete':
      return `Deleted ${nameList(request.refs, nameOf)}`;
    case 'undo':
      return 'Undid a change';
  }
}

// Undo of a receipt: one call, and its result or refusal in words.

const ref = z.object({ task: z.string(), namespace: z.optional(z.string()), id: z.string() });
/** What an undo_conflict may say about the checkpoints that were saved in the meantime. */
const conflictData = z.object({ newer: z.array(z.union([ref, z.string()])) });

export function newerOf(error: InspectorError): readonly (CheckpointRef | string)[] {
  const parsed = conflictData.safeParse(error.data);
  if (!parsed.success) return [];
  return parsed.data.newer.map((item) => {
    if (typeof item === 'string') return item;
    const { namespace, ...rest } = item;
    return { ...rest, ...(namespace === undefined ? {} : { namespace }) };
  });
}

/** Why it was not undone, and what can be done. */
export function undoRefusal(error: InspectorError, nameOf: NameOf): ProofText {
  const newer = newerOf(error);
  if (error.code !== 'undo_conflict' || newer.length === 0) {
    return { tone: 'warn', title: `Not undone: ${error.message}`, evidence: `Nothing was changed. ${error.remedy}` };
  }
  const refs = newer.filter((item) => typeof item !== 'string');
  const named =
    refs.length === newer.length
      ? nameList(refs, nameOf)
      : newer.map((item) => (typeof item === 'string' ? item : nameOf(item))).join(', ');
  return {
    tone: 'warn',
    title: `Not undone: it would also remove ${named}, saved since.`,
    evidence: `Nothing was changed. ${error.remedy}`,
  };
}
