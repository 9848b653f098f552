import type { InspectorError } from '@checkpoint-inspector/core';

/** Place of one checkpoint within its thread. */
export interface Key {
  readonly ns: string;
  readonly id: string;
}

/** One row without its state: ends of the checkpoint, and what the engine can say of it. */
export interface RowSummary extends Key {
  readonly parent: string | null;
  readonly type: string | null;
  /** SQLite's storage class of the checkpoint: `blob` or `text` in every sound row; `blob` in Postgres. */
  readonly stored: string;
  readonly size: number;
  readonly metadataSize: number;
  /** First and last bytes of the checkpoint, where `ts` and `versions_seen` are; `null` in very large rows. */
  readonly start: Uint8Array | null;
  readonly end: Uint8Array | null;
  /** Type of `channel_values`, `null` where there is none, `bad` for text that the engine does not take; `unseen` in large rows. */
  readonly shape: string | null;
  /** As text; `null` where it is absent or very large. */
  readonly metadata: string | null;
  readonly failed: number;
  readonly interrupted: number;
  /** The newest id of the row's namespace. */
  readonly newest: string;
}

/** Of one row what a tree is drawn from. */
export interface RowOutline extends Pick<RowSummary, 'ns' | 'id' | 'parent' | 'type' | 'metadata'> {
  readonly start: string | Uint8Array | null;
  readonly end: string | Uint8Array | null;
  /** So many bytes were asked for of the end; absent: there are no more that tell anything. */
  readonly window?: number;
}

export interface StoredOutline extends RowOutline {
  /** Bytes of the checkpoint and its metadata. */
  readonly size: number;
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

/** A place between two threads: of those with checkpoints, or of those with writes. */
export interface ThreadsFrom {
  readonly table: 'checkpoints' | 'writes';
  readonly after?: string;
}

/**
 * All that LangGraph's rules read of a store: narrow questions about its tables, without a rule of their own. Answers
 * are synchronous, which keeps SQLite's lists fast; an engine behind a network collects what is asked and asks again
 * (postgres/questions.ts).
 */
export interface Queries {
  /** Another value than before: some other connection has committed. */
  version(): unknown;
  /** Those that have only writes are among them, with no checkpoints. */
  threads(): readonly ThreadRow[];
  /** The same in parts, where all at once would hold up others: from the thread after `from` on, until `next` is absent. */
  someThreads?(from: ThreadsFrom | undefined): { readonly threads: readonly ThreadRow[]; readonly next?: ThreadsFrom };
  /** One of them; absent where it has no rows at all. */
  thread(thread: string): ThreadRow | undefined;
  /**
   * The threads in which rows were saved since `mark` was given; absent where the engine cannot tell, and without a
   * mark. Rows that were removed, or changed in their place, are not told.
   */
  savedSince(mark: string | undefined): { readonly mark?: string; readonly threads: readonly string[] | undefined };
  /** Bytes of a thread's rows in all tables; the values are not read. */
  bytes(thread: string): number;
  /** Rows whose payload is of a type that is not read. */
  otherTypes(thread: string): number;
  /** Rows that look damaged, or are large and the newest. */
  suspects(thread: string): readonly Key[];
  /** Newest first, ties by namespace; from `from` on, itself left out. */
  older(thread: string, from: Key | undefined, limit: number): readonly Key[];
  /** Next newer ones, oldest first. */
  newer(thread: string, from: Key, limit: number): readonly Key[];
  /** Every checkpoint of a thread, oldest first. */
  keys(thread: string): readonly Key[];
  /** The newest id of a namespace, of those older than `before`. */
  newest(thread: string, ns: string, before?: string): string | undefined;
  /** The row id of the root's newest checkpoint where its id isn't text, and so sorts behind all texts. */
  oddNewest?(thread: string): number | undefined;
  /** How many checkpoints of the thread are as old as `key` or older. */
  place(thread: string, key: Key): number;
  summary(thread: string, key: Key): RowSummary | undefined;
  row(thread: string, key: Key): FullRow | undefined;
  /** As `row`; of the values at least those that say which nodes run next. */
  shapeRow(thread: string, key: Key): FullRow | undefined;
  /** Along the parents, the nearest first, until one is missing; of the values at least these channels. May be circular. */
  ancestors(thread: string, row: FullRow, channels: readonly string[]): Iterable<FullRow>;
  /** Last bytes of a checkpoint, where `versions_seen` is. */
  end(thread: string, key: Key): Uint8Array | undefined;
  /** Writes to one channel, in the order in which LangGraph applies them. */
  writes(thread: string, key: Key, channel: string): readonly WriteRow[];
  /** Every write on a checkpoint, by task; values larger than `largest` bytes are left where they are. */
  allWrites(thread: string, key: Key, largest: number, limit: number): readonly PendingRow[];
  /** How many writes `allWrites` has without its limit. */
  plainWrites(thread: string, key: Key): number;
  /** The tasks with writes on a checkpoint, and whether one of these finishes its task. */
  tasksOf(thread: string, key: Key): readonly { readonly task: string; readonly finished: number }[];
  writeCount(thread: string): number;
  /** Number and bytes of the writes on a checkpoint. */
  writesOf(thread: string, key: Key): { readonly count: number; readonly bytes: number };
  /** Checkpoints of the thread that have writes, with their number. */
  writeCounts(thread: string): readonly (Key & { readonly count: number })[];
  /** Subgraph rows whose metadata names this checkpoint somewhere. */
  mentions(thread: string, id: string): readonly (Key & { readonly metadata: string })[];
  /** The newest row of each subgraph that keeps its state from one run to the next (no task in its namespace); as old as `upTo`. */
  lasting(thread: string, upTo: string | undefined): readonly Key[];
  /** True when some checkpoint of the thread counts changes of delta channels. */
  hasDeltas(thread: string): boolean;
  /** Of each the ids of the rows that continue from it, in their order. */
  children(thread: string, keys: readonly Key[]): readonly (readonly string[])[];
  /** Where this id is, in any thread. */
  find(id: string): readonly { readonly thread: string; readonly ns: string }[];
}

/** What a tree is drawn from where one pass costs less than a question for each row. */
export interface Outlines {
  /** The rows of a thread in one pass, oldest first, ties by namespace; from `after` on, itself left out. */
  outlines(thread: string, after?: Key): Iterable<StoredOutline>;
  /** The newest of each namespace. */
  tips(thread: string): readonly Key[];
  /** Checkpoints with a write that is an error. */
  failed(thread: string): readonly Key[];
}
