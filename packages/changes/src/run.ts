import { InspectorError, type CheckpointSource, type Receipt } from '@checkpoint-inspector/core';
import type { Applied } from '@checkpoint-inspector/io';
import type { NewIntent } from './journal/types.ts';
import { randomUUID } from 'node:crypto';
import { activeIntents, conclude, settle, written } from './settle.ts';
import { checkPreconditions } from './preconditions.ts';
import { revisionOf } from './proof.ts';
import { protectedSince } from './prune.ts';
import { headTask, isDelete, type Context, type ReadyChange } from './types.ts';
import { planUndo } from './undo.ts';

/** Applies a plan: preconditions, intent with before-images, executor, latest re-read, receipt. */
export async function runChange(context: Context, planned: ReadyChange): Promise<Receipt> {
  const source = context.sources(planned.view.store);
  const since = await protectedSince(context, source, planned.view);
  const { change, failed } = await checkPreconditions(source, await verified(context, planned), since);
  const intent = await newIntent(source, change);
  activeIntents.add(intent.id);
  try {
    return await execute(context, source, change, intent, failed);
  } finally {
    activeIntents.delete(intent.id);
  }
}

/** An undo is made anew: every after-image is looked at again. */
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
    ...(location === undefined ? {} : { location }),
    ...(hash === undefined ? {} : { headHash: hash }),
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
  const settled = await settle(context, intent, images);
  if (settled.outcome === 'completed') return conclude(context, intent, settled, []);
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
  return new InspectorError(code, `The change is done, but its receipt could not be kept yet: ${message}`, {
    cause: error,
    remedy: 'Free the journal (space, locks); the receipt is written at the next start.',
  });
}
