import {
  refKey,
  type CheckpointRef,
  type CheckpointSource,
  type PlanItem,
  type PlanView,
  type Receipt,
  type StoreId,
} from '@checkpoint-inspector/core';
import type { FailedStep } from '@checkpoint-inspector/io';
import type { TrashEntry } from './journal/types.ts';
import type { ReadBack } from './proof.ts';

type Failed = Receipt['failed'][number];

export interface ReceiptParts {
  readonly id: string;
  readonly store: StoreId;
  readonly plan: PlanView;
  readonly appliedAt: Date;
  /** What really happened, in the engine's words. */
  readonly done: readonly string[];
  readonly failed: readonly Failed[];
  readonly removed: readonly CheckpointRef[];
  readonly readBack: ReadBack;
}

export function makeReceipt(parts: ReceiptParts): Receipt {
  const { id, store, plan, done } = parts;
  const written = [...plan.writes.items.map(({ ref }) => ref), ...plan.moves.items.map(({ to }) => to)];
  return {
    id,
    planId: plan.id,
    request: plan.request,
    store,
    task: plan.task,
    ...(plan.targetTask === undefined ? {} : { targetTask: plan.targetTask }),
    appliedAt: parts.appliedAt.toISOString(),
    done,
    failed: parts.failed,
    written: done.length === 0 ? [] : written,
    removed: parts.removed,
    latestNow: parts.readBack.latest,
    proof: parts.readBack.proof,
    ...(parts.readBack.differs ? { differs: parts.readBack.differs } : {}),
    undoable: done.length > 0 ? true : 'Nothing was changed.',
    ...(plan.next === undefined || done.length === 0 ? {} : { next: plan.next }),
  };
}

/** Failed file steps with the checkpoint they belong to, where the plan names the file. */
export function withRefs(plan: PlanView, failed: readonly FailedStep[]): Failed[] {
  const items = [...plan.removes.items, ...plan.evicts.items];
  return failed.map(({ what, reason }) => {
    const item = items.find(({ where }) => where === what);
    return { ...(item ? { ref: item.ref } : {}), what, reason };
  });
}

/** What the plan was to take away and what the store no longer has. A delete names all its refs, also past the first 100. */
export async function removedRefs(
  source: CheckpointSource | undefined,
  plan: PlanView,
  failed: readonly Failed[],
): Promise<CheckpointRef[]> {
  const left = new Set(failed.map(({ ref }) => ref && refKey(ref)));
  const planned = removedItems(plan).map(({ ref }) => ref);
  const candidates = planned.filter((ref) => !left.has(refKey(ref)));
  if (!source) return candidates;
  const gone: CheckpointRef[] = [];
  for (const ref of candidates) if (await isGone(source, ref)) gone.push(ref);
  return gone;
}

async function isGone(source: CheckpointSource, ref: CheckpointRef): Promise<boolean> {
  try {
    return (await source.raw?.(ref)) === undefined;
  } catch {
    return false; // it is there and cannot be read
  }
}

function removedItems(plan: PlanView): readonly PlanItem[] {
  const now = plan.evicts.items.filter(({ when }) => when === 'now');
  // A prune names its items one by one; a delete also those past the first 100.
  if (plan.request.kind !== 'delete') return [...plan.removes.items, ...now, ...plan.moves.items];
  const shown = new Map(plan.removes.items.map((item) => [refKey(item.ref), item]));
  const asked = plan.request.refs.map((ref) => shown.get(refKey(ref)) ?? { ref, reason: 'asked for' });
  return [...asked, ...now];
}

/** What a change put into the trash; an undo fills no trash, it is undone by its own receipt. */
export function trashOf(plan: PlanView, removed: readonly CheckpointRef[]): TrashEntry[] {
  if (plan.request.kind === 'undo') return [];
  const items = new Map(removedItems(plan).map((item) => [refKey(item.ref), item]));
  return removed.map((ref) => {
    const item = items.get(refKey(ref));
    return {
      ref,
      what: item?.where ?? ref.id,
      ...(item?.sizeBytes === undefined ? {} : { sizeBytes: item.sizeBytes }),
    };
  });
}
