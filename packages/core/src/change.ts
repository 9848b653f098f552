/**
 * Changes are data. A room turns a request into a plan; an executor of
 * `packages/io` does what the plan says and nothing else.
 */
import { InspectorError } from './errors.ts';
import { sha256Hex } from './hash.ts';
import type { ProofPart } from './proof.ts';
import type { Capability, CheckpointRef, Latest, StoreId } from './model.ts';
import type { RetentionPolicy } from './retention/policy.ts';

export type ChangeRequest =
  | {
      readonly kind: 'restore';
      readonly ref: CheckpointRef;
      /** Copy into this new task instead of moving the head of the own one. */
      readonly targetTask?: string;
    }
  | { readonly kind: 'fork'; readonly ref: CheckpointRef; readonly id?: string; readonly targetTask?: string }
  /** Saves `text` as a child of `ref`; the original stays as it is. */
  | {
      readonly kind: 'edit';
      readonly ref: CheckpointRef;
      /** The whole new state as JSON text, as `state(ref)` would give it. */
      readonly text: string;
      readonly reason?: string;
      readonly author?: string;
      readonly targetTask?: string;
    }
  | { readonly kind: 'delete'; readonly refs: readonly CheckpointRef[] }
  /** What a policy names in one task; ChangeService turns it into a delete, never given to a room. */
  | { readonly kind: 'prune'; readonly task: string; readonly policy: RetentionPolicy }
  /** Takes back a receipt; made by ChangeService, never given to a room. */
  | { readonly kind: 'undo'; readonly receiptId: string };

export type EditRequest = Extract<ChangeRequest, { kind: 'edit' }>;

/**
 * A request as plans and receipts carry it. The text of an edit stands in the store, and nowhere else: it may be
 * large, and may be of a store that had to be unlocked.
 */
export type ShownRequest =
  | Exclude<ChangeRequest, EditRequest>
  | (Omit<EditRequest, 'text'> & {
      /** sha256 of the text as it was asked for. */
      readonly textHash: string;
      /** In UTF-8. */
      readonly textBytes: number;
    });

/** @example await shownRequest({ kind: 'edit', ref, text: '{}' }) // { kind: 'edit', ref, textHash: '44136f…', textBytes: 2 } */
export async function shownRequest(request: ChangeRequest): Promise<ShownRequest> {
  if (request.kind !== 'edit') return request;
  const { text, ...rest } = request;
  const bytes = new TextEncoder().encode(text);
  return { ...rest, textHash: await sha256Hex(bytes), textBytes: bytes.length };
}

/** What a room is asked to plan; the others are made of these above it. */
export type RoomRequest = Exclude<ChangeRequest, { kind: 'undo' | 'prune' }>;

/** @throws InspectorError unsupported for what ChangeService plans itself */
export function assertRoomRequest(request: ChangeRequest): asserts request is RoomRequest {
  if (request.kind !== 'undo' && request.kind !== 'prune') return;
  throw new InspectorError('unsupported', `A store cannot plan "${request.kind}"; it is planned above it.`);
}

export type SqlValue = null | number | bigint | string | Uint8Array;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** Paths are relative to the plan's folder, one segment each, no links. */
export type FileOp =
  | {
      readonly op: 'file.create';
      readonly path: string;
      readonly bytes: Uint8Array;
      /** Take mode and owner from this file. */
      readonly like?: string;
      /** Only in undo: put these back exactly. */
      readonly stat?: { readonly mode: number; readonly uid: number; readonly gid: number; readonly mtimeNs: bigint };
    }
  | { readonly op: 'file.trash'; readonly path: string; readonly sha256: string };

/** `key` are the columns that name one row; every op must hit exactly `expect` rows (default 1). */
export type RowOp =
  | { readonly op: 'row.insert'; readonly table: string; readonly row: SqlRow; readonly rowid?: bigint }
  | { readonly op: 'row.update'; readonly table: string; readonly key: SqlRow; readonly set: SqlRow }
  | { readonly op: 'row.delete'; readonly table: string; readonly key: SqlRow; readonly expect?: number }
  /** Copies the row byte for byte, `set` replaced: blobs never pass through a parser. `many` copies every row of the key. */
  | {
      readonly op: 'row.copy';
      readonly table: string;
      readonly key: SqlRow;
      readonly set: SqlRow;
      readonly many?: true;
    };

export type Op = FileOp | RowOp;

/** Where the ops act. */
export type PlanTarget =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'memory'; readonly tables: RowTables };

/** Tables in memory that take row ops; all or nothing. */
export interface RowTables {
  /** Runs `work` as one transaction: a throw puts everything back. */
  transaction<T>(work: (access: RowAccess) => T): T;
}

/** Row access inside one transaction. Rows are returned with their `rowid`. */
export interface RowAccess {
  select(table: string, key: SqlRow): readonly { readonly rowid: bigint; readonly row: SqlRow }[];
  insert(table: string, row: SqlRow, rowid?: bigint): bigint;
  update(table: string, key: SqlRow, set: SqlRow): number;
  delete(table: string, key: SqlRow): number;
}

/** Checked by ChangeService just before applying, and again inside the transaction where there is one. */
export type Precondition =
  /** The task's latest is still this one (absent: the task has none). */
  | { readonly kind: 'head'; readonly task: string; readonly ref?: CheckpointRef }
  /** The stored bytes (`raw`) of this checkpoint still have this sha256. */
  | { readonly kind: 'hash'; readonly ref: CheckpointRef; readonly sha256: string }
  /** Nothing is stored under this ref. */
  | { readonly kind: 'absent'; readonly ref: CheckpointRef };

/** Checked by the row executor inside its transaction. */
export type RowCheck =
  /** Exactly these rows answer to the key, equal column by column. */
  | { readonly check: 'row'; readonly table: string; readonly key: SqlRow; readonly equals: SqlRow }
  | { readonly check: 'absent'; readonly table: string; readonly key: SqlRow }
  /** The greatest `column` among rows of `key` is this (or there are none). */
  | {
      readonly check: 'max';
      readonly table: string;
      readonly key: SqlRow;
      readonly column: string;
      readonly value: SqlValue | undefined;
    };

/** `count` in all, the first 100 spelled out. */
export interface PlanList<T> {
  readonly count: number;
  readonly items: readonly T[];
}

export interface PlanItem {
  readonly ref: CheckpointRef;
  readonly reason: string;
  /** Number and words of the step, where the plan knows them. */
  readonly step?: { readonly seq: number; readonly stepIndex?: number; readonly description?: string };
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
export interface Plan {
  readonly request: ChangeRequest;
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
  /** The command or call that resumes from here, for a person to copy. */
  readonly next?: string;
  /** Parent edges that the store cannot hold: kept in the sidecar. */
  readonly sidecar?: readonly { readonly child: CheckpointRef; readonly parent: CheckpointRef }[];
  /** Not on the wire. */
  readonly target: PlanTarget;
  readonly ops: readonly Op[];
  readonly checks: readonly RowCheck[];
}

/** A plan as people and programs see it. */
export interface PlanView extends Omit<Plan, 'target' | 'ops' | 'checks' | 'request'> {
  readonly id: string;
  readonly request: ShownRequest;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
}

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
  readonly latestNow: Latest;
  /** `same`: what was written reads back as planned, and the latest is the planned one. */
  readonly proof: Proof;
  /** Which of both isn't as planned, where the proof is `different`. */
  readonly differs?: readonly ProofPart[];
  /** True while one click takes it back; else the reason. */
  readonly undoable: Capability;
  /** The receipt that took this one back. */
  readonly undoneBy?: string;
  readonly next?: string;
}

export const PLAN_LIST_SHOWN = 100;

/** A list for a plan: all are counted, the first 100 shown. */
export function planList<T>(items: readonly T[]): PlanList<T> {
  return { count: items.length, items: items.slice(0, PLAN_LIST_SHOWN) };
}

/** The lists of a plan that does nothing yet. */
export function emptyPlanLists(): Pick<Plan, 'writes' | 'moves' | 'removes' | 'evicts' | 'protected'> {
  const none = { count: 0, items: [] };
  return { writes: none, moves: none, removes: none, evicts: none, protected: none };
}
