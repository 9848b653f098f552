import {
  emptyPlanLists,
  InspectorError,
  sameRef,
  type Capability,
  type CheckpointRef,
  type CheckpointSource,
  type PlanTarget,
  type PlanWarning,
  type PlanView,
  type Receipt,
  type StoreId,
} from '@checkpoint-inspector/core';
import { compareMarks, undoJob } from '@checkpoint-inspector/io';
import type { Intent } from './journal/types.ts';
import { locationOf } from './location.ts';
import { revisionOf } from './proof.ts';
import { headTask, inFull, isDelete, type Context, type PlannedChange } from './types.ts';

/** @throws InspectorError not_found | undo_conflict | unsupported | no_store */
export async function planUndo(
  context: Context,
  receiptId: string,
  { id, expiresAt }: Pick<PlanView, 'id' | 'expiresAt'>,
): Promise<PlannedChange> {
  const receipt = context.journal.receipt(receiptId);
  const intent = context.journal.intent(receiptId);
  if (!receipt || !intent)
    throw new InspectorError('not_found', `There is no receipt ${receiptId}.`, { data: { receiptId } });
  const { source, target, headStays } = await assertUndoable(context, receipt, intent);
  const task = headTask(receipt);
  const latest = await source.latest(task);
  const head = receipt.latestNow.ref;
  const view: PlanView = {
    id,
    expiresAt,
    request: { kind: 'undo', receiptId },
    store: receipt.store,
    task: receipt.task,
    ...(receipt.targetTask === undefined ? {} : { targetTask: receipt.targetTask }),
    preconditions: headStays ? [] : [{ kind: 'head', task, ...(head ? { ref: head } : {}) }],
    ...emptyPlanLists(),
    writes: inFull(receipt.removed.map((ref) => ({ ref, reason: 'put back as it was' }))),
    removes: inFull(receipt.written.map((ref) => ({ ref, reason: 'written by the change that is undone' }))),
    warnings: isSame(latest.ref, head) ? [] : [MOVED_ON],
    latestBefore: latest,
    ...(headStays
      ? promise(latest.ref, await revisionOf(source, latest.ref))
      : promise(intent.plan.latestBefore.ref, intent.headHash)),
    bytesFreed: 0,
  };
  return { view, job: undoJob(target, context.journal.images(receiptId)) };
}

const MOVED_ON: PlanWarning = {
  code: 'moved_on',
  message: 'The task has gone on since. What comes back stands below the latest, which stays as it is.',
};

/** What the store has to answer afterwards: the latest, and its state where it can be read. */
function promise(
  latestAfter: CheckpointRef | undefined,
  proofHash: string | undefined,
): Pick<PlanView, 'latestAfter' | 'proofHash'> {
  return { ...(latestAfter ? { latestAfter } : {}), ...(proofHash === undefined ? {} : { proofHash }) };
}

/** True, or why one click does not take the receipt back now. */
export async function undoable(context: Context, receipt: Receipt): Promise<Capability> {
  if (context.readOnly) return 'The program was started with --read-only.';
  const intent = context.journal.intent(receipt.id);
  if (!intent) return 'The journal holds no before-images of it.';
  try {
    await assertUndoable(context, receipt, intent);
    return true;
  } catch (error) {
    return InspectorError.from(error).message;
  }
}

interface Undoable {
  readonly source: CheckpointSource;
  readonly target: PlanTarget;
  /** The undo moves no head, whichever is the latest now. */
  readonly headStays: boolean;
}

/** Undo needs every row and file still to be as the receipt left them, and the head too if it moved with the change. */
async function assertUndoable(context: Context, receipt: Receipt, intent: Intent): Promise<Undoable> {
  const purgedAt = context.journal.purgedAt(receipt.id);
  if (purgedAt !== undefined) {
    throw new InspectorError(
      'unsupported',
      `Its trash was emptied on ${purgedAt.slice(0, 10)}, so it can't be undone.`,
      {
        data: { purgedAt },
      },
    );
  }
  if (receipt.undoneBy !== undefined) {
    throw conflict(`It is already undone, by ${receipt.undoneBy}.`, { undoneBy: receipt.undoneBy });
  }
  const marks = context.journal.marks(receipt.id);
  if (marks.length === 0)
    throw new InspectorError('unsupported', 'It changed nothing, so there is nothing to take back.');
  const source = openSource(context, intent);
  const target = targetOf(context, intent.store, intent.target);
  const headStays = await leavesHead(source, receipt, intent);
  const sides = await compareMarks(target, marks);
  const changed = marks.filter((_, index) => sides[index] !== 'after' && sides[index] !== 'both');
  if (changed.length === 0) return { source, target, headStays };
  const names = changed.slice(0, 10).map((mark) => (mark.kind === 'file' ? mark.path : mark.table));
  throw conflict(`What it left behind was changed since: ${[...new Set(names)].join(', ')}.`, { changed: names });
}

/**
 * True if the undo moves no head, wherever that is now. Else the head has to be the receipt's.
 * @throws InspectorError undo_conflict
 */
async function leavesHead(source: CheckpointSource, receipt: Receipt, intent: Intent): Promise<boolean> {
  if (await wasBelow(source, receipt, intent)) return true;
  const task = headTask(receipt);
  const head = receipt.latestNow.ref;
  const { ref: now } = await source.latest(task);
  if (isSame(now, head)) return false;
  if (now === undefined)
    throw conflict(`"${task}" has no readable checkpoint now. If the store is encrypted, unlock it first.`, {});
  throw conflict(`The latest of "${task}" is another one since.`, { newer: await newerThan(source, task, head) });
}

/**
 * Whether a delete took away only what stood below the latest of then, and that one is still there as it was. Then
 * whatever is the latest now stands above all of it, and putting it back moves no head.
 */
async function wasBelow(
  source: CheckpointSource,
  { request, removed }: Receipt,
  { plan, headHash }: Intent,
): Promise<boolean> {
  const before = plan.latestBefore.ref;
  if (!isDelete(request) || !before || headHash === undefined) return false;
  if (removed.some((ref) => sameRef(ref, before))) return false;
  return (await revisionOf(source, before)) === headHash;
}

/** The checkpoints before the receipt's head in resume order; at most one page. */
async function newerThan(
  source: CheckpointSource,
  task: string,
  head: CheckpointRef | undefined,
): Promise<CheckpointRef[]> {
  const { items } = await source.checkpoints(task);
  const refs = items.map(({ taskId, namespace, id }) => ({ task: taskId, ...(namespace ? { namespace } : {}), id }));
  const end = head ? refs.findIndex((ref) => sameRef(ref, head)) : -1;
  return end === -1 ? refs : refs.slice(0, end);
}

/** @throws InspectorError no_store if another store has taken the name */
export function openSource(context: Context, intent: Pick<Intent, 'store' | 'location'>): CheckpointSource {
  const source = context.sources(intent.store);
  if (intent.location === undefined || locationOf(source) === intent.location) return source;
  throw new InspectorError('no_store', `The store of this change is not open: ${intent.location}.`, {
    remedy: 'Open that store and try again.',
    data: { location: intent.location },
  });
}

/** @throws InspectorError unsupported when the memory is gone */
export function targetOf(context: Context, store: StoreId, target: Intent['target']): PlanTarget {
  if (target.kind !== 'memory') return target;
  const tables = context.tables.get(store);
  if (tables) return { kind: 'memory', tables };
  throw new InspectorError('unsupported', 'The store was in memory and is gone.');
}

function isSame(a: CheckpointRef | undefined, b: CheckpointRef | undefined): boolean {
  return a === undefined || b === undefined ? a === b : sameRef(a, b);
}

function conflict(message: string, data: Record<string, unknown>): InspectorError {
  return new InspectorError('undo_conflict', message, { data });
}
