/**
 * The words of the product as types. Everything here is plain JSON and travels
 * unchanged over HTTP, `--json` and MCP.
 */

declare const brand: unique symbol;
/**
 * Id of an open store: matches `[a-z0-9-]+`, made by `storeId()`.
 * @example const id: StoreId = storeId('prod')
 */
export type StoreId = string & { readonly [brand]: 'StoreId' };

/**
 * One checkpoint inside one store. An id alone need not be unique there.
 * @example const ref: CheckpointRef = { task: 'run-1', id: 'cp-1' }
 */
export interface CheckpointRef {
  readonly task: string;
  readonly namespace?: string;
  readonly id: string;
}

/**
 * How much of a store is read so far: files of a folder; n = of when all is.
 * @example const { n, of }: Coverage = source.info.indexed
 */
export interface Coverage {
  readonly n: number;
  readonly of: number;
}

/**
 * One page of a list in a fixed order; `cursor` is absent on the last page.
 * @example const { items, cursor }: Page<Task> = await source.tasks()
 */
export interface Page<T> {
  readonly items: readonly T[];
  readonly cursor?: string;
  /** Set while the list is of a part of the store, because the rest is still being read. */
  readonly partial?: Coverage;
}

export type TaskStatus = 'running' | 'completed' | 'failed' | 'interrupted' | 'pending' | 'unknown';
export type CheckpointStatus = TaskStatus;
/** What lists show and filter tasks by: the stored status, or what became of a task that completed. */
export type TaskOutcome = TaskStatus | 'check_failed';
export type LineageKind = 'recorded' | 'sidecar' | 'inferred' | 'none';
export type TimeBasis = 'utc' | 'local' | 'file' | 'none';
export type Trigger = 'auto' | 'manual' | 'error' | 'input' | 'update' | 'fork' | 'restore' | 'edit';

/** Why a row could not be read; the row itself stays in the list. */
export interface Problem {
  readonly code: 'unreadable' | 'locked' | 'wrong_key' | 'unsupported_version' | 'too_large';
  readonly message: string;
  /** Byte offset of the defect in the stored bytes, where one is known. */
  readonly offset?: number;
}

/**
 * The series a checkpoint belongs to: taskId, sessionId, thread_id, agent_id.
 * @example const { items: [task] } = await source.tasks(); task?.checkpointCount
 */
export interface Task {
  readonly store: StoreId;
  /** As the system spells it; may be empty or hold any character. */
  readonly id: string;
  readonly title: string;
  readonly system: string;
  readonly agentId?: string;
  /** Rows of this task, unreadable ones included. */
  readonly checkpointCount: number;
  /** Set where there may be more rows than `checkpointCount`: a log of which only the beginning and the end were read. */
  readonly atLeast?: true;
  readonly unreadable: number;
  readonly latestId?: string;
  readonly latestNamespace?: string;
  /** What the system itself answers, where its defects make that differ. */
  readonly latestNote?: string;
  readonly status: TaskStatus;
  /** In lists: it completed, and its state has a check that failed, which `lastError` tells then. No source sets it. */
  readonly outcome?: 'check_failed';
  readonly lastError?: string;
  /** ISO 8601 UTC. */
  readonly updatedAt?: string;
  readonly sizeBytes?: number;
  readonly kind?: 'unassigned' | 'archived';
}

/**
 * A checkpoint without its state.
 * @example const { items: [latest] } = await source.checkpoints('run-1'); latest?.createdAt // '2026-03-01T10:00:00.000Z'
 */
export interface CheckpointMeta {
  readonly store: StoreId;
  readonly id: string;
  readonly taskId: string;
  readonly namespace?: string;
  readonly parentId?: string;
  /** The parent's task, only where it is another one. */
  readonly parentTaskId?: string;
  readonly lineage: LineageKind;
  /** Place in save order within the task, 1-based, oldest = 1. */
  readonly seq: number;
  readonly stepIndex?: number;
  readonly totalSteps?: number;
  /** ISO 8601 UTC; only when `timeBasis` is `utc` or `file`. */
  readonly createdAt?: string;
  /** The time exactly as stored. */
  readonly createdAtText?: string;
  readonly timeBasis: TimeBasis;
  readonly trigger?: Trigger;
  readonly status: CheckpointStatus;
  /** The step's name or the system's own words. */
  readonly description?: string;
  readonly labels: readonly string[];
  /** What a person wrote about it, where the store itself has such words: a bundle. */
  readonly note?: string;
  readonly agentId?: string;
  readonly durationMs?: number;
  readonly tokenUsage?: number;
  readonly costUsd?: number;
  readonly gitCommit?: string;
  readonly graphSignature?: string;
  /** Bytes of the stored row or file. */
  readonly sizeBytes: number;
  /** Bytes that its state has at most, where that is made of more than its own row: `stateBytesOf` tells for any. */
  readonly stateBytes?: number;
  /** The revision of its state, where it is known without reading the state. */
  readonly revision?: string;
  readonly isLatest: boolean;
  readonly problem?: Problem;
}

/**
 * One node of the fork tree, without state.
 * @example for await (const { id, parent } of source.lineage('run-1')) edges.push([parent?.id, id])
 */
export interface LineageRow {
  readonly id: string;
  readonly namespace?: string;
  /** The parent edge; its task may be another one, or hold it no more. */
  readonly parent?: CheckpointRef;
  readonly kind: LineageKind;
  /** ISO 8601 UTC. */
  readonly time?: string;
  readonly status: CheckpointStatus;
  readonly seq: number;
  readonly stepIndex?: number;
  readonly description?: string;
  readonly isLatest: boolean;
  /** Why it can't be read, as the list says; a tree reads no states to find out. */
  readonly problem?: Problem['code'];
}

/** @example for await (const { facts } of source.lineage('run-1', { facts: true })) bytes += facts?.sizeBytes ?? 0 */
export interface LineageRowWithFacts extends LineageRow {
  /** Only where they were asked for, of a store that knows them without looking at the row again. */
  readonly facts?: RowFacts;
}

/** What a list says of a checkpoint and a tree does not. @example const { sizeBytes }: RowFacts = { sizeBytes: 20_000 } */
export type RowFacts = Pick<CheckpointMeta, 'agentId' | 'sizeBytes' | 'stateBytes' | 'revision'>;

/**
 * Rows of a tree that follow each other, all of the task's root: a JSON list for each column, in row order, as text, so
 * that what a database writes is passed on without being read.
 * @example const part: LineagePart = { count: 2, ids: '["a","b"]', statuses: 'cf', times, steps, descriptions }
 */
export interface LineageRun {
  readonly count: number;
  readonly ids: string;
  /**
   * Ids of recorded parents in the task's root; null: the row before is taken for it, where there is one. Absent: each
   * has the row before as its recorded parent, the first of the task none.
   */
  readonly parents?: string;
  /** The first letter of each status. */
  readonly statuses: string;
  /** ISO 8601 UTC, or null, as the next two. */
  readonly times: string;
  readonly steps: string;
  readonly descriptions: string;
  /** Place of the latest in this run. */
  readonly latest?: number;
}

/**
 * Some of the rows of a tree: as columns, or as they are.
 * @example for await (const part of source.lineageParts?.('run-1') ?? []) encoder.addPart(part);
 */
export type LineagePart = LineageRun | { readonly rows: readonly LineageRow[] };

/**
 * What the system hands back on resume.
 * @example const state = await source.state(ref); state && JSON.parse(state.text)
 */
export interface State {
  /** JSON text, exactly as stored. */
  readonly text: string;
  /** Opaque: equal = the same stored content in this store. Preconditions, ETag and If-Match compare it. */
  readonly revision: string;
  /** sha256 hex of the text as it was saved, where the store keeps one: `verify` compares it with the text. */
  readonly sha256?: string;
  /** Set when the text was assembled by us (delta channels, msgpack): how. */
  readonly derived?: string;
}

/**
 * What the owning system's own rule answers for "the latest".
 * @example const { ref, note } = await source.latest('run-1')
 */
export interface Latest {
  readonly ref?: CheckpointRef;
  readonly basis: 'rule' | 'tie' | 'none';
  readonly note?: string;
}

/** `true`, or the reason in words why not. */
export type Capability = true | string;

/**
 * What there is to say about a store: its names, its rules, and what can be changed in it.
 * @example source.info.capabilities.restore // true, or why not
 */
export interface StoreInfo {
  readonly id: StoreId;
  readonly system: string;
  /** What people call it: a file name or the name they gave. */
  readonly label: string;
  /** Where it is, as the user gave it; never with a password. */
  readonly location?: string;
  /**
   * What journal, notes and search hang on, the same for every way to name the store: the real path, or for a database
   * what it calls itself; never with a user or password. Absent for memory, which nothing finds again.
   */
  readonly identity?: string;
  /** The system's ordering rule in words: "newest timestamp". */
  readonly latestRule: string;
  /** What the system itself removes, and when, in words. */
  readonly retention?: string;
  /** Set where checkpoints share what they store, so that deleting one frees less than its size: how, in words. */
  readonly sharing?: string;
  /** Paths that change on every save: default ignore rules of a diff. `$.a.b`, `*` for any one key, `$["branch:*"]` for keys that begin so. */
  readonly volatilePaths: readonly string[];
  readonly indexed: Coverage;
  readonly capabilities: {
    readonly restore: Capability;
    readonly fork: Capability;
    readonly edit: Capability;
    readonly delete: Capability;
  };
  /** Set where a fork copies the chosen checkpoint alone, and on request all that led to it. */
  readonly forkHistory?: true;
  /** Set when a private copy was opened because the original could not be. */
  readonly snapshot?: string;
  /** Set where it holds a person's private work: nothing read of it is kept on disk unless the person agrees. */
  readonly private?: true;
  /** Things the user should know about this store. */
  readonly notes?: readonly string[];
}
