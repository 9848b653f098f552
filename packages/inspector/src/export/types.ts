import type { CheckpointMeta, CheckpointSource, Explanation, Masker, State, Task } from '@checkpoint-inspector/core';
import type { Annotation } from '@checkpoint-inspector/changes';
import type { ComparedRun } from '../compare/types.ts';
import type { BranchQuery } from '../history/branch.ts';
import type { Masking } from '../sharing.ts';
import type { StepChange } from './step-change.ts';

/** How many different secrets of one kind there are, however often each is stored. */
export type MaskedShape = ReturnType<Masker['found']>[number];

export interface ExportOptions {
  readonly task: string;
  /** Ids of checkpoints; absent: all of the task. */
  readonly checkpoints?: readonly string[];
  /** Default: with a key of its own and no rules. */
  readonly masking?: Masking;
  /** Leave secrets as they are. Default false. */
  readonly reveal?: boolean;
  /** What people wrote about the task's checkpoints; labels come with the checkpoints. */
  readonly annotations?: readonly Annotation[];
  /** Of the program that makes it. */
  readonly version?: string;
  /** Of the states in all; more are named and left out. */
  readonly maxBytes?: number;
  /** When it is made; ISO 8601 UTC. */
  readonly now?: Date;
  /** Of the times in a report, such as `Europe/Berlin`. Default: the zone of this machine. */
  readonly timeZone?: string;
}

export interface ReportOptions extends ExportOptions {
  /** Another run that the task is set beside. */
  readonly compareWith?: ComparedRun;
  /** Default: where the report is made. */
  readonly explain?: (query: BranchQuery) => Promise<Explanation>;
  readonly compare?: CompareSteps;
}

/** What a step changed, told by another thread; `undefined`: these two can be compared where the report is made. */
export type CompareSteps = (before: CheckpointMeta, after: CheckpointMeta) => Promise<StepChange> | undefined;

/** What an export will hold, before it is made. */
export interface ExportPreview {
  readonly checkpoints: number;
  /** Of the states that it will hold, in UTF-8, before anything is masked. */
  readonly sizeBytes: number;
  /** Secrets by their shape; they are masked unless they are asked for. */
  readonly masked: readonly MaskedShape[];
  /** Sentences on what stays out. */
  readonly leftOut: readonly string[];
}

/** What an export reads. */
export interface Subject {
  readonly source: CheckpointSource;
  readonly task: Task;
  /** Oldest first. */
  readonly metas: readonly CheckpointMeta[];
  readonly leftOut: readonly string[];
  /** By `refKey`. */
  readonly notes: ReadonlyMap<string, string>;
}

/** A state, or why there is none. */
export type ReadState = State | { readonly missing: string };

/** Checkpoints whose state is not in an export, by the reason. */
export type Missing = Map<string, string[]>;

export function addMissing(missing: Missing, reason: string, id: string): void {
  const ids = missing.get(reason);
  if (ids) ids.push(id);
  else missing.set(reason, [id]);
}

/** A reason that many states share is given once, with their number. */
export function missingWords(missing: Missing): string[] {
  return [...missing].map(([reason, ids]) =>
    ids.length === 1
      ? `The state of "${ids[0]}" is not included: ${reason}`
      : `The states of ${ids.length} checkpoints are not included: ${reason}`,
  );
}
