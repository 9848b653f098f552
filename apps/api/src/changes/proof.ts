import {
  sameRef,
  type CheckpointRef,
  type CheckpointSource,
  type Latest,
  type PlanView,
  type Proof,
} from '@checkpoint-inspector/core';
import { headTask } from './types.ts';

export interface ReadBack {
  readonly latest: Latest;
  readonly proof: Proof;
}

/** What the store answers for the latest now, and whether that is what the plan promised. Never throws. */
export async function readBack(source: CheckpointSource | undefined, plan: PlanView): Promise<ReadBack> {
  if (!source) return { latest: { basis: 'none', note: 'The store was not open.' }, proof: 'none' };
  try {
    const latest = await source.latest(headTask(plan));
    return { latest, proof: await prove(source, plan, latest) };
  } catch (error) {
    const note = `The latest could not be read: ${error instanceof Error ? error.message : String(error)}`;
    return { latest: { basis: 'none', note }, proof: 'none' };
  }
}

async function prove(source: CheckpointSource, plan: PlanView, { ref }: Latest): Promise<Proof> {
  if (plan.proofHash === undefined) return 'none';
  if (isSavedSince(plan, ref)) return 'none';
  if (!ref || (plan.latestAfter && !sameRef(ref, plan.latestAfter))) return 'different';
  const state = await source.state(ref);
  return state?.hash === plan.proofHash ? 'same' : 'different';
}

/** An undo below a head that moves on: an agent has saved again, and that is no answer about what was put back. */
function isSavedSince(
  { request, preconditions, latestAfter, writes }: PlanView,
  ref: CheckpointRef | undefined,
): boolean {
  if (request.kind !== 'undo' || preconditions.length > 0 || !ref || !latestAfter) return false;
  return !sameRef(ref, latestAfter) && !writes.items.some((item) => sameRef(item.ref, ref));
}

/** State hash of a latest; absent where there is none or it cannot be read. */
export async function stateHash(source: CheckpointSource, ref: CheckpointRef | undefined): Promise<string | undefined> {
  try {
    return ref && (await source.state(ref))?.hash;
  } catch {
    return undefined; // an unreadable latest is no reason to refuse a change; its undo then has no proof
  }
}
