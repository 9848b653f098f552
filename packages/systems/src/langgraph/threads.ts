import {
  decodeCursor,
  encodeCursor,
  pageLimit,
  type Latest,
  type Page,
  type StoreId,
  type Task,
  type TaskQuery,
} from '@checkpoint-inspector/core';
import { compare, defined } from '../folder/index.ts';
import { lastErrorOf } from './beside.ts';
import { Describer, refOf, type Described } from './meta.ts';
import type { Queries, ThreadRow } from './queries.ts';
import { timeOf } from './uuid6.ts';

/** What LangGraph continues from, and what it says about the thread. */
export interface Head {
  readonly latest: Latest;
  /** Absent when no checkpoint of the root graph can be read. */
  readonly described?: Described;
  readonly lastError?: string;
}

/** Some tool has deleted the checkpoints and left the writes, or an agent died before its first save. */
function onlyWrites(queries: Queries, thread: string): { note?: string } {
  const count = queries.thread(thread) === undefined ? queries.writeCount(thread) : 0;
  if (count === 0) return {};
  const writes = count === 1 ? '1 write' : `${count} writes`;
  return { note: `No checkpoint is stored, only ${writes}: LangGraph starts this thread from the beginning.` };
}

/** LangGraph's rule: the greatest checkpoint id of the root namespace. Damaged rows are passed over, and named. */
export function headOf(queries: Queries, thread: string): Head {
  const describer = new Describer(queries, thread);
  let damaged: string | undefined;
  for (const id of queries.newestIds(thread, '')) {
    const described = describer.describe({ ns: '', id });
    if (described === undefined) continue;
    if (described.problem?.code === 'unreadable') {
      damaged ??= id;
      continue;
    }
    const note =
      damaged === undefined
        ? undefined
        : `LangGraph itself picks ${damaged}, which cannot be read, and stops with an error.`;
    return defined({
      latest: defined({ ref: refOf(thread, described.row), basis: 'rule', note }),
      described,
      lastError: described.row.failed === 1 ? lastErrorOf(queries, thread, { ns: '', id }) : undefined,
    });
  }
  if (damaged === undefined) return { latest: { basis: 'none', ...onlyWrites(queries, thread) } };
  return { latest: { basis: 'none', note: 'No checkpoint of the root graph can be read.' } };
}

/** Suspect rows that are looked at one by one; the rest is counted as it looks. */
const LOOKED_AT = 200;

interface Facts {
  readonly head: Head;
  readonly unreadable: number;
  readonly bytes: number;
}

interface TimedThread extends ThreadRow {
  /** ISO 8601 UTC. */
  readonly time: string;
}

/** Threads with what is known of them, kept until another connection commits. */
export class Threads {
  readonly #store: StoreId;
  readonly #queries: Queries;
  readonly #facts = new Map<string, Facts>();
  #list: readonly TimedThread[] | undefined;
  #version: unknown;

  constructor(store: StoreId, queries: Queries) {
    this.#store = store;
    this.#queries = queries;
  }

  /** Newest first, ties by thread id. */
  page(query: TaskQuery): Page<Task> {
    this.#refresh();
    const limit = pageLimit(query.limit);
    const wanted = query.text?.toLowerCase() ?? '';
    const from = query.cursor === undefined ? undefined : decodeCursor(query.cursor, ['string', 'string']).map(String);
    this.#list ??= this.#queries
      .threads()
      .map((thread) => ({ ...thread, time: this.#time(thread) }))
      .sort(byTime);
    const after = this.#list.filter((thread) => {
      if (wanted !== '' && !thread.id.toLowerCase().includes(wanted)) return false;
      return from === undefined || byTime(thread, { time: from[0] ?? '', id: from[1] ?? '' }) > 0;
    });
    const shown = after.slice(0, limit);
    const last = shown.at(-1);
    const cursor = last && after.length > limit ? encodeCursor([last.time, last.id]) : undefined;
    return { items: shown.map((thread) => this.#task(thread)), ...(cursor === undefined ? {} : { cursor }) };
  }

  head(thread: string): Head {
    this.#refresh();
    return this.#factsOf(thread).head;
  }

  #refresh(): void {
    const version = this.#queries.version();
    if (version === this.#version) return;
    this.#version = version;
    this.#facts.clear();
    this.#list = undefined;
  }

  /** From the newest id; where ids are no times, from the head. Empty where neither says. */
  #time(thread: ThreadRow): string {
    return timeOf(thread.newest) ?? this.#factsOf(thread.id).head.described?.createdAt ?? '';
  }

  #task(thread: TimedThread): Task {
    const { head, unreadable, bytes } = this.#factsOf(thread.id);
    return defined({
      store: this.#store,
      id: thread.id,
      title: thread.id,
      system: 'langgraph',
      checkpointCount: thread.count,
      unreadable,
      latestId: head.latest.ref?.id,
      latestNote: head.latest.note,
      status: head.described?.status ?? 'unknown',
      lastError: head.lastError,
      updatedAt: thread.time || undefined,
      sizeBytes: bytes,
    });
  }

  #factsOf(thread: string): Facts {
    const known = this.#facts.get(thread);
    if (known) return known;
    const facts = {
      head: headOf(this.#queries, thread),
      unreadable: this.#unreadable(thread),
      bytes: this.#queries.bytes(thread),
    };
    this.#facts.set(thread, facts);
    return facts;
  }

  #unreadable(thread: string): number {
    const suspects = this.#queries.suspects(thread);
    const describer = new Describer(this.#queries, thread);
    const sound = suspects.slice(0, LOOKED_AT).filter((key) => describer.describe(key)?.problem === undefined);
    return this.#queries.otherTypes(thread) + suspects.length - sound.length;
  }
}

function byTime(a: Pick<TimedThread, 'id' | 'time'>, b: Pick<TimedThread, 'id' | 'time'>): number {
  return compare(b.time, a.time) || compare(a.id, b.id);
}
