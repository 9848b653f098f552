/** The whole contract. Absence is `undefined`; failures are `InspectorError`. */
import type { Plan, SystemRequest } from './change/index.ts';
import type { Diff, DiffOptions } from './diff/types.ts';
import type { StateValue } from './history/types.ts';
import type { PartRange } from './nodes/part.ts';
import type {
  CheckpointMeta,
  CheckpointRef,
  Latest,
  LineagePart,
  LineageRowWithFacts,
  Page,
  State,
  StoreInfo,
  Task,
} from './model.ts';
import type { NewWrite, SavedCheckpoint, WriteOptions } from './saved.ts';

export type * from './saved.ts';
export type { AddressTarget, PathTarget, Target } from './target.ts';

/**
 * Every call takes one: an aborted signal rejects it with the signal's reason, at the latest before the next read.
 * @example await source.state(ref, { signal: AbortSignal.timeout(5000) })
 */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** A store that is still being read may answer from its newest part; a watch tells of more. Default: it waits for all. */
  readonly partial?: boolean | undefined;
  /** Nobody waits for the answer: calls that somebody waits for come first. */
  readonly background?: boolean | undefined;
  /** Of a state: one that has to be read to know its size may be refused as `too_large` once it has more than these. */
  readonly mostCharacters?: number | undefined;
  /** Calls with the same one are of one request that only reads: what held for the first may be told to the others. */
  readonly reading?: object | undefined;
}

/**
 * Which page of a list of checkpoints.
 * @example await source.checkpoints('run-1', { limit: 50, cursor })
 */
export interface PageQuery extends CallOptions {
  /** 1..1000, default 100. */
  readonly limit?: number;
  /** From the page before; opaque. */
  readonly cursor?: string;
  /** A page that holds this checkpoint, instead of `cursor`. */
  readonly around?: CheckpointRef;
}

/** @example source.lineage('run-1', { facts: true }) */
export interface LineageOptions extends CallOptions {
  /** Whether the rows say their `facts`. */
  readonly facts?: boolean;
}

/**
 * Which page of the tasks.
 * @example await source.tasks({ text: 'report', limit: 50 })
 */
export interface TaskQuery extends CallOptions {
  readonly limit?: number;
  readonly cursor?: string;
  /** Only tasks whose id or title holds this text, case-insensitive. */
  readonly text?: string;
}

/**
 * One page of the tasks.
 * @example const { items, of = items.length } = await source.tasks()
 */
export interface TaskPage extends Page<Task> {
  /** How many tasks there are in all, for this text; absent where that is not known without reading them. */
  readonly of?: number;
}

/** Ends a watch. @example const unwatch = source.watch?.(({ task }) => refresh(task)); unwatch?.() */
export type Unwatch = () => void;

/**
 * What may have changed; `task` absent means anything.
 * @example source.watch?.(({ task }) => refresh(task))
 */
export interface StoreEvent {
  readonly task?: string;
}

/** A question that waits for a person. */
export interface PendingRequest {
  /** As stored; absent where the system gives it none. */
  readonly id?: string;
  /** Who asks: an executor, a node. */
  readonly from?: string;
  /** What is asked: a string as it reads, anything else as its JSON text, exactly as stored. Where it cannot be read: why. */
  readonly text: string;
  /** True where `text` says why the question cannot be read. */
  readonly unread?: true;
}

/** The error of one step that ran on a checkpoint. */
export interface StepError {
  /** In the system's words, whole. */
  readonly text: string;
  /** The node or step that failed; absent where nothing tells it. */
  readonly node?: string;
}

/** A value that a step wrote and that is kept beside the checkpoint it started from, not yet in any state. */
export interface PendingWrite {
  /** The run of a step that wrote it, as the system names it. */
  readonly taskId: string;
  /** The node or step that ran; absent where nothing tells it. */
  readonly node?: string;
  /** Where the value goes. */
  readonly channel: string;
  /** JSON text as stored; absent where `problem` says why. */
  readonly text?: string;
  /** Stored bytes of the value. */
  readonly sizeBytes: number;
  /** Why there is no text, in words: too large, or of a type that is not read. */
  readonly problem?: string;
}

/**
 * What is kept beside a checkpoint and not in its state.
 * @example const { errors, requests, next } = (await source.beside?.(ref)) ?? {}
 */
export interface Beside {
  /** What failed, in the system's words: the first of `errors`. */
  readonly error?: string;
  /** Every error of a step, each with its node; what stopped the others comes first. */
  readonly errors?: readonly StepError[];
  /** The step that failed is the one that saved this checkpoint; absent: one that began from it, and saved none. */
  readonly own?: true;
  readonly requests: readonly PendingRequest[];
  /** By task, in the order in which they were written. On a checkpoint with children these are what the next step wrote. */
  readonly writes?: readonly PendingWrite[];
  /** How many writes there are that `writes` leaves out, where there are very many. */
  readonly moreWrites?: number;
  /** Nodes that the system would run next from here, without those that have finished. */
  readonly next?: readonly string[];
}

/** The changes that a row refuses, each with the reason in words. */
export type RowCapabilities = { readonly [Act in keyof StoreInfo['capabilities']]?: string };

/**
 * Some of a state, from a store that reads it cheaper than the whole text.
 * @example const page = await source.part?.(ref, '$.messages', { offset: 100, limit: 50 }); page?.count
 */
export interface StatePart {
  /** JSON text of the value, or of the members that were asked for. */
  readonly text: string;
  /** Of the whole state. */
  readonly revision: string;
  /** Members of the value, where it is a list or an object. */
  readonly count?: number;
}

/**
 * What is wrong with how a store keeps a state, though it may still be read.
 * @example for (const { ref, message } of (await source.damage?.()) ?? []) console.log(ref.id, message);
 */
export interface Damage {
  readonly ref: CheckpointRef;
  readonly message: string;
}

/**
 * What differs between two states, as `diffJson` says of their texts, from a store that needs to read less for it.
 * @example const known = await source.diff?.(a, b, { ignore: source.info.volatilePaths, signal });
 */
export interface StateDiff extends Diff {
  /** Of the two states; absent where they are not known without the texts. */
  readonly revisions?: readonly [before: string, after: string];
}

/**
 * All that a read-only system implements.
 * @example const { items } = await source.checkpoints('run-1', { limit: 10, signal });
 */
export interface CheckpointSource {
  readonly info: StoreInfo;
  /** Newest `updatedAt` first, ties by id. */
  tasks(query?: TaskQuery): Promise<TaskPage>;
  /** Resume order: the latest first, ties by id. Unreadable rows are listed too. Unknown task: an empty page. */
  checkpoints(task: string, query?: PageQuery): Promise<Page<CheckpointMeta>>;
  /** Every checkpoint of the task once, oldest first. */
  lineage(task: string, options?: LineageOptions): AsyncIterable<LineageRowWithFacts>;
  /** The rows of `lineage`, many at a time. Only where that is much cheaper. */
  lineageParts?(task: string, options?: CallOptions): AsyncIterable<LineagePart>;
  /** The row of one checkpoint, as `checkpoints` lists it. */
  meta(ref: CheckpointRef, options?: CallOptions): Promise<CheckpointMeta | undefined>;
  /** @throws InspectorError unreadable | locked */
  state(ref: CheckpointRef, options?: CallOptions): Promise<State | undefined>;
  latest(task: string, options?: CallOptions): Promise<Latest>;
  /** Refs with this id, in any task; cheap enough for a permalink. */
  find(id: string, options?: CallOptions): Promise<readonly CheckpointRef[]>;
  /** Stored bytes, byte for byte, to be looked at and exported; absent where a store has no such bytes. */
  raw?(ref: CheckpointRef, options?: CallOptions): Promise<Uint8Array | undefined>;
  /** Only where a system keeps errors and questions beside its states (pending writes); elsewhere the state has them. */
  beside?(ref: CheckpointRef, options?: CallOptions): Promise<Beside | undefined>;
  /** What this one row refuses, with the reason, though the store allows it; empty where nothing is refused. */
  capability?(ref: CheckpointRef, options?: CallOptions): Promise<RowCapabilities>;
  /**
   * The value at a path, or its members in a range. Only where that is cheaper than the text; `undefined` where the
   * text has to be read instead, or the checkpoint doesn't exist.
   * @throws InspectorError not_found, `data.path` is the deepest part that is there | invalid_input (the path) | unreadable
   */
  part?(ref: CheckpointRef, path: string, range?: PartRange, options?: CallOptions): Promise<StatePart | undefined>;
  /** `part` of many states in one go; absent where one has to be read on its own. @throws InspectorError unreadable */
  values?(
    refs: readonly CheckpointRef[],
    path: string,
    options?: CallOptions,
  ): Promise<readonly (StateValue | undefined)[]>;
  /**
   * What differs between two states, without their texts. `undefined` where the texts are to be compared instead: too
   * much differs, one of the states isn't there, or is kept as a text.
   * @throws InspectorError unreadable | invalid_input (an ignore rule)
   */
  diff?(a: CheckpointRef, b: CheckpointRef, options?: CallOptions & DiffOptions): Promise<StateDiff | undefined>;
  /**
   * Another object after each write, whoever made it; `undefined` while that can't be told. Only where looking costs
   * much less than an answer: one that was given under it may be given again.
   */
  version?(options?: CallOptions): object | undefined;
  /** Looks through everything that states are made of. Only where they are more than a text or file each. */
  damage?(options?: CallOptions): Promise<readonly Damage[]>;
  unlock?(key: string): Promise<void>;
  watch?(onEvent: (event: StoreEvent) => void): Unwatch;
  close?(): Promise<void>;
  /** What the next save to the task would evict. Only beside `save`. */
  evictedNext?(task: string, options?: CallOptions): Promise<readonly CheckpointRef[]>;
  /** Only where agents can save through this program, by the rules of the system that owns the store. */
  save?(checkpoint: NewCheckpoint, options?: SaveOptions): Promise<CheckpointMeta>;
}

/**
 * What a store that can be changed adds.
 * @example const { view } = await source.plan({ kind: 'restore', ref }); view.warnings
 */
export interface Changeable {
  /** Reads and decides; writes nothing. @throws InspectorError unsupported (with the reason) | not_found | busy */
  plan(request: SystemRequest, options?: CallOptions): Promise<Plan>;
}

/** What is saved of a checkpoint besides its state; `durationMs` in milliseconds, `costUsd` in dollars. */
interface NewCheckpointFields {
  readonly id: string;
  readonly task: string;
  /** A part of the task that runs on its own, such as a subgraph; absent or empty is the root, which the latest is of. */
  readonly namespace?: string;
  readonly parent?: CheckpointRef;
  /** A small JSON text of what a framework needs to go on; of an object, `next`, a list of names, is what runs next. */
  readonly beside?: string;
  readonly stepIndex?: number;
  readonly totalSteps?: number;
  readonly trigger?: CheckpointMeta['trigger'];
  readonly status?: CheckpointMeta['status'];
  readonly description?: string;
  readonly agentId?: string;
  readonly durationMs?: number;
  readonly tokenUsage?: number;
  readonly costUsd?: number;
  /** ISO 8601 UTC; the time of the save where absent. */
  readonly createdAt?: string;
}

/**
 * A checkpoint whose state is given as text.
 * @example await store.save({ id: 'cp-1', task: 'run-1', text: '{"step":1}' })
 */
export interface NewCheckpoint extends NewCheckpointFields {
  /** JSON text, kept as it is. */
  readonly text: string;
}

/**
 * A checkpoint whose state is given as a value: a store can compare it with the one before, and write what changed.
 * @example await store.save({ id: 'cp-1', task: 'run-1', value: { step: 1 } })
 */
export interface NewValue extends NewCheckpointFields {
  readonly text?: undefined;
  /**
   * Its JSON is the state. What JSON cannot hold is refused with its path: Map, Set, Date, Error, bytes, class instances,
   * NaN, functions, `undefined` in an array. Members that are `undefined` are left out.
   */
  readonly value: unknown;
}

/**
 * What happens to a checkpoint that has this id already.
 * @example await store.save(checkpoint, { ifExists: 'refuse' })
 */
export interface SaveOptions {
  /** Default `replace`: the value is replaced in place and keeps its position (F020). `refuse` throws `changed`. */
  readonly ifExists?: 'refuse' | 'replace';
  /** The value and everything in it never changes, so objects that an earlier save has seen aren't looked into. */
  readonly immutable?: boolean;
  /**
   * The only checkpoints that the store's limit may take out; where another one would go, nothing is saved and `changed`
   * is thrown, with all that would go in `data.evicts`. Absent: whatever the limit says goes.
   */
  readonly mayEvict?: readonly CheckpointRef[];
}

/**
 * Keep at most so many per task, oldest out first (F020); `undefined` keeps all.
 * @example new MemoryStore({ maxPerTask: 10 })
 */
export interface StoreOptions {
  readonly maxPerTask?: number;
}

/**
 * A store that agents save to.
 * @example const store: CheckpointStore = new MemoryStore()
 */
export interface CheckpointStore extends CheckpointSource, Changeable {
  /** Resolves when the save is durable. @throws InspectorError invalid_input | changed | disk_full | busy */
  save(checkpoint: NewCheckpoint | NewValue, options?: SaveOptions): Promise<CheckpointMeta>;
  /** Saves durably what steps wrote from a checkpoint, which may be saved later. @throws InspectorError as `save` */
  saveWrites(ref: CheckpointRef, writes: readonly NewWrite[], options?: WriteOptions): Promise<void>;
  /** A checkpoint with all that is kept with it. @throws InspectorError unreadable */
  load(ref: CheckpointRef, options?: CallOptions): Promise<SavedCheckpoint | undefined>;
  /** Removes one checkpoint and its writes for good (no trash); false if absent. For agents; the inspector deletes by plan. */
  remove(ref: CheckpointRef): Promise<boolean>;
  /** Removes a task for good, with writes whose checkpoint was never saved; how many checkpoints it had. */
  removeTask(task: string): Promise<number>;
}

/** True for a store that plans changes. @example if (isChangeable(source)) await source.plan({ kind: 'delete', refs }) */
export function isChangeable(source: CheckpointSource): source is CheckpointSource & Changeable {
  return 'plan' in source;
}
