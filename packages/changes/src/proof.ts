import {
  sameRef,
  type CheckpointRef,
  type CheckpointSource,
  type Latest,
  type PlanView,
  type Proof,
  type ProofPart,
} from '@checkpoint-inspector/core';
import { headTask } from './types.ts';

export interface Proven {
  readonly proof: Proof;
  /** Only where the proof is `different`. */
  readonly differs?: readonly ProofPart[];
}

export interface ReadBack extends Proven {
  readonly latest: Latest;
}

/** What the store answers for the latest now, and whether all is as the plan promised. Never throws. */
export async function readBack(source: CheckpointSource | undefined, plan: PlanView): Promise<ReadBack> {
  if (!source) return { latest: { basis: 'none', note: 'The store was not open.' }, proof: 'none' };
  let latest: Latest;
  try {
    latest = await source.latest(headTask(plan));
  } catch (error) {
    return { latest: { basis: 'none', note: `The latest could not be read: ${wordsOf(error)}` }, proof: 'none' };
  }
  try {
    return { latest, ...(await prove(source, plan, latest)) };
  } catch (error) {
    return { latest: { ...latest, note: `What was written could not be read: ${wordsOf(error)}` }, proof: 'none' };
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

/** An undo below a head that moves on: an agent has saved again, and that is no answer about what was put back. */
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
    return undefined; // an unreadable latest is no reason to refuse a change; its undo then has no proof
  }
}
