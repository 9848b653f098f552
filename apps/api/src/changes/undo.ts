import {
  InspectorError,
  planList,
  sameRef,
  type Capability,
  type CheckpointRef,
  type CheckpointSource,
  type PlanTarget,
  type PlanView,
  type Receipt,
  type StoreId,
} from '@checkpoint-inspector/core';
import { compareMarks, undoJob } from '@checkpoint-inspector/io';
import type { Intent } from '@checkpoint-inspector/journal';
import { locationOf } from './location.ts';
import { headTask, type Context, type PlannedChange } from './types.ts';

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
  const { source, target } = await assertUndoable(context, receipt, intent);
  const head = receipt.latestNow.ref;
  const task = headTask(receipt);
  const view: PlanView = {
    id,
    expiresAt,
    request: { kind: 'undo', receiptId },
    store: receipt.store,
    task: receipt.task,
    ...(receipt.targetTask === undefined ? {} : { targetTask: receipt.targetTask }),
    preconditions: [{ kind: 'head', task, ...(head ? { ref: head } : {}) }],
    writes: planList(receipt.removed.map((ref) => ({ ref, reason: 'put back as it was' }))),
    moves: planList([]),
    removes: planList(receipt.written.map((ref) => ({ ref, reason: 'written by the change that is taken back' }))),
    evicts: planList([]),
    protected: planList([]),
    warnings: [],
    latestBefore: await source.latest(task),
    ...(intent.plan.latestBefore.ref ? { latestAfter: intent.plan.latestBefore.ref } : {}),
    ...(intent.headHash === undefined ? {} : { proofHash: intent.headHash }),
    bytesFreed: 0,
  };
  return { view, job: undoJob(target, context.journal.images(receiptId)) };
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

/** Undo needs the head, and every row and file, still to be as the receipt left them. */
async function assertUndoable(
  context: Context,
  receipt: Receipt,
  intent: Intent,
): Promise<{ source: CheckpointSource; target: PlanTarget }> {
  if (receipt.undoneBy !== undefined) {
    throw conflict(`It is already taken back, by ${receipt.undoneBy}.`, { undoneBy: receipt.undoneBy });
  }
  const marks = context.journal.marks(receipt.id);
  if (marks.length === 0)
    throw new InspectorError('unsupported', 'It changed nothing, so there is nothing to take back.');
  const source = openSource(context, intent);
  const target = targetOf(context, intent.store, intent.target);
  await assertHead(source, receipt);
  const sides = await compareMarks(target, marks);
  const changed = marks.filter((_, index) => sides[index] !== 'after' && sides[index] !== 'both');
  if (changed.length === 0) return { source, target };
  const names = changed.slice(0, 10).map((mark) => (mark.kind === 'file' ? mark.path : mark.table));
  throw conflict(`What it left behind was changed since: ${[...new Set(names)].join(', ')}.`, { changed: names });
}

async function assertHead(source: CheckpointSource, receipt: Receipt): Promise<void> {
  const task = headTask(receipt);
  const head = receipt.latestNow.ref;
  const { ref: now } = await source.latest(task);
  if (now === undefined ? head === undefined : head && sameRef(now, head)) return;
  if (now === undefined)
    throw conflict(`"${task}" has no readable checkpoint now. If the store is encrypted, unlock it first.`, {});
  throw conflict(`The latest of "${task}" is another one since.`, { newer: await newerThan(source, task, head) });
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

function conflict(message: string, data: Record<string, unknown>): InspectorError {
  return new InspectorError('undo_conflict', message, { data });
}
