/** What all rules of our own stores share. */
import { emptyPlanLists, type Job, type Precondition, type SystemRequest } from '../change/index.ts';
import { InspectorError } from '../errors.ts';
import type { CheckpointRef, Latest, StoreId } from '../model.ts';
import type { PlanRow } from './new-row.ts';
import type { NativeRow } from './tables.ts';

/** What a request does to the rows of a native store; the store's engine makes its own steps of it. */
export interface NativeSteps {
  /** Rows that still are the ones that were looked at. */
  readonly unchanged: readonly { readonly ref: CheckpointRef; readonly revision: string }[];
  readonly copy?: {
    readonly from: CheckpointRef;
    readonly to: CheckpointRef;
    /** Columns that are not the source's. */
    readonly set: NativeRow;
    /** The newest `seq` of the task: nothing was saved in it since. Absent where the task has no row. */
    readonly newest?: number;
  };
  /** Tasks in which nothing was saved since; without a `seq` those that have no row. */
  readonly newest?: readonly { readonly task: string; readonly seq?: number }[];
  /** Rows with their writes, as they are in a new task. */
  readonly taken?: readonly TakenRow[];
  /** Rows that get another parent, or none. */
  readonly moves?: readonly { readonly ref: CheckpointRef; readonly parent?: CheckpointRef }[];
  readonly removes: readonly CheckpointRef[];
  /** Writes that go: of rows that go, and of a row that runs its step again. */
  readonly clears?: readonly { readonly ref: CheckpointRef; readonly count: number }[];
}

/** One row of a task that is copied as a whole. */
export interface TakenRow {
  readonly from: CheckpointRef;
  readonly to: CheckpointRef;
  readonly set: NativeRow;
  /** Of the last one that is taken only the question: the other writes are what ran afterwards. */
  readonly writes: 'all' | 'questions';
}

/** Some stores answer at once, others over a network. */
type May<T> = T | Promise<T>;

/**
 * A native store as the rules see it: `checkpoints` unique by (task, namespace, id), latest = greatest `seq` of the root.
 * Rules ask for many rows at the same time, so that a store over a network can answer them together.
 */
export interface RuleView {
  readonly store: StoreId;
  readonly job: (steps: NativeSteps) => Job;
  readonly maxPerTask: number | undefined;
  readonly now: () => Date;
  /** Oldest first. */
  rows(task: string): May<readonly PlanRow[]>;
  /** The one of the root namespace that was saved last; of those saved before a `seq` where that is given. */
  head(task: string, before?: number): May<PlanRow | undefined>;
  /** The one saved last of all namespaces. */
  newest(task: string): May<PlanRow | undefined>;
  /** All but the newest so many, oldest first. */
  beyond(task: string, newest: number): May<readonly PlanRow[]>;
  row(ref: CheckpointRef): May<PlanRow | undefined>;
  /** Rows of its task that name it as their parent, oldest first. */
  children(ref: CheckpointRef): May<readonly PlanRow[]>;
  /** The state's text of a row that is there. */
  text(ref: CheckpointRef): May<string>;
  /** What is kept beside the state of a row. */
  beside(ref: CheckpointRef): May<string | undefined>;
  /** How many writes there are. */
  writes(ref: CheckpointRef): May<number>;
  /** True where the task has writes. */
  loose(task: string): May<boolean>;
  /** True if any task holds this id. */
  taken(id: string): May<boolean>;
}

/** The parts that all plans share, with empty lists. */
export function frame(view: RuleView, request: SystemRequest, task: string, latestBefore: Latest) {
  return { request, store: view.store, task, latestBefore, ...emptyPlanLists() };
}

export function checkNewTask(task: string, head: PlanRow | undefined): void {
  if (task === '') throw emptyName('targetTask', 'a task name');
  if (!head) return;
  throw new InspectorError(
    'invalid_input',
    `Task "${task}" already has checkpoints. Choose a new task name for the copy.`,
    {
      data: { targetTask: task },
    },
  );
}

export function emptyName(key: string, what: string): InspectorError {
  return new InspectorError('invalid_input', `The copy needs ${what}; it cannot be empty.`, { data: { [key]: '' } });
}

export function seen({ ref, revision }: PlanRow): NativeSteps['unchanged'][number] {
  return { ref, revision };
}

export function latestOf(head: PlanRow | undefined): Latest {
  return head ? { ref: head.ref, basis: 'rule' } : { basis: 'none' };
}

export function headOf(task: string, head: PlanRow | undefined): Precondition {
  return { kind: 'head', task, ...(head ? { ref: head.ref } : {}) };
}

export function unchanged(row: PlanRow): Precondition {
  return { kind: 'revision', ref: row.ref, revision: row.revision };
}
