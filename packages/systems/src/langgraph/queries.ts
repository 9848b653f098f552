import type { InspectorError } from '@checkpoint-inspector/core';

/** Place of one checkpoint within its thread. */
export interface Key {
  readonly ns: string;
  readonly id: string;
}

/** Of one row what a tree is drawn from. */
export interface RowOutline extends Key {
  readonly parent: string | null;
  readonly type: string | null;
  /** First and last bytes of the checkpoint, where `ts` and `versions_seen` are; `null` in very large rows. */
  readonly start: string | Uint8Array | null;
  readonly end: string | Uint8Array | null;
  /** So many bytes were asked for of the end; absent: there are no more that tell anything. */
  readonly window?: number;
  /** As text; `null` where it is absent or very large. */
  readonly metadata: string | null;
}

export interface StoredOutline extends RowOutline {
  /** Bytes of the checkpoint and its metadata; absent where that costs more than the rest. */
  readonly size?: number;
}

/** One row without its state: ends of the checkpoint, and what the engine can say of it. */
export interface RowSummary extends RowOutline {
  readonly start: Uint8Array | null;
  readonly end: Uint8Array | null;
  /** SQLite's storage class of the checkpoint: `blob` or `text` in every sound row; `blob` in Postgres. */
  readonly stored: string;
  readonly size: number;
  readonly metadataSize: number;
  /** Type of `channel_values`, `null` where there is none, `bad` for text that the engine does not take; `unseen` in large rows. */
  readonly shape: string | null;
  readonly failed: number;
  readonly interrupted: number;
  /** The newest id of the row's namespace. */
  readonly newest: string;
}

/** A stored row with its values. */
export interface FullRow extends Key {
  readonly parent: string | null;
  readonly type: string | null;
  readonly stored: string;
  /** As stored, or put together from several tables: then `joined` says how, and `refused` why that failed. */
  readonly checkpoint: Uint8Array | null;
  readonly joined?: string;
  /** The column as the server writes it, where `checkpoint` is not what is stored. */
  readonly column?: Uint8Array;
  readonly refused?: InspectorError;
  readonly metadata: Uint8Array | null;
  readonly metadataStored: string;
}

export interface WriteRow {
  readonly task: string;
  readonly type: string | null;
  readonly stored: string;
  readonly value: Uint8Array | null;
}

export interface PendingRow extends WriteRow {
  readonly channel: string;
  readonly size: number;
}

export interface ThreadRow {
  readonly id: string;
  readonly count: number;
  /** Greatest checkpoint id of any namespace. */
  readonly newest: string;
}

/** Of the writes on a checkpoint: how many, how many that are no error and no question, and their bytes. */
export interface WriteTotals {
  readonly count: number;
  readonly plain: number;
  readonly bytes: number;
}

/** What tells that something was committed. */
export interface Version {
  /** Another value after every commit. */
  readonly commit: unknown;
  /** Another value after every commit that `marks` tell of; the others changed rows in their place, or removed some. */
  readonly saved: unknown;
}

/** SQLite answers at once, PostgreSQL later. */
export type May<T> = T | Promise<T>;

/**
 * All that LangGraph's rules read of a store: narrow questions about its tables, without a rule of their own. What is
 * asked at the same moment goes to a server as one statement (postgres/batched.ts), so ask about many rows at once.
 */
export interface Queries {
  version(): May<Version>;
  /** Those that have only writes are among them, with no checkpoints. */
  threads(): May<readonly ThreadRow[]>;
  /** One of them; absent where it has no rows at all. */
  thread(thread: string): May<ThreadRow | undefined>;
  /** Another text for a thread in which a row was saved or removed. */
  mark(thread: string): May<string>;
  /** Bytes of a thread's rows in all tables; the values are not read. */
  bytes(thread: string): May<number>;
  /** Rows whose payload is of a type that is not read. */
  otherTypes(thread: string): May<number>;
  /** Rows that look damaged, or are large and the newest. */
  suspects(thread: string): May<readonly Key[]>;
  /** Newest first, ties by namespace; from `from` on, itself left out. */
  older(thread: string, from: Key | undefined, limit: number): May<readonly Key[]>;
  /** Next newer ones, oldest first. */
  newer(thread: string, from: Key, limit: number): May<readonly Key[]>;
  /** Every checkpoint of a thread, oldest first. */
  keys(thread: string): May<readonly Key[]>;
  /** The newest id of a namespace, of those older than `before`. */
  newest(thread: string, ns: string, before?: string): May<string | undefined>;
  /** The row id of the root's newest checkpoint where its id isn't text, and so sorts behind all texts. */
  oddNewest?(thread: string): number | undefined;
  /** How many checkpoints of the thread are as old as `key` or older. */
  place(thread: string, key: Key): May<number>;
  /** Those that are there. */
  summaries(thread: string, keys: readonly Key[]): May<readonly RowSummary[]>;
  /** Those of some rows that are there, in the order of their ids. */
  outlines(thread: string, keys: readonly Key[]): May<readonly StoredOutline[]>;
  row(thread: string, key: Key): May<FullRow | undefined>;
  /** As `row`; of the values at least those that say which nodes run next. */
  shapeRow(thread: string, key: Key): May<FullRow | undefined>;
  /** Along the parents, the nearest first, until one is missing; of the values at least these channels. May be circular. */
  ancestors(thread: string, row: FullRow, channels: readonly string[]): May<Iterable<FullRow>>;
  /** Last bytes of each checkpoint, where `versions_seen` is. */
  ends(thread: string, keys: readonly Key[]): May<readonly (Uint8Array | undefined)[]>;
  /** Writes to one channel, in the order in which LangGraph applies them. */
  writes(thread: string, key: Key, channel: string): May<readonly WriteRow[]>;
  /** Every write on a checkpoint, by task; values larger than `largest` bytes are left where they are. */
  allWrites(thread: string, key: Key, largest: number, limit: number): May<readonly PendingRow[]>;
  /** The tasks with writes on a checkpoint, and whether one of these finishes its task. */
  tasksOf(thread: string, key: Key): May<readonly { readonly task: string; readonly finished: number }[]>;
  writeCount(thread: string): May<number>;
  writesOf(thread: string, key: Key): May<WriteTotals>;
  /** Checkpoints of the thread that have writes, with their number. */
  writeCounts(thread: string): May<readonly (Key & { readonly count: number })[]>;
  /** Checkpoints of the thread with a write that is an error. */
  failed(thread: string): May<readonly Key[]>;
  /** Subgraph rows whose metadata names this checkpoint somewhere. */
  mentions(thread: string, id: string): May<readonly (Key & { readonly metadata: string })[]>;
  /** The newest row of each subgraph that keeps its state from one run to the next (no task in its namespace); as old as `upTo`. */
  lasting(thread: string, upTo: string | undefined): May<readonly Key[]>;
  /** True when some checkpoint of the thread counts changes of delta channels. */
  hasDeltas(thread: string): May<boolean>;
  /** Of each the ids of the rows that continue from it, in their order. */
  children(thread: string, keys: readonly Key[]): May<readonly (readonly string[])[]>;
  /** Where this id is, in any thread. */
  find(id: string): May<readonly { readonly thread: string; readonly ns: string }[]>;
}
