import { sameRef } from '../ids.ts';
import type { Capability, CheckpointRef, Latest, StoreId } from '../model.ts';
import type { ShownRequest } from './request.ts';
import type { StepName } from './view.ts';

export type Proof = 'same' | 'different' | 'none';

/** What an applied plan did. */
export interface Receipt {
  readonly id: string;
  readonly planId: string;
  readonly request: ShownRequest;
  readonly store: StoreId;
  readonly task: string;
  readonly targetTask?: string;
  /** ISO 8601 UTC. */
  readonly appliedAt: string;
  /** In words, one line per thing done. */
  readonly done: readonly string[];
  readonly failed: readonly { readonly ref?: CheckpointRef; readonly what: string; readonly reason: string }[];
  readonly written: readonly CheckpointRef[];
  readonly removed: readonly CheckpointRef[];
  /** What some of the removed were called: the store can no longer be asked. */
  readonly steps?: readonly { readonly ref: CheckpointRef; readonly step: StepName }[];
  readonly latestNow: Latest;
  /** `same`: what was written reads back as planned, and the latest is the planned one. */
  readonly proof: Proof;
  /** Which of both isn't as planned, where the proof is `different`. */
  readonly differs?: readonly ProofPart[];
  /** True while one click undoes it; else the reason. */
  readonly undoable: Capability;
  /** The receipt that undid this one. */
  readonly undoneBy?: string;
  readonly next?: string;
}

/** What a checkpoint was called that this change removed; `undefined` where the receipt doesn't say. */
export const stepOfRemoved = ({ steps = [] }: Pick<Receipt, 'steps'>, ref: CheckpointRef): StepName | undefined =>
  steps.find((one) => sameRef(one.ref, ref))?.step;

/** What a receipt may find different from its plan. */
export type ProofPart = 'written' | 'latest';

const WORDS: Readonly<Record<ProofPart, string>> = {
  written: 'what was written differs from the plan',
  latest: "the latest isn't the planned one",
};

/** What differs from the plan, in words; `undefined` where the receipt doesn't say. */
export function proofDifference({ differs = [] }: { readonly differs?: readonly ProofPart[] }): string | undefined {
  return differs.length === 0 ? undefined : differs.map((part) => WORDS[part]).join(', and ');
}
