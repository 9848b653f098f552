import type { CheckpointRef, CheckpointStatus } from '../model.ts';

/** One checkpoint of the branch that is examined. */
export interface DiagnosedStep {
  readonly ref: CheckpointRef;
  readonly seq: number;
  readonly status: CheckpointStatus;
  /** The step's name or the system's own words. */
  readonly description?: string;
  /** The state; absent where it cannot be read. */
  readonly text?: string;
}

/** What is known of the failure besides the states. */
export interface DiagnosisHints {
  /** The error in the words of the store. */
  readonly error?: string;
  /** States of branches that went well, and how many of the steps both have in common. */
  readonly healthy?: readonly { readonly text: string; readonly shared: number }[];
  /** As in a diff: paths that change with every save. */
  readonly ignore?: readonly string[];
}

/** One change of one value at one checkpoint that may have caused the failure. A suggestion, never a verdict. */
export interface Suspect {
  /** The checkpoint that wrote it. */
  readonly ref: CheckpointRef;
  readonly seq: number;
  /** What that step is called. */
  readonly description?: string;
  /** In the state of that checkpoint; of a removed value, in the one before. */
  readonly path: string;
  /** `unchanged`: the step should have written it, and did not. */
  readonly kind: 'added' | 'removed' | 'changed' | 'type-changed' | 'unchanged';
  /** JSON text as stored. */
  readonly before?: string;
  readonly after?: string;
  /** Sentences that the diff shows to be true, the strongest first. */
  readonly reasons: readonly string[];
  /** How likely it is the cause, 0 to 1; all of an answer together at most 1. An estimate, learned from planted faults. */
  readonly score: number;
}
