import { compact } from '../compact.ts';
import type { CheckpointMeta, CheckpointRef, Latest, StoreId } from '../model.ts';
import type { ShownRequest, SystemRequest } from './request.ts';

/** Checked by ChangeService just before applying; the job checks it again inside its transaction where there is one. */
export type Precondition =
  /** The task's latest is still this one (absent: the task has none). */
  | { readonly kind: 'head'; readonly task: string; readonly ref?: CheckpointRef }
  /** What is stored under this ref still has this revision: the sha256 of its bytes, where the store has such bytes. */
  | { readonly kind: 'revision'; readonly ref: CheckpointRef; readonly revision: string }
  /** Nothing is stored under this ref. */
  | { readonly kind: 'absent'; readonly ref: CheckpointRef };

/** `count` in all, the first 100 spelled out. */
export interface PlanList<T> {
  readonly count: number;
  readonly items: readonly T[];
}

/** Number and words of a checkpoint's step: what it is called on a screen. */
export interface StepName {
  readonly seq: number;
  readonly stepIndex?: number;
  readonly description?: string;
}

export const stepNameOf = ({ seq, stepIndex, description }: CheckpointMeta): StepName =>
  compact({ seq, stepIndex, description });

/** @example stepWords({ seq: 9, stepIndex: 7, description: 'fetch' }) // '#07 fetch' */
export const stepWords = ({ seq, stepIndex = seq, description = '' }: StepName): string =>
  `#${String(stepIndex).padStart(2, '0')} ${description}`.trimEnd();

export interface PlanItem {
  readonly ref: CheckpointRef;
  readonly reason: string;
  /** Where the plan knows it. */
  readonly step?: StepName;
  readonly sizeBytes?: number;
  /** File name or table row in words, where it helps. */
  readonly where?: string;
}

export interface Eviction extends PlanItem {
  /** By this change, or by the agent's own next save. */
  readonly when: 'now' | 'next-save';
}

export interface PlanWarning {
  /** Stable: `interrupt_asked_again`, `subgraph_restarts`, `agent_active`, `parent_missing`, … */
  readonly code: string;
  readonly message: string;
}

/** Exactly what will happen, and why. */
export interface PlannedView {
  readonly request: SystemRequest;
  readonly store: StoreId;
  readonly task: string;
  readonly targetTask?: string;
  readonly preconditions: readonly Precondition[];
  readonly writes: PlanList<PlanItem>;
  readonly moves: PlanList<PlanItem & { readonly to: CheckpointRef }>;
  readonly removes: PlanList<PlanItem>;
  readonly evicts: PlanList<Eviction>;
  readonly protected: PlanList<PlanItem>;
  readonly warnings: readonly PlanWarning[];
  /** Of a prune: how many cannot be read and so are skipped, and how many the policy does not name. */
  readonly leftOut?: { readonly skipped: number; readonly others: number };
  readonly latestBefore: Latest;
  /** What the system's rule will answer afterwards. */
  readonly latestAfter?: CheckpointRef;
  /** The state that the first of `writes` must read back as, without writes that of `latestAfter`; basis of the proof. */
  readonly proofHash?: string;
  readonly bytesFreed: number;
  /** About how long other writers of the store wait at most, ms; absent where none has to. */
  readonly holdsMs?: number;
  /** The command or call that resumes from here, for a person to copy. */
  readonly next?: string;
  /** Parent edges that the store cannot hold: kept in the sidecar. */
  readonly sidecar?: readonly { readonly child: CheckpointRef; readonly parent: CheckpointRef }[];
}

/** A plan as people and programs see it. */
export interface PlanView extends Omit<PlannedView, 'request'> {
  readonly id: string;
  readonly request: ShownRequest;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
}

/** Shorter waits nobody notices. */
const HOLD_TOLD_MS = 100;

/** @example holdWords({ holdsMs: 420 }) // 'The store is locked for about 0.4 s; writers wait.' */
export function holdWords({ holdsMs = 0 }: Pick<PlannedView, 'holdsMs'>): string | undefined {
  if (holdsMs <= HOLD_TOLD_MS) return undefined;
  return `The store is locked for about ${(holdsMs / 1000).toFixed(holdsMs < 9_950 ? 1 : 0)} s; writers wait.`;
}

export const PLAN_LIST_SHOWN = 100;

/** A list for a plan: all are counted, the first 100 shown. */
export function planList<T>(items: readonly T[]): PlanList<T> {
  return { count: items.length, items: items.slice(0, PLAN_LIST_SHOWN) };
}

/** The lists of a plan that does nothing yet. */
export function emptyPlanLists(): Pick<PlannedView, 'writes' | 'moves' | 'removes' | 'evicts' | 'protected'> {
  const none = { count: 0, items: [] };
  return { writes: none, moves: none, removes: none, evicts: none, protected: none };
}

/** What an engine does: data that can be kept and copied, and that only the named engine builds and reads. */
export interface Job {
  /** The engine's name: `files`, `sqlite`, `memory`. */
  readonly engine: string;
  /** What the engine acts on, in its own words: a folder, a database file. */
  readonly place: string;
  /** The engine's own. */
  readonly steps: unknown;
}

/**
 * A system's answer to a request: what people see, and what an engine does.
 * @example const { view, job }: Plan = await source.plan({ kind: 'restore', ref })
 */
export interface Plan {
  readonly view: PlannedView;
  readonly job: Job;
}
