import { compact, InspectorError } from '@checkpoint-inspector/core';
import type { CheckpointSource, PlanView, Receipt } from '@checkpoint-inspector/core';
import type { Applied, Image, Settled } from '@checkpoint-inspector/io';
import { randomUUID } from 'node:crypto';
import type { Intent, NewIntent } from './journal/types.ts';
import { checkPreconditions } from './preconditions.ts';
import { protectedSince } from './prune.ts';
import { makeReceipt, readBack, removedRefs, revisionOf, trashOf, withRefs } from './receipt.ts';
import { openSource } from './store.ts';
import { headTask, isDelete } from './types.ts';
import type { Context, InterruptedChange, ReadyChange, RecoveredIntent } from './types.ts';
import { planUndo } from './undo.ts';

/** Intents that this process is working on, over all services in it. */
export const activeIntents = new Set<string>();

/** Applies a plan: preconditions, intent with before-images, executor, latest re-read, receipt. */
export async function runChange(context: Context, planned: ReadyChange): Promise<Receipt> {
  const source = context.sources(planned.view.store);
  const since = await protectedSince(context, source, planned.view);
  const { change, failed } = await checkPreconditions(source, await verified(context, planned), since);
  const intent = { ...(await newIntent(source, change)), ...compact({ proposal: planned.proposal }) };
  activeIntents.add(intent.id);
  try {
    return await execute(context, source, { ...change, identity: planned.identity }, intent, failed);
  } finally {
    activeIntents.delete(intent.id);
  }
}

/** An undo is made again: every after-image is looked at again. */
async function verified(context: Context, planned: ReadyChange): Promise<ReadyChange> {
  const { request } = planned.view;
  return request.kind === 'undo' ? planUndo(context, request.receiptId, planned.view) : planned;
}

async function newIntent(source: CheckpointSource, { view, job }: ReadyChange): Promise<NewIntent> {
  const location = source.info.identity;
  const latestBefore = await source.latest(headTask(view));
  const hash = await revisionOf(source, latestBefore.ref);
  return {
    id: randomUUID(),
    store: view.store,
    // A delete does not ask where the head is: what its undo compares with is the head of this moment.
    plan: isDelete(view.request) ? { ...view, latestBefore } : view,
    engine: job.engine,
    place: job.place,
    ...compact({ location, headHash: hash }),
  };
}

async function execute(
  context: Context,
  source: CheckpointSource,
  change: ReadyChange,
  intent: NewIntent,
  failed: Receipt['failed'],
): Promise<Receipt> {
  let applied: Applied;
  let begun = false;
  context.onStep?.('before-intent');
  try {
    applied = await context.executors.get(intent.engine).apply(change.job, {
      tag: intent.id,
      identity: change.identity,
      prepared: (images) => {
        context.journal.begin(intent, images);
        begun = true;
      },
      ...written(source, change.view),
      ...(context.onStep ? { onStep: context.onStep } : {}),
    });
  } catch (error) {
    const receipt = begun ? await settleFailed(context, intent, error) : undefined;
    if (receipt) return receipt;
    throw asConflict(change, error);
  }
  context.onStep?.('before-receipt');
  try {
    return await conclude(context, intent, { ...applied, outcome: 'completed' }, failed);
  } catch (error) {
    throw doneWithoutReceipt(error);
  }
}

/** The engine has failed: as a rule all is as before and the intent ends. A change found done gets its receipt. */
async function settleFailed(context: Context, intent: NewIntent, error: unknown): Promise<Receipt | undefined> {
  const images = context.journal.images(intent.id);
  const settled = await settle(context, intent, images).catch((error: unknown) => {
    throw notSettled(error);
  });
  if (settled.outcome === 'completed') {
    return conclude(context, intent, settled, []).catch((error: unknown) => {
      throw doneWithoutReceipt(error);
    });
  }
  context.journal.abandon(intent.id, InspectorError.from(error).message);
  return undefined;
}

function asConflict({ view }: ReadyChange, error: unknown): InspectorError {
  const known = InspectorError.from(error);
  if (view.request.kind !== 'undo' || (known.code !== 'changed' && known.code !== 'head_moved')) return known;
  return new InspectorError('undo_conflict', known.message, {
    cause: error,
    ...(known.data ? { data: known.data } : {}),
  });
}

/** The intent stays open, so `recover` or the next change of the store writes the receipt. */
function doneWithoutReceipt(error: unknown): InspectorError {
  const { code, message } = InspectorError.from(error);
  return new InspectorError(code, `The change was made, but its receipt couldn't be saved yet: ${message}`, {
    cause: error,
    remedy: 'Make sure the journal can be written (disk space, locks). The receipt will be saved at the next start.',
  });
}

/** The intent stays open here too: what is in the store is only known when it is settled. */
function notSettled(error: unknown): InspectorError {
  const { code, message } = InspectorError.from(error);
  return new InspectorError(code, `The change was interrupted: ${message}`, {
    cause: error,
    remedy:
      'Free some space if the disk is full. The next change of this store, or `undo`, completes or undoes it first.',
  });
}

/** Restore and fork prove what they wrote before anything is removed. */
export function written(source: CheckpointSource, view: PlanView): { written?: () => Promise<boolean> } {
  if (view.proofHash === undefined || view.request.kind === 'undo') return {};
  return { written: async () => (await readBack(source, view)).proof !== 'different' };
}

/** Ends an intent at the store: completed or rolled back. */
export async function settle(context: Context, intent: NewIntent, images: readonly Image[]): Promise<Settled> {
  const source = sourceIfOpen(context, intent);
  return context.executors.get(intent.engine).settle(intent.place, images, {
    tag: intent.id,
    ...(source ? written(source, intent.plan) : {}),
  });
}

/** Ends an intent in the journal, with its receipt. */
export async function conclude(
  context: Context,
  intent: NewIntent,
  settled: Settled,
  already: Receipt['failed'],
): Promise<Receipt> {
  const { plan, store, id } = intent;
  const source = sourceIfOpen(context, intent);
  const failed = [...already, ...withRefs(plan, settled.failed)];
  const done = settled.outcome === 'completed';
  const removed = done ? await removedRefs(source, plan, failed) : [];
  const receipt = makeReceipt({
    id,
    store: source?.info.id ?? store,
    plan,
    appliedAt: context.now(),
    done: settled.done,
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
  return {
    what: kind,
    reason: 'The program stopped before the change was complete, so the part already done was undone.',
  };
}

/** A change that was rolled back promises nothing about the latest. */
function withoutPromise({ proofHash: _hash, latestAfter: _after, ...plan }: NewIntent['plan']): NewIntent['plan'] {
  return plan;
}

function sourceIfOpen(context: Context, intent: NewIntent): CheckpointSource | undefined {
  try {
    return openSource(context, intent);
  } catch {
    return undefined; // a receipt can be written without it, and reports it
  }
}

/** Ends the changes that nobody works on any longer, each with a receipt. One that fails keeps the others going. */
export async function recoverIntents(
  context: Context,
  wanted: (intent: Intent) => boolean,
  report: (receipt: Receipt) => void,
): Promise<RecoveredIntent[]> {
  const left = context.journal.openIntents().filter((intent) => isLeft(intent) && wanted(intent));
  const recovered: RecoveredIntent[] = [];
  for (const intent of left) recovered.push(await recoverOne(context, intent, report));
  return recovered;
}

/** The store of a change is open, so what happens to it is seen. */
export const isOpenIn = (context: Context, intent: Intent): boolean => sourceIfOpen(context, intent) !== undefined;

/** Looks only. How far a change got is asked of open stores: the place of another one may be far away. */
export async function interruptedChanges(context: Context): Promise<InterruptedChange[]> {
  const found: InterruptedChange[] = [];
  for (const intent of context.journal.openIntents().filter(isLeft)) {
    const { id, plan, begunAt, location } = intent;
    const source = sourceIfOpen(context, intent);
    const progress = source && (await progressOf(context, intent));
    const store = source?.info.id ?? intent.store;
    const request = plan.request;
    found.push({ id, store, task: headTask(plan), request, begunAt, ...compact({ location, progress }) });
  }
  return found;
}

async function progressOf({ executors, journal }: Context, intent: Intent): Promise<InterruptedChange['progress']> {
  try {
    const sides = await executors.get(intent.engine).compare(intent.place, journal.marks(intent.id));
    return { done: sides.filter(({ is }) => is === 'after').length, of: sides.length };
  } catch {
    return undefined; // the store is away, or busy
  }
}

function isLeft(intent: Intent): boolean {
  return intent.owner === 'gone' || (intent.owner === 'here' && !activeIntents.has(intent.id));
}

async function recoverOne(
  context: Context,
  intent: Intent,
  report: (receipt: Receipt) => void,
): Promise<RecoveredIntent> {
  const { id, store, plan } = intent;
  const name = sourceIfOpen(context, intent)?.info.id ?? store;
  const about = { id, store: name, task: headTask(plan), request: plan.request };
  if (context.readOnly) return { ...about, outcome: 'waiting', note: 'The inspector was started with --read-only.' };
  activeIntents.add(id);
  try {
    const images = context.journal.images(id);
    const settled = await settle(context, intent, images);
    const receipt = await conclude(context, intent, settled, []);
    report(receipt);
    const note =
      settled.outcome === 'completed'
        ? 'It was interrupted and has now been completed.'
        : 'It was interrupted and has now been undone.';
    return { ...about, outcome: settled.outcome, note, receipt };
  } catch (error) {
    return { ...about, outcome: 'waiting', note: InspectorError.from(error).message };
  } finally {
    activeIntents.delete(id);
  }
}
