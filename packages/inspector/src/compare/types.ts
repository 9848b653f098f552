/** Two runs beside each other, as page, command, REST and MCP get them. */
import type {
  CheckpointRef,
  CheckpointSource,
  CheckpointStatus,
  Difference,
  DiffSummary,
  Judged,
  Measured,
  StoreId,
  Trigger,
} from '@checkpoint-inspector/core';
import type { BranchQuery } from '../history/branch.ts';

/** The branch that ends at a checkpoint, or at the latest of a task. */
export interface ComparedRun {
  readonly source: CheckpointSource;
  readonly query: BranchQuery;
}

export interface RunComparison {
  readonly a: RunSide;
  readonly b: RunSide;
  /** Leading steps that are the same checkpoints in both. */
  readonly shared: number;
  /** Where a value differs first; else the first step that is in one run only or ends differently. Absent: no difference. */
  readonly first?: FirstDifference;
  /** In the order of the runs; of very long ones the part around the first difference. */
  readonly rows: readonly RunRow[];
  /** Rows that are left out before and after. */
  readonly before: number;
  readonly after: number;
  /** What differs between the two ends; absent where it can't be told. */
  readonly end?: RunEnd;
  readonly ignoreRules: readonly string[];
  /** Rows that were compared, of all after the shared ones, and the steps that couldn't be. */
  readonly examined: { readonly n: number; readonly of: number; readonly gaps: readonly RunGap[] };
}

export interface RunSide {
  readonly store: StoreId;
  readonly task: string;
  readonly end: CheckpointRef;
  /** The lane of its end: `main`, `f1`, … */
  readonly lane: string;
  readonly isLatest: boolean;
  readonly status: CheckpointStatus;
  /** Of a run that failed at its end: the first line of the message. */
  readonly error?: string;
  readonly steps: number;
  /** Absent: no step reports any. */
  readonly tokens?: Measured;
  readonly costUsd?: Measured;
  readonly durationMs?: Measured;
  /** ISO 8601 UTC; of the first and the last step. */
  readonly startedAt?: string;
  readonly endedAt?: string;
}

export interface RunRow extends Judged {
  readonly a?: RunStep;
  readonly b?: RunStep;
}

export interface RunStep {
  readonly ref: CheckpointRef;
  readonly seq: number;
  readonly stepIndex?: number;
  readonly description?: string;
  readonly trigger?: Trigger;
  readonly status: CheckpointStatus;
  readonly time?: string;
  readonly durationMs?: number;
  readonly tokenUsage?: number;
  readonly costUsd?: number;
  /** Of a failed one: the first line of the message. */
  readonly error?: string;
  /** What it changed, most telling first, at most three. Absent where it wasn't looked at. */
  readonly changes?: readonly SentDifference[];
  /** How many values it changed. */
  readonly changed?: number;
}

/** Long values are cut, and the length of the whole is named. */
export interface SentDifference extends Difference {
  readonly beforeLength?: number;
  readonly afterLength?: number;
}

export interface FirstDifference {
  /** Into `rows`. */
  readonly row: number;
  /** Absent where no value differs. `before` is what A has, `after` what B has. */
  readonly difference?: SentDifference;
}

export interface RunEnd {
  readonly summary: DiffSummary;
  readonly equal?: number;
  /** Most telling first, at most twenty. `before` is what A has, `after` what B has. */
  readonly items: readonly SentDifference[];
}

export interface RunGap {
  readonly side: 'a' | 'b';
  readonly ref: CheckpointRef;
  readonly seq: number;
  readonly reason: string;
}
