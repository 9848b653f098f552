/** What every store in a run can do; each does it as a program that uses it would. */
import type { Step } from '@checkpoint-inspector/stores/scale/workload';

export type { Step };

export interface Side {
  /** Resolves when the save is on the disk. */
  save(step: Step): Promise<void>;
  /** The state as JSON text; absent where the store hands back values only. */
  text?(id: string): Promise<string>;
  value(id: string): Promise<unknown>;
  /** What a list of the newest shows; answers how many there are. */
  page(limit: number): Promise<number>;
  /** Saves a step, and removes all but the newest, as many as it was opened for. */
  prune(step: Step): Promise<void>;
  close(): Promise<void>;
}

export interface SideKind {
  readonly name: string;
  /** Head of its column. */
  readonly label: string;
  /** Writes the whole state at every save: in a long run it saves only some of the steps. */
  readonly isWhole: boolean;
  /** @param keep how many checkpoints `prune` leaves */
  open(folder: string, keep?: number): Promise<Side>;
}

/** How many checkpoints pruning leaves. */
export const KEEP = 100;

/** Ids of the workload in an order that text has too. */
export const sortable = (id: string): string => `c${id.slice(1).padStart(7, '0')}`;
