import { compact, emptyPlanLists, InspectorError, refOfMeta, sameRef, stepOfRemoved } from '@checkpoint-inspector/core';
import type {
  Capability,
  CheckpointRef,
  CheckpointSource,
  PlanItem,
  PlanWarning,
  PlanView,
  Receipt,
} from '@checkpoint-inspector/core';
import type { Side } from '@checkpoint-inspector/io';
import type { Intent } from './journal/types.ts';
import { alreadyUndone } from './journal/intents.ts';
import { revisionOf } from './receipt.ts';
import { openSource } from './store.ts';
import { headTask, inFull, isDelete, type Context, type ReadyChange } from './types.ts';

/** @throws InspectorError not_found | undo_conflict | unsupported | no_store */
export async function planUndo(
  context: Context,
  receiptId: string,
  { id, expiresAt }: Pick<PlanView, 'id' | 'expiresAt'>,
): Promise<ReadyChange> {
  const receipt = context.journal.receipt(receiptId);
  const intent = context.journal.intent(receiptId);
  if (!receipt || !intent)
    throw new InspectorError('not_found', `There is no receipt ${receiptId}.`, {
      data: { receiptId },
      remedy: 'List them with `receipts`.',
    });
  const found = await openUndo(context, receipt);
  const { source, headStays, marks } = found;
  const engine = context.executors.get(intent.engine);
  assertUnchanged(await engine.compare(intent.place, marks));
  const task = headTask(receipt);
  const latest = await source.latest(task);
  const head = receipt.latestNow.ref;
  const view: PlanView = {
    id,
    expiresAt,
    request: { kind: 'undo', receiptId },
    store: source.info.id,
    task: receipt.task,
    ...compact({ targetTask: receipt.targetTask }),
    preconditions: headStays ? [] : [{ kind: 'head', task, ...(head ? { ref: head } : {}) }],
    ...emptyPlanLists(),
    writes: inFull(receipt.removed.map((ref) => broughtBack(receipt, ref))),
    removes: inFull(receipt.written.map((ref) => ({ ref, reason: 'written by the change being undone' }))),
    warnings: isSame(latest.ref, head) ? [] : [MOVED_ON],
    latestBefore: latest,
    ...(headStays
      ? promise(latest.ref, await revisionOf(source, latest.ref))
      : promise(intent.plan.latestBefore.ref, intent.headHash)),
    bytesFreed: 0,
  };
  return { view, job: await engine.undo(intent.place, context.journal.images(receiptId)) };
}

const broughtBack = (receipt: Receipt, ref: CheckpointRef): PlanItem =>
  compact({ ref, reason: 'brought back unchanged', step: stepOfRemoved(receipt, ref) });

const MOVED_ON: PlanWarning = {
  code: 'moved_on',
  message: 'The task has moved on. What comes back returns to its old place, and the latest stays the latest.',
};

/** What the store has to answer afterwards: the latest, and its state where it can be read. */
function promise(
  latestAfter: CheckpointRef | undefined,
  proofHash: string | undefined,
): Pick<PlanView, 'latestAfter' | 'proofHash'> {
  return compact({ latestAfter, proofHash });
}

/** For each receipt true, or why one click does not undo it now. Each place is compared once, however many there are. */
export async function undoable(context: Context, receipts: readonly Receipt[]): Promise<Capability[]> {
  if (context.readOnly) return receipts.map(() => 'The inspector was started with --read-only.');
  const found: (Undoable | string)[] = [];
  const places = new Map<string, Undoable[]>();
  for (const receipt of receipts) {
    const one = await openUndo(context, receipt).catch(wordsOf);
    found.push(one);
    if (typeof one === 'string') continue;
    const place = JSON.stringify([one.intent.engine, one.intent.place]);
    places.set(place, [...(places.get(place) ?? []), one]);
  }
  const refused = new Map<Undoable, string>();
  for (const all of places.values()) await compareAll(context, all, (one, reason) => refused.set(one, reason));
  return found.map((one) => (typeof one === 'string' ? one : (refused.get(one) ?? true)));
}

async function compareAll(
  context: Context,
  all: readonly Undoable[],
  refuse: (one: Undoable, reason: string) => void,
): Promise<void> {
  const [first] = all;
  if (!first) return;
  const { engine, place } = first.intent;
  try {
    const marks = all.flatMap((one) => one.marks);
    let sides = await context.executors.get(engine).compare(place, marks);
    for (const one of all) {
      const reason = whyChanged(sides.slice(0, one.marks.length));
      sides = sides.slice(one.marks.length);
      if (reason) refuse(one, reason.message);
    }
  } catch (error) {
    for (const one of all) refuse(one, wordsOf(error));
  }
}

function wordsOf(error: unknown): string {
  return InspectorError.from(error).message;
}

interface Undoable {
  readonly intent: Intent;
  readonly source: CheckpointSource;
  /** What the change left behind: it must be there still. */
  readonly marks: readonly unknown[];
  /** The undo moves no head, whichever is the latest now. */
  readonly headStays: boolean;
}

/** All that an undo needs but a look at what the change left behind: there are before-images, and the head has not moved on. */
async function openUndo(context: Context, receipt: Receipt): Promise<Undoable> {
  const intent = context.journal.intent(receipt.id);
  if (!intent) throw new InspectorError('unsupported', 'The journal has no before-images for it.');
  const purgedAt = context.journal.purgedAt(receipt.id);
  if (purgedAt !== undefined) {
    const message = `Its trash was emptied on ${purgedAt.slice(0, 10)}, so it can't be undone.`;
    throw new InspectorError('unsupported', message, { data: { purgedAt } });
  }
  if (receipt.undoneBy !== undefined) {
    throw alreadyUndone(receipt.undoneBy);
  }
  const marks = context.journal.marks(receipt.id);
  if (marks.length === 0) throw new InspectorError('unsupported', 'It changed nothing, so there is nothing to undo.');
  const source = openSource(context, intent);
  return { intent, source, marks, headStays: await leavesHead(context, source, receipt, intent) };
}

/** Undo needs every row and file still to be as the receipt left them. @throws InspectorError undo_conflict */
function assertUnchanged(sides: readonly Side[]): void {
  const reason = whyChanged(sides);
  if (reason) throw reason;
}

function whyChanged(sides: readonly Side[]): InspectorError | undefined {
  const changed = sides.filter(({ is }) => is !== 'after' && is !== 'both').map(({ what }) => what);
  if (changed.length === 0) return undefined;
  const names = changed.slice(0, 10);
  return conflict(`What it wrote has changed since: ${[...new Set(names)].join(', ')}.`, { changed: names });
}

/**
 * True if the undo moves no head, wherever that is now. Else the head must be the receipt's.
 * @throws InspectorError undo_conflict
 */
async function leavesHead(
  context: Context,
  source: CheckpointSource,
  receipt: Receipt,
  intent: Intent,
): Promise<boolean> {
  if (await wasBelow(context, source, receipt, intent)) return true;
  const task = headTask(receipt);
  const head = receipt.latestNow.ref;
  const { ref: now } = await source.latest(task);
  if (isSame(now, head)) return false;
  if (now === undefined)
    throw conflict(`"${task}" has no readable checkpoint now. If the store is encrypted, unlock it first.`, {});
  throw conflict(`The latest checkpoint of "${task}" has changed since.`, {
    newer: await newerThan(source, task, head),
  });
}

/**
 * Whether a delete took away only what stood below the latest of then, and that one is still there as it was. Then
 * whatever is the latest now is above all of it, and putting it back moves no head. Where it made room for saves of an
 * agent, which evict each other, the journal knows which of them is above it now.
 */
async function wasBelow(
  { journal }: Context,
  source: CheckpointSource,
  { id, request, removed }: Receipt,
  { plan, headHash }: Intent,
): Promise<boolean> {
  const above = journal.agents.above(id);
  if (above !== undefined && (await revisionOf(source, above.ref)) === above.revision) return true;
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
  const refs = items.map(refOfMeta);
  const end = head ? refs.findIndex((ref) => sameRef(ref, head)) : -1;
  return end === -1 ? refs : refs.slice(0, end);
}

function isSame(a: CheckpointRef | undefined, b: CheckpointRef | undefined): boolean {
  return a === undefined || b === undefined ? a === b : sameRef(a, b);
}

function conflict(message: string, data: Record<string, unknown>): InspectorError {
  return new InspectorError('undo_conflict', message, { data });
}
