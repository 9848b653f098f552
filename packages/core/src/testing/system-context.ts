import type { Plan } from '../change/index.ts';
import type { Changeable, CheckpointSource } from '../contract.ts';
import type { CheckpointRef } from '../model.ts';
import type { Opened } from './run.ts';

/** What is known of a task from outside, best from the system itself. */
export interface TaskFacts {
  readonly id: string;
  /** Rows, unreadable ones included. */
  readonly checkpoints: number;
  readonly unreadable?: number;
  /** Id that the system's own rule answers; `null`: it has none. */
  readonly latest?: string | null;
  /** Parent edges that the store itself holds. */
  readonly recorded?: number;
}

/** What is known about one source of a fixture. */
export interface SourceFacts {
  readonly tasks: readonly TaskFacts[];
  /** States known from outside, by their exact text or its sha256. */
  readonly states?: readonly { readonly ref: CheckpointRef; readonly text?: string; readonly sha256?: string }[];
  /** What to restore, fork, edit and delete; default the oldest readable checkpoint that is not the latest. */
  readonly change?: CheckpointRef;
}

/** A real fixture, opened from a fresh copy. */
export interface OpenedSystem extends Opened {
  readonly sources: readonly CheckpointSource[];
  /** Executes a plan; needed where any source can be changed. */
  readonly apply?: (plan: Plan) => Promise<unknown>;
  /** Undoes the plan that was applied last; needed where any source can be edited. */
  readonly undo?: () => Promise<unknown>;
  /** Everything on the disk, to compare; proves that viewing and planning write nothing. */
  readonly bytes?: () => Promise<unknown>;
}

export interface SystemContext extends OpenedSystem {
  readonly source: CheckpointSource & Partial<Changeable>;
  readonly facts: SourceFacts;
}
