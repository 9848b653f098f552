import type { CheckpointRef } from '@checkpoint-inspector/core';
import type { SqliteDatabase } from '@checkpoint-inspector/io';
import { defined } from '../folder/document.ts';
import { compare } from '../folder/rows.ts';
import type { ListedRow, ListedTask } from '../kit/listed.ts';
import type { Message, Thread, ThreadRules } from './contract.ts';

/** The conversations of a database as they are now; read again when another connection has written. */
export class Threads {
  readonly database: SqliteDatabase;
  readonly rules: ThreadRules;
  #threads: readonly Thread[] = [];
  #byId: ReadonlyMap<string, Thread> = new Map();
  #messages = new Map<string, readonly Message[]>();
  #version: unknown;

  constructor(database: SqliteDatabase, rules: ThreadRules) {
    this.database = database;
    this.rules = rules;
  }

  /** Newest message first, ties by id. */
  all(): readonly Thread[] {
    const version = this.database.pragma('data_version');
    if (version === this.#version) return this.#threads;
    this.#threads = this.rules.threads(this.database).toSorted(byTime);
    this.#byId = new Map(this.#threads.toReversed().map((thread) => [thread.id, thread]));
    this.#messages = new Map();
    this.#version = version;
    return this.#threads;
  }

  thread(id: string): Thread | undefined {
    this.all();
    return this.#byId.get(id);
  }

  /** Oldest first. */
  messages(id: string): readonly Message[] {
    if (!this.thread(id)) return [];
    const known = this.#messages.get(id) ?? this.rules.messages(this.database, id);
    // Of one conversation: contents may be large.
    this.#messages = new Map([[id, known]]);
    return known;
  }

  /** The place of a message in its conversation, from 0. */
  place(ref: CheckpointRef): number | undefined {
    if (ref.namespace) return undefined;
    const at = this.messages(ref.task).findIndex(({ id }) => id === ref.id);
    return at === -1 ? undefined : at;
  }

  latest(id: string): CheckpointRef | undefined {
    const message = this.messages(id).findLast(({ problem }) => !problem);
    return message && { task: id, id: message.id };
  }
}

export function byTime(a: Pick<Thread, 'id' | 'updatedAt'>, b: Pick<Thread, 'id' | 'updatedAt'>): number {
  return compare(b.updatedAt ?? '', a.updatedAt ?? '') || compare(a.id, b.id);
}

/** What is known of a conversation in a list holds while its messages are as many, as large and as new. */
export function toTask(thread: Thread): ListedTask {
  const { id, messages, sizeBytes, updatedAt, title } = thread;
  return defined({
    id,
    title: titleOf(thread),
    updatedAt,
    sizeBytes,
    kind: thread.isOrphan ? ('unassigned' as const) : undefined,
    unchanged: `${messages} ${sizeBytes} ${updatedAt} ${title}`,
  });
}

export const titleOf = ({ id, title }: Thread): string => (title === '' ? id : `${title}: ${id}`);

/** Oldest first. */
export function toRows(threads: Threads, task: string): ListedRow[] {
  const messages = threads.messages(task);
  return messages.map((message, at): ListedRow =>
    defined({
      id: message.id,
      parent: at === 0 ? (threads.thread(task)?.parent ?? ('none' as const)) : undefined,
      stepIndex: at,
      createdAt: message.createdAt,
      timeBasis: message.createdAt === undefined ? ('none' as const) : ('utc' as const),
      trigger: message.role === 'user' ? ('input' as const) : undefined,
      status: message.problem
        ? ('unknown' as const)
        : at === messages.length - 1
          ? message.status
          : ('completed' as const),
      description: message.description,
      sizeBytes: message.stored.length,
      problem: message.problem,
    }),
  );
}
