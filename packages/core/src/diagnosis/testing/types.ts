import type { CheckpointStatus } from '../../model.ts';

/** One checkpoint of a made-up run. */
export interface CaseStep {
  readonly id: string;
  readonly parent?: string;
  readonly status: CheckpointStatus;
  readonly description?: string;
  /** The state as JSON text. */
  readonly text: string;
  readonly agentId?: string;
  /** The error as the system would tell it; only with status failed. */
  readonly error?: string;
}

/** A made-up run of an agent: a branch, and forks beside it. */
export interface RunCase {
  readonly seed: number;
  readonly domain: string;
  readonly set: 'tune' | 'held-out';
  /** All checkpoints in save order. */
  readonly steps: readonly CaseStep[];
  /** The last checkpoint of the branch in question; saved last unless a fork was saved after it. */
  readonly head: string;
}

/** A run with one planted fault, and where it was planted. */
export interface PlantedCase extends RunCase {
  readonly fault: string;
  readonly outcome: 'failed' | 'completed-with-failed-check';
  /** `path` is in the state of `checkpoint`; of a removed value, in the state before it. Any one of them is a hit. */
  readonly culprits: readonly { readonly checkpoint: string; readonly path: string }[];
}

/** A run without a fault in its state; one that failed did so for a reason outside of it. */
export interface HealthyCase extends RunCase {
  readonly outcome: 'completed' | 'failed';
}
