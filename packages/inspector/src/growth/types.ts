import type { CheckpointRef, Growth, StoreId } from '@checkpoint-inspector/core';

/** What makes a task's storage grow, as far as its states were read. */
export interface TaskGrowth {
  readonly store: StoreId;
  readonly task: string;
  /** Every checkpoint of the task, readable or not; bytes as listed, where checkpoints share values each of those once. */
  readonly listed: Sized;
  /** The states that were read, as JSON text; entries most bytes first, and at most a hundred. */
  readonly states: Growth;
  readonly examined: {
    /** States that were read. */
    readonly n: number;
    /** Checkpoints of the task. */
    readonly of: number;
    /** Older ones beyond the limits. */
    readonly outside: Sized;
    /** States that can't be read or are too large; `gaps` names the newest of them. */
    readonly unread: Sized;
    readonly gaps: readonly { readonly ref: CheckpointRef; readonly reason: string }[];
  };
  /** What keeping only the newest 1 and the newest 10 would free at most, by the sizes as listed. */
  readonly keeping: readonly KeepingNewest[];
  /** Why deleting frees less than that, in words, where checkpoints share what they store. */
  readonly sharing?: string;
  /** Set where the store has the states in another form than JSON, in words: their sizes there differ. */
  readonly derived?: string;
}

export interface Sized {
  readonly checkpoints: number;
  readonly bytes: number;
}

export interface KeepingNewest extends Sized {
  readonly newest: number;
}
