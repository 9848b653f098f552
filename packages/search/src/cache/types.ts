import type { CheckpointMeta, CheckpointRef, CheckpointStatus } from '@checkpoint-inspector/core';
import type { SearchQuery } from '../query/types.ts';
import type { DocumentText } from './writer.ts';

/** A checkpoint whose text is waiting to be indexed. */
export interface PendingDocument {
  readonly doc: number;
  readonly ref: CheckpointRef;
  readonly sizeBytes: number;
  readonly description?: string;
}

/** How much of a store can be found. `of` is the sum of all but `partly`, which is a part of `indexed`. */
export interface IndexCounts {
  readonly of: number;
  readonly indexed: number;
  readonly partly: number;
  readonly locked: number;
  readonly unreadable: number;
}

export interface NewText extends DocumentText {
  readonly doc: number;
  readonly task: string;
}

/** The index of one store. Calls are synchronous and short; everything written by one call is written or not. */
export interface StoreIndex {
  /** The task is going to be listed to its end: `endList` forgets what no page had. */
  beginList(task: string): void;
  /**
   * Takes in one page of a task's list; how many were new, or saved again under their id. A checkpoint with another
   * content than before is to be indexed again.
   * @throws InspectorError disk_full
   */
  list(task: string, page: readonly CheckpointMeta[]): number;
  /** Forgets what was not listed since `beginList`, some thousands at a time. False until it is done: call again. */
  endList(task: string): boolean;
  tasks(): readonly string[];
  dropTask(task: string): void;
  /** Those of the task with the newest checkpoint first, and of a task its newest. */
  waiting(most: number): readonly PendingDocument[];
  /**
   * Writes texts for so many milliseconds; how many were finished. Call again with the rest.
   * @throws InspectorError disk_full
   */
  write(texts: readonly NewText[], sliceMs: number): number;
  /** Says that the text of a document cannot be read. */
  setUnread(doc: number, state: 'locked' | 'unreadable', reason: string): void;
  /** Forgets one document. */
  drop(doc: number): void;
  counts(): IndexCounts;
  /** One short step of upkeep after writing; false when there is nothing to do. */
  tidy(): boolean;
}

/** A checkpoint as the index knows it. */
export interface FoundCheckpoint {
  readonly ref: CheckpointRef;
  readonly seq: number;
  readonly stepIndex?: number;
  readonly status: CheckpointStatus;
  /** ISO 8601 UTC. */
  readonly createdAt?: string;
  readonly description?: string;
  readonly sizeBytes: number;
}

/** Offsets in UTF-16 code units. */
export interface TextMark {
  readonly start: number;
  readonly end: number;
}

/** JSON text cut around its first match. */
export interface Snippet {
  readonly text: string;
  readonly marks: readonly TextMark[];
  /** Whether something was cut off there. */
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
}

/** `value`: text of a value; `path`: a key; `name`: what the step is called; `checkpoint`: only facts were asked for. */
export type FoundIn = 'value' | 'path' | 'name' | 'checkpoint';

/** One thing that was found, in as many checkpoints of its task as hold it. */
export interface Found {
  readonly in: FoundIn;
  /** Absent for names and checkpoints. */
  readonly path?: string;
  readonly pathMarks: readonly TextMark[];
  /** Absent where a path leads to a container, or only facts were asked for. */
  readonly snippet?: Snippet;
  readonly firstSeen: FoundCheckpoint;
  readonly lastSeen: FoundCheckpoint;
  /** Checkpoints that hold it, of those that the query's filters let through. */
  readonly count: number;
}

/** Something found, not looked at more closely yet. */
export interface Candidate {
  readonly storeKey: string;
  readonly task: string;
  /** 0 is best: the whole value; 3 is a part of a word or key. */
  readonly rank: number;
  /** When the newest checkpoint of its task was saved; ms. */
  readonly newestMs: number;
  /** Later ones are younger in the index. */
  readonly order: number;
  /** Looks closer; `undefined` where no checkpoint holds it any longer. */
  look(): Found | undefined;
}

export interface FindOptions {
  /** Keys of the stores to look in. */
  readonly stores: ReadonlySet<string>;
  /** When to stop, as `performance.now()` tells it. */
  readonly until: number;
  /** Stops after so many candidates. */
  readonly most: number;
  /** Called between pieces of work. @throws when nobody waits for the answer any longer */
  readonly pause: () => Promise<void>;
}

export interface Candidates {
  readonly items: readonly Candidate[];
  /** `time` or `count`: there may be more; absent: this is all. */
  readonly cut?: 'time' | 'count';
}

/** Full text of all states, in a file that may be deleted at any time, or in memory. */
export interface SearchCache {
  /** Absent for one in memory. */
  readonly path?: string;
  /** `key` names a store for good, whatever its id is this time. */
  store(key: string): StoreIndex;
  find(query: SearchQuery, options: FindOptions): Promise<Candidates>;
  /** Bytes on the disk, or in memory. */
  sizeBytes(): number;
  close(): void;
}
