import { compact, refKey, sameRef } from '@checkpoint-inspector/core';
import type {
  CheckpointRef,
  CheckpointSource,
  Latest,
  PlanItem,
  PlanView,
  Proof,
  ProofPart,
  Receipt,
  StoreId,
} from '@checkpoint-inspector/core';
import type { FailedStep } from '@checkpoint-inspector/io';
import type { TrashEntry } from './journal/types.ts';
import { storedRevision } from './store.ts';
import { headTask } from './types.ts';

type Failed = Receipt['failed'][number];

interface ReceiptParts {
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
    ...compact({ targetTask: plan.targetTask }),
    appliedAt: parts.appliedAt.toISOString(),
    done,
    failed: parts.failed,
    written: done.length === 0 ? [] : written,
    removed: parts.removed,
    ...compact({ steps: stepsOf(plan, parts.removed) }),
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
    return compact({ ref: item?.ref, what, reason });
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
    return (await storedRevision(source, ref)) === undefined;
  } catch {
    return false; // it is there and cannot be read
  }
}

function removedItems(plan: PlanView): readonly PlanItem[] {
  const now = plan.evicts.items.filter(({ when }) => when === 'now');
  // A prune names its items one by one; a delete also those past the first 100.
  if (plan.request.kind !== 'delete') return [...plan.removes.items, ...now, ...plan.moves.items];
  const shown = new Map(plan.removes.items.map((item) => [refKey(item.ref), item]));
  const asked = plan.request.refs.map((ref) => shown.get(refKey(ref)) ?? { ref, reason: 'requested' });
  return [...asked, ...now];
}

/** More of them are listed by their ids. */
const MOST_NAMED = 100;

function stepsOf(plan: PlanView, removed: readonly CheckpointRef[]): Receipt['steps'] {
  const gone = new Set(removed.map(refKey));
  const known = removedItems(plan).flatMap(({ ref, step }) => (step && gone.has(refKey(ref)) ? [{ ref, step }] : []));
  return known.length === 0 ? undefined : known.slice(0, MOST_NAMED);
}

/** What a change put into the trash; an undo fills no trash, it is undone by its own receipt. */
export function trashOf(plan: PlanView, removed: readonly CheckpointRef[]): TrashEntry[] {
  if (plan.request.kind === 'undo') return [];
  const items = new Map(removedItems(plan).map((item) => [refKey(item.ref), item]));
  return removed.map((ref) => {
    const item = items.get(refKey(ref));
    return compact({ ref, what: item?.where ?? ref.id, sizeBytes: item?.sizeBytes });
  });
}

interface Proven {
  readonly proof: Proof;
  /** Only where the proof is `different`. */
  readonly differs?: readonly ProofPart[];
}

interface ReadBack extends Proven {
  readonly latest: Latest;
}

/** What the store answers for the latest now, and whether all is as the plan promised. Never throws. */
export async function readBack(source: CheckpointSource | undefined, plan: PlanView): Promise<ReadBack> {
  if (!source) return { latest: { basis: 'none', note: 'The store was not open.' }, proof: 'none' };
  let latest: Latest;
  try {
    latest = await source.latest(headTask(plan));
  } catch (error) {
    return {
      latest: { basis: 'none', note: `The latest checkpoint couldn't be read: ${wordsOf(error)}` },
      proof: 'none',
    };
  }
  try {
    return { latest, ...(await prove(source, plan, latest)) };
  } catch (error) {
    return { latest: { ...latest, note: `What was written couldn't be read back: ${wordsOf(error)}` }, proof: 'none' };
  }
}

/** Two questions, each on its own: a fork of an older checkpoint is written and does not become the latest. */
async function prove(source: CheckpointSource, plan: PlanView, { ref }: Latest): Promise<Proven> {
  const { proofHash, latestAfter } = plan;
  if (proofHash === undefined || isSavedSince(plan, ref)) return { proof: 'none' };
  const written = writtenRef(plan);
  const differs: ProofPart[] = [];
  if (written && !(await readsBack(source, written, proofHash))) differs.push('written');
  const isLatest = latestAfter ? isSameRef(ref, latestAfter) : written !== undefined;
  // Nothing was written: the planned latest is what the state is of.
  const isRight = isLatest && (written !== undefined || (await readsBack(source, ref, proofHash)));
  if (!isRight) differs.push('latest');
  return differs.length === 0 ? { proof: 'same' } : { proof: 'different', differs };
}

/** The checkpoint whose state the plan knows; what an undo puts back is compared by its marks. */
function writtenRef({ request, writes }: PlanView): CheckpointRef | undefined {
  return request.kind === 'undo' ? undefined : writes.items[0]?.ref;
}

async function readsBack(source: CheckpointSource, ref: CheckpointRef | undefined, hash: string): Promise<boolean> {
  return ref !== undefined && (await source.state(ref))?.revision === hash;
}

function isSameRef(a: CheckpointRef | undefined, b: CheckpointRef): boolean {
  return a !== undefined && sameRef(a, b);
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** An undo below a head that moves on: an agent has saved again, and that is not an answer about what was put back. */
function isSavedSince(
  { request, preconditions, latestAfter, writes }: PlanView,
  ref: CheckpointRef | undefined,
): boolean {
  if (request.kind !== 'undo' || preconditions.length > 0 || !ref || !latestAfter) return false;
  return !sameRef(ref, latestAfter) && !writes.items.some((item) => sameRef(item.ref, ref));
}

/** Revision of a latest; absent where there is none or it cannot be read. */
export async function revisionOf(
  source: CheckpointSource,
  ref: CheckpointRef | undefined,
): Promise<string | undefined> {
  try {
    return ref && (await source.state(ref))?.revision;
  } catch {
    return undefined; // an unreadable latest does not justify refusing a change; its undo then has no proof
  }
}
