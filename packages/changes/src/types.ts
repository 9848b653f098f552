import type {
  InspectorError,
  CallOptions,
  Capability,
  ChangeRequest,
  CheckpointSource,
  Job,
  Page,
  PlanView,
  Receipt,
  PlanItem,
  PlanList,
  RetentionItem,
  ShownRequest,
  StepName,
  StoreId,
  Unwatch,
} from '@checkpoint-inspector/core';
import type { Executors } from '@checkpoint-inspector/io';
import type { TrashedChange } from './journal/trash.ts';
import type { Journal, JournalQuery, TrashRow } from './journal/types.ts';

/** The parts of a prune plan that may hold more than a plan shows; `skipped` cannot be read. */
export type PlanPart = 'removes' | 'protected' | 'skipped';

export interface ChangeDeps {
  readonly journal: Journal;
  /** Throws an InspectorError for a store that is not open. */
  readonly sources: (store: StoreId) => CheckpointSource;
  /** The stores that are open; default: a store is looked for under the name that it had when it was changed. */
  readonly open?: () => readonly StoreId[];
  readonly readOnly: boolean;
  /** The engines by name; default all of this program. */
  readonly executors?: Executors;
  readonly now?: () => Date;
  /** Called between the steps of a change; tests stop the process there. */
  readonly onStep?: (step: string) => void;
}

export interface TrashItem extends TrashRow {
  /** ISO 8601 UTC; from then on it is offered for purging. */
  readonly expiresAt: string;
  /** True while undoing the receipt puts it back; else the reason. */
  readonly restorable: Capability;
  /** What it was called, where the change knew it. */
  readonly step?: StepName;
}

/** A change that the end of its process had cut off. */
export interface RecoveredIntent {
  readonly id: string;
  readonly store: StoreId;
  readonly task: string;
  readonly request: ShownRequest;
  /** `waiting`: it could not be ended yet, for instance because the disk is missing; `note` says why. */
  readonly outcome: 'completed' | 'rolled-back' | 'waiting';
  readonly note: string;
  readonly receipt?: Receipt;
}

/** A change that the end of its process has cut off, and that nobody has ended yet. */
export interface InterruptedChange {
  readonly id: string;
  readonly store: StoreId;
  readonly task: string;
  readonly request: ShownRequest;
  /** ISO 8601 UTC. */
  readonly begunAt: string;
  readonly location?: string;
  /** Steps, such as files to remove; only where its store is open and can be looked at. */
  readonly progress?: { readonly done: number; readonly of: number };
}

export interface ChangeEvent {
  readonly store: StoreId;
  readonly task: string;
  readonly receipt: Receipt;
}

/** The one way to change a store: plan, show, apply, prove, undo. */
export interface ChangeService {
  /**
   * Writes nothing. The plan lives 15 minutes. Applying it decides about the `proposal` that it is for.
   * @throws InspectorError unsupported | not_found | undo_conflict | …
   */
  preview(
    store: StoreId,
    request: ChangeRequest,
    options?: CallOptions & { readonly proposal?: string },
  ): Promise<PlanView>;
  /**
   * Does what the plan says, once.
   * @throws InspectorError plan_expired | read_only | head_moved | changed (both with data `{ planned, now }`) | busy |
   * disk_full | unsupported; nothing is changed then
   */
  apply(planId: string): Promise<Receipt>;
  /** Why the plan could not be applied now; nothing is changed. @throws InspectorError plan_expired */
  check(planId: string): Promise<InspectorError | undefined>;
  /** Undoes a receipt in one go. @throws InspectorError undo_conflict (data `newer`, `changed` or `undoneBy`) | … */
  undo(receiptId: string): Promise<Receipt>;
  /** One part of a plan in full, page by page. @throws InspectorError plan_expired | invalid_input */
  planItems(planId: string, part: PlanPart, query?: { limit?: number; cursor?: string }): Promise<Page<PlanItem>>;
  receipts(query?: JournalQuery): Promise<Page<Receipt>>;
  receipt(id: string): Promise<Receipt | undefined>;
  trash(query?: JournalQuery): Promise<Page<TrashItem>>;
  /** How much is in the trash, and emptying it by plan. */
  readonly bin: TrashBin;
  /**
   * Ends every change of the open stores whose process is gone. Call it at start, and again when a store is opened or is
   * back. A deletion that was cut off is undone; it is completed where nothing was left to delete, or nothing that a task
   * is resumed from.
   */
  recover(): Promise<readonly RecoveredIntent[]>;
  /** What `recover` would end, and what is left in stores that are not open. Changes nothing. */
  interrupted(): Promise<readonly InterruptedChange[]>;
  onChange(listener: (event: ChangeEvent) => void): Unwatch;
}

/** A plan with what its executor needs; only the view leaves the process, its lists cut to their first 100. */
export interface PlannedChange {
  readonly view: PlanView;
  /** Absent where nothing is to be done. */
  readonly job?: Job;
  /** Only of a prune: what cannot be read. */
  readonly skipped?: readonly RetentionItem[];
  /** The proposal that it applies. */
  readonly proposal?: string;
  /** The file or folder that the job is for, as it was when the plan was made. */
  readonly identity?: string | undefined;
}

/** A change with something to do. */
export interface ReadyChange extends PlannedChange {
  readonly job: Job;
}

/** What the parts of the service share. */
export interface Context extends ChangeDeps {
  readonly now: () => Date;
  readonly executors: Executors;
}

/** A list of a plan inside the service, where nothing is cut. */
export function inFull<T>(items: readonly T[]): PlanList<T> {
  return { count: items.length, items };
}

/** Takes checkpoints away and writes none; refused for none but what changed itself. */
export function isDelete({ kind }: Pick<ShownRequest, 'kind'>): boolean {
  return kind === 'delete' || kind === 'prune';
}

/** The task whose latest a change is about. */
export function headTask(plan: { readonly task: string; readonly targetTask?: string }): string {
  return plan.targetTask ?? plan.task;
}

export interface TrashSize {
  readonly changes: number;
  readonly checkpoints: number;
  /** Before-images in the journal. */
  readonly bytes: number;
}

export interface TrashSummary extends TrashSize {
  /** Of these: kept longer than `keepDays`. */
  readonly expired: TrashSize;
  readonly keepDays: number;
}

/** Which changes to purge: the named ones, all that are expired, or everything. */
export interface PurgeRequest {
  readonly receiptIds?: readonly string[];
  readonly expired?: boolean;
}

export interface PurgePlan {
  readonly id: string;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
  /** Exactly what is deleted; none of it can be undone afterwards. */
  readonly changes: readonly (TrashedChange & { readonly expiresAt: string })[];
  readonly checkpoints: number;
  readonly bytes: number;
}

export interface Purged extends TrashSize {
  /** Planned, and no longer in the trash or being put back: left as they are. */
  readonly left: readonly string[];
}

/** The trash as a whole. Nothing in it is ever purged by itself. */
export interface TrashBin {
  /** The journal, which holds it. */
  readonly path: string;
  summary(): TrashSummary;
  /** Writes nothing. The plan lives 15 minutes. @throws InspectorError not_found when a named change is not in the trash */
  preview(request: PurgeRequest): PurgePlan;
  /** Purges exactly what the plan names, once. @throws InspectorError plan_expired | read_only */
  purge(planId: string): Purged;
  /** Until when something deleted at this time is kept, ISO 8601 UTC. */
  keptUntil(deletedAt: string): string;
  /** @throws InspectorError invalid_input | read_only */
  keepFor(days: number): void;
}
