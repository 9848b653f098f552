import { InspectorError, type Receipt } from '@checkpoint-inspector/core';
import type { Intent } from './journal/types.ts';
import { conclude, settle } from './end.ts';
import { activeIntents } from './run.ts';
import { headTask, type Context, type RecoveredIntent } from './types.ts';

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
    const receipt = await conclude(context, intent, settled, images, []);
    report(receipt);
    const note = settled.outcome === 'completed' ? 'It was cut off and is completed.' : 'It was cut off and is undone.';
    return { ...about, outcome: settled.outcome, note, receipt };
  } catch (error) {
    return { ...about, outcome: 'waiting', note: InspectorError.from(error).message };
  } finally {
    activeIntents.delete(id);
  }
}
