import type { CheckpointMeta, CheckpointRef, LineageRow, StoreId, Task } from '@checkpoint-inspector/core';
import type { SqliteDatabase } from '@checkpoint-inspector/io';
import { defined } from '../folder/document.ts';
import { compare } from '../folder/rows.ts';
import type { Message, Thread, ThreadRules } from './contract.ts';

/** The conversations of a database as they are now; read again when another connection has written. */
export class Threads {
  readonly database: SqliteDatabase;
  readonly rules: ThreadRules;
  #threads: readonly Thread[] = [];
  #byId: ReadonlyMap<string, Thread> = new Map();
  #messages = new Map<string, readonly Message[]>();
  readonly #tasks = new Map<string, { readonly key: string; readonly task: Task }>();
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

  kept(id: string, key: string, make: () => Task): Task {
    const known = this.#tasks.get(id);
    if (known?.key === key) return known.task;
    const task = make();
    this.#tasks.set(id, { key, task });
    return task;
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
export function toTask(store: StoreId, threads: Threads, thread: Thread): Task {
  const key = `${thread.messages} ${thread.sizeBytes} ${thread.updatedAt} ${thread.title}`;
  return threads.kept(thread.id, key, () => readTask(store, threads, thread));
}

function readTask(store: StoreId, threads: Threads, thread: Thread): Task {
  const messages = threads.messages(thread.id);
  const latest = threads.latest(thread.id);
  const newest = messages.find(({ id }) => id === latest?.id);
  return defined({
    store,
    id: thread.id,
    title: titleOf(thread),
    system: threads.rules.system,
    checkpointCount: messages.length,
    unreadable: messages.filter(({ problem }) => problem).length,
    latestId: latest?.id,
    status: newest?.status ?? 'unknown',
    lastError: newest?.error,
    updatedAt: thread.updatedAt,
    sizeBytes: thread.sizeBytes,
    kind: thread.isOrphan ? 'unassigned' : undefined,
  });
}

export const titleOf = ({ id, title }: Thread): string => (title === '' ? id : `${title}: ${id}`);

/** Oldest first. */
export function toMetas(store: StoreId, threads: Threads, task: string): CheckpointMeta[] {
  const latest = threads.latest(task);
  const thread = threads.thread(task);
  const messages = threads.messages(task);
  return messages.map((message, at): CheckpointMeta => {
    const before = messages[at - 1];
    const parent = before ? { task, id: before.id } : thread?.parent;
    return defined({
      store,
      id: message.id,
      taskId: task,
      parentId: parent?.id,
      parentTaskId: parent?.task === task ? undefined : parent?.task,
      lineage: parent === undefined ? 'none' : parent.task === task ? 'inferred' : 'recorded',
      seq: at + 1,
      stepIndex: at,
      createdAt: message.createdAt,
      timeBasis: message.createdAt === undefined ? 'none' : 'utc',
      trigger: message.role === 'user' ? 'input' : undefined,
      status: message.problem ? 'unknown' : at === messages.length - 1 ? message.status : 'completed',
      description: message.description,
      labels: [],
      sizeBytes: message.stored.length,
      isLatest: message.id === latest?.id,
      problem: message.problem,
    });
  });
}

export function toLineage(metas: readonly CheckpointMeta[]): LineageRow[] {
  return metas.map((meta) => {
    const { id, status, seq, stepIndex, createdAt: time, description, isLatest, lineage: kind } = meta;
    const parent =
      meta.parentId === undefined ? undefined : { task: meta.parentTaskId ?? meta.taskId, id: meta.parentId };
    return defined({
      id,
      parent,
      kind,
      time,
      status,
      seq,
      stepIndex,
      description,
      isLatest,
      problem: meta.problem?.code,
    });
  });
}
