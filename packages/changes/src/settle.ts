import { InspectorError, type CheckpointSource, type PlanView, type Receipt } from '@checkpoint-inspector/core';
import type { Image, Settled } from '@checkpoint-inspector/io';
import type { Intent, NewIntent } from './journal/types.ts';
import { readBack } from './proof.ts';
import { makeReceipt, removedRefs, trashOf, withRefs } from './receipt.ts';
import { openSource } from './store.ts';
import { headTask, type Context, type RecoveredIntent } from './types.ts';

/** Intents that this process is working on, over all services in it. */
export const activeIntents = new Set<string>();

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
    store,
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
  return { what: kind, reason: 'The program ended before anything was done; what it had begun was undone.' };
}

/** A change that was rolled back promises nothing about the latest. */
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

/** Ends the changes that nobody works on any more, each with a receipt. One that fails keeps the others going. */
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

function isLeft(intent: Intent): boolean {
  return intent.owner === 'gone' || (intent.owner === 'here' && !activeIntents.has(intent.id));
}

async function recoverOne(
  context: Context,
  intent: Intent,
  report: (receipt: Receipt) => void,
): Promise<RecoveredIntent> {
  const { id, store, plan } = intent;
  const about = { id, store, task: headTask(plan), request: plan.request };
  if (context.readOnly) return { ...about, outcome: 'waiting', note: 'The program was started with --read-only.' };
  activeIntents.add(id);
  try {
    const images = context.journal.images(id);
    const settled = await settle(context, intent, images);
    const receipt = await conclude(context, intent, settled, []);
    report(receipt);
    const note = settled.outcome === 'completed' ? 'It was cut off and is completed.' : 'It was cut off and is undone.';
    return { ...about, outcome: settled.outcome, note, receipt };
  } catch (error) {
    return { ...about, outcome: 'waiting', note: InspectorError.from(error).message };
  } finally {
    activeIntents.delete(id);
  }
}
