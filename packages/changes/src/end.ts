import type { CheckpointSource, PlanView, Receipt } from '@checkpoint-inspector/core';
import { settleImages, type Image, type Settled } from '@checkpoint-inspector/io';
import type { NewIntent } from './journal/types.ts';
import { readBack } from './proof.ts';
import { makeReceipt, removedRefs, trashOf, withRefs } from './receipt.ts';
import type { Context } from './types.ts';
import { openSource, targetOf } from './undo.ts';

/** Restore and fork prove what they wrote before anything is removed. */
export function written(source: CheckpointSource, view: PlanView): { written?: () => Promise<boolean> } {
  if (view.proofHash === undefined || view.request.kind === 'undo') return {};
  return { written: async () => (await readBack(source, view)).proof !== 'different' };
}

/** Ends an intent at the store: completed or taken back. A store in memory went with its process. */
export async function settle(context: Context, intent: NewIntent, images: readonly Image[]): Promise<Settled> {
  if (intent.target.kind === 'memory' && !context.tables.has(intent.store)) {
    return { outcome: 'rolled-back', skipped: images.map((_, index) => index), failed: [] };
  }
  const source = sourceIfOpen(context, intent);
  return settleImages(targetOf(context, intent.store, intent.target), images, {
    tag: intent.id,
    ...(source ? written(source, intent.plan) : {}),
  });
}

/** Ends an intent in the journal, with its receipt. */
export async function conclude(
  context: Context,
  intent: NewIntent,
  settled: Settled,
  images: readonly Image[],
  already: Receipt['failed'],
): Promise<Receipt> {
  const { plan, store, id } = intent;
  const source = sourceIfOpen(context, intent);
  const undone = new Set(settled.skipped);
  const failed = [...already, ...withRefs(plan, settled.failed)];
  const done = settled.outcome === 'completed';
  const removed = done ? await removedRefs(source, plan, failed) : [];
  const receipt = makeReceipt({
    id,
    store,
    plan,
    appliedAt: context.now(),
    marks: images.filter((_, index) => !undone.has(index)).map(({ mark }) => mark),
    failed: done ? failed : [...failed, cutOff(plan.request.kind)],
    removed,
    readBack: await readBack(source, done ? plan : withoutPromise(plan)),
  });
  context.journal.finish(id, {
    receipt,
    skipped: settled.skipped,
    trash: trashOf(plan, removed),
    sidecar: done ? (plan.sidecar ?? []) : [],
  });
  context.onStep?.('receipt');
  return receipt;
}

function cutOff(kind: string) {
  return { what: kind, reason: 'The program ended before anything was done; what it had begun was undone.' };
}

/** A change that was taken back promises nothing about the latest. */
function withoutPromise({ proofHash: _hash, latestAfter: _after, ...plan }: NewIntent['plan']): NewIntent['plan'] {
  return plan;
}

function sourceIfOpen(context: Context, intent: NewIntent): CheckpointSource | undefined {
  try {
    return openSource(context, intent);
  } catch {
    return undefined; // a receipt can be written without it, and says so
  }
}
