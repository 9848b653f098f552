/** Conversations that are kept as one row a message: Mastra's threads, VoltAgent's conversations. A checkpoint is the conversation after a message. */
import type { CheckpointRef, CheckpointStatus, PlanWarning, Problem } from '@checkpoint-inspector/core';
import type { SqliteDatabase, SqlRow } from '@checkpoint-inspector/io';

export interface Thread {
  readonly id: string;
  readonly title: string;
  readonly createdAt?: string;
  /** The time of the newest message, where there is one. */
  readonly updatedAt?: string;
  readonly messages: number;
  /** Of the contents of its messages. */
  readonly sizeBytes: number;
  /** The conversation that it was copied from, as the store records it. */
  readonly parent?: CheckpointRef;
  /** It has messages, and no row of its own. */
  readonly isOrphan?: true;
}

export interface Message {
  readonly rowid: bigint;
  readonly id: string;
  readonly role: string;
  readonly createdAt?: string;
  /** JSON text of the message. */
  readonly text: string;
  /** Of its content, as stored. */
  readonly stored: Uint8Array;
  readonly status: CheckpointStatus;
  readonly description: string;
  readonly error?: string;
  readonly problem?: Problem;
}

/** What a system says of its conversations. */
export interface ThreadRules {
  readonly system: string;
  readonly threads: (database: SqliteDatabase) => readonly Thread[];
  /** In the order in which the system gives them to a model, oldest first. */
  readonly messages: (database: SqliteDatabase, thread: string) => readonly Message[];
  /** Where messages with this id are. */
  readonly find: (database: SqliteDatabase, id: string) => readonly string[];
  /** The state after these messages. @example state('thread-1', []) // '{"threadId":"thread-1","messages":[]}' */
  readonly state: (thread: string, messages: readonly Message[]) => string;
  readonly tables: { readonly threads: string; readonly messages: string };
  readonly threadKey: (thread: string) => SqlRow;
  readonly messageKey: (thread: string, id: string) => SqlRow;
  /** The columns that make a message one of a conversation. */
  readonly ofThread: (thread: string) => SqlRow;
  /** The column of a message that holds its content. */
  readonly content: string;
  /** An id for a copied message: a new one where ids are of the whole table. */
  readonly copyId: (id: string) => string;
  /** A message under another id. */
  readonly renamed: (message: Message, id: string) => Message;
  /** The columns of a copied conversation. */
  readonly copiedThread: (database: SqliteDatabase, from: CheckpointRef, to: string, now: Date) => SqlRow;
  /** The store records where a copy comes from, in those columns. */
  readonly recordsCopies: boolean;
  /** What continues from the conversation. */
  readonly next: (thread: string) => string;
  readonly warnings: readonly PlanWarning[];
}
