/** A prune in words. No figure here that the plans do not hold. */
import { policyText, type PlanView, type Receipt } from '@checkpoint-inspector/core';
import { formatCount, formatSize, plural, showId } from '../../lib/format.ts';
import type { ProofText } from '../change/sentences.ts';

/** Every checkpoint of the tasks is counted in one of these. */
export function accountOf(plans: readonly PlanView[]) {
  const sum = (of: (plan: PlanView) => number): number => plans.reduce((total, plan) => total + of(plan), 0);
  return {
    goes: sum((plan) => plan.removes.count),
    stays: sum((plan) => plan.protected.count),
    skipped: sum((plan) => plan.leftOut?.skipped ?? 0),
    others: sum((plan) => plan.leftOut?.others ?? 0),
    bytes: sum((plan) => plan.bytesFreed),
  };
}

/** Told to screen readers when a preview has come. @example '41 to delete, 56.6 kB; 6 protected; 1 unreadable skipped' */
export function accountText({ goes, stays, skipped, bytes }: Omit<ReturnType<typeof accountOf>, 'others'>): string {
  return [
    `${formatCount(goes)} to delete, ${formatSize(bytes)}`,
    `${formatCount(stays)} protected`,
    ...(skipped === 0 ? [] : [`${formatCount(skipped)} unreadable skipped`]),
  ].join('; ');
}

export function titleOf(tasks: readonly string[]): string {
  const [only] = tasks;
  return tasks.length === 1 && only !== undefined
    ? `Tidy up ${showId(only)}`
    : `Tidy up ${formatCount(tasks.length)} tasks`;
}

/** What undo gives back, and until when. */
export function undoText(plans: readonly PlanView[]): string {
  const { goes } = accountOf(plans);
  if (goes === 0) return 'No checkpoints match this policy.';
  const one = goes === 1 ? 'it' : `all ${formatCount(goes)}`;
  const each = plans.filter((plan) => plan.removes.count > 0).length > 1 ? ', task by task' : '';
  return `Undo brings ${one} back byte for byte${each}, even after the agent has saved again.`;
}

/** Of several tasks at once. */
export function proofOfAll(receipts: readonly Receipt[]): ProofText {
  const gone = receipts.reduce((sum, { removed }) => sum + removed.length, 0);
  const failed = receipts.flatMap((receipt) => receipt.failed);
  return {
    tone: failed.length > 0 ? 'warn' : 'good',
    title:
      failed.length > 0
        ? `${formatCount(gone)} deleted, ${formatCount(failed.length)} failed: ${failed[0]?.reason ?? ''}`
        : `Moved ${plural(gone, 'checkpoint')} of ${plural(receipts.length, 'task')} to the trash.`,
    evidence: 'Each task has a receipt and an undo of its own in Activity.',
  };
}

/** @example 'Deleted 41 checkpoints older than 30 days' */
export function actOfPrune({ request, removed }: Receipt): string {
  const what = request.kind === 'prune' ? ` ${policyText(request.policy)}` : '';
  return `Deleted ${plural(removed.length, 'checkpoint')}${what}`;
}
