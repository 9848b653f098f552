import {
  decodeCursor,
  encodeCursor,
  pageLimit,
  type Latest,
  type StoreId,
  type Task,
  type TaskChanges,
  type TaskPage,
  type TaskQuery,
} from '@checkpoint-inspector/core';
import { defined } from '../folder/index.ts';
import { lastErrorOf } from './beside.ts';
import { Describer, refOf, type Described } from './meta.ts';
import type { Key, Queries, ThreadRow } from './queries.ts';
import { breath, ThreadList, type TimedThread } from './thread-list.ts';
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
  const count = queries.thread(thread)?.count ? 0 : queries.writeCount(thread);
  if (count === 0) return {};
  const writes = count === 1 ? '1 write' : `${count} writes`;
  return { note: `No checkpoint yet, only ${writes}. LangGraph starts this thread from the beginning.` };
}

/** LangGraph's rule: the greatest checkpoint id of the root namespace. Damaged rows are passed over, and named. */
export function headOf(queries: Queries, thread: string): Head {
  const describer = new Describer(queries, thread);
  let damaged: string | undefined;
  for (let id = queries.newest(thread, ''); id !== undefined; id = queries.newest(thread, '', id)) {
    const described = describer.describe({ ns: '', id });
    if (described === undefined) continue;
    if (described.problem?.code === 'unreadable') {
      damaged ??= id;
      continue;
    }
    return defined({
      latest: defined({ ref: refOf(thread, described.row), basis: 'rule', note: otherHead(queries, thread, damaged) }),
      described,
      lastError: described.row.failed === 1 ? lastErrorOf(queries, thread, { ns: '', id }) : undefined,
    });
  }
  if (damaged === undefined) return { latest: { basis: 'none', ...onlyWrites(queries, thread) } };
  return { latest: { basis: 'none', note: "None of the root graph's checkpoints can be read." } };
}

/** What LangGraph itself would continue from, where that is another row. */
function otherHead(queries: Queries, thread: string, damaged: string | undefined): string | undefined {
  const odd = queries.oddNewest?.(thread);
  if (odd !== undefined) return `LangGraph itself picks the row with rowid ${odd}, whose checkpoint_id isn't text.`;
  return damaged && `LangGraph itself picks ${damaged}, which cannot be read, and stops with an error.`;
}

/** Heads that are known apart from what else is told of their threads. */
const HEADS = 50;
/** Suspect rows that are looked at one by one; the rest is counted as it looks. */
const LOOKED_AT = 200;

interface Facts {
  readonly head: Head;
  readonly unreadable: number;
  readonly bytes: number;
}

interface KnownFacts extends Facts {
  /** What was committed by then, and of which rows this was read. */
  readonly version: unknown;
  readonly row: Pick<ThreadRow, 'count' | 'newest'>;
  readonly at: number;
  /** How many commits there were by then that may have changed any thread. */
  readonly changes: number;
}

/** A row that was changed in its place leaves no mark: what is shown for long is read again, a few threads at a time. */
const AGED_MS = 10_000;
const READ_AGAIN = 5;
/** Of a page, so many are looked at again after a commit: its first ones if it is the first, and others by turns. */
const SURE = 50;
/** Whether a thread still runs is judged by the clock. */
const RUNNING_MS = 10_000;
/** More changed threads than these are told by the list. */
const MOST_CHANGES = 1_000;
/** The longest that others wait. */
const SLICE_MS = 10;

interface Checked {
  readonly shown: readonly TimedThread[];
  readonly more: boolean;
  readonly sure: ReadonlySet<TimedThread>;
}

/** Threads with what is known of them. */
export class Threads {
  readonly #store: StoreId;
  readonly #queries: Queries;
  readonly #facts = new Map<string, KnownFacts>();
  readonly #damaged = new Map<string, readonly Key[]>();
  /** Of this version. */
  readonly #heads = new Map<string, Head>();
  readonly #clock: () => number;
  readonly #list: ThreadList;
  /** Those that were running when they were read. */
  readonly #running = new Set<string>();
  /** At which version a thread was seen to be as it is told. */
  readonly #still = new Map<string, unknown>();
  #version: unknown;
  #changes = 0;
  #turn = 0;
  /** Where the next look at threads that nobody has named begins. */
  #lookedAt = 0;

  /** `clock` in milliseconds; for tests. */
  constructor(store: StoreId, queries: Queries, clock: () => number = () => performance.now()) {
    this.#store = store;
    this.#queries = queries;
    this.#clock = clock;
    this.#list = new ThreadList(queries, (thread) => this.#time(thread), clock);
  }

  /** Reads what a page needs in short parts; without it the page reads it at once. */
  async prepare(query: TaskQuery): Promise<void> {
    this.#refresh();
    await this.#list.load();
    let until = performance.now() + SLICE_MS;
    for (const thread of this.#after(query).slice(0, pageLimit(query.limit))) {
      if (this.#facts.has(thread.id)) continue;
      this.#read(thread.id, thread);
      if (performance.now() < until) continue;
      await breath();
      until = performance.now() + SLICE_MS;
    }
  }

  /** Newest first, ties by thread id. */
  page(query: TaskQuery): TaskPage {
    this.#refresh();
    const limit = pageLimit(query.limit);
    if (query.cursor === undefined) this.#turn++;
    const { shown, more, sure } = this.#checked(query, limit);
    const last = shown.at(-1);
    const cursor = last && more ? encodeCursor([last.time, last.id]) : undefined;
    const mayRead = upTo(READ_AGAIN);
    const items = shown.map((thread) => this.#task(thread, this.#factsOf(thread, sure.has(thread), mayRead)));
    return defined({ items, cursor, of: query.text ? undefined : this.#list.rows().length });
  }

  /** What happened since a mark was given: what commits tell, and what a look at some others finds. */
  async changes(since: string | undefined): Promise<TaskChanges> {
    this.#refresh();
    await this.#list.load();
    if (since !== undefined) this.#lookAround();
    const { mark, threads, mayBeMore } = this.#list.log.since(since);
    if (threads === undefined || threads.size > MOST_CHANGES) return { mark };
    const tasks: Task[] = [];
    const gone: string[] = [];
    let until = performance.now() + SLICE_MS;
    for (const id of threads) {
      const thread = this.#list.get(id);
      if (thread)
        tasks.push(
          this.#task(
            thread,
            this.#factsOf(thread, false, () => false),
          ),
        );
      else gone.push(id);
      if (performance.now() < until) continue;
      await breath();
      until = performance.now() + SLICE_MS;
    }
    return { mark, tasks, gone, mayBeMore };
  }

  /** The first threads, and others by turns: whether they are as they were told. */
  #lookAround(): void {
    const rows = this.#list.rows();
    const from = this.#lookedAt < rows.length ? this.#lookedAt : 0;
    this.#lookedAt = from + SURE;
    const mayRead = upTo(READ_AGAIN);
    const running = [...this.#running].flatMap((id) => this.#list.get(id) ?? []);
    for (const thread of new Set([...rows.slice(0, SURE), ...rows.slice(from, from + SURE), ...running])) {
      // Where it is another one now, that mends the list, and names the thread.
      if (this.#isStill(thread) && this.#facts.has(thread.id)) this.#factsOf(thread, true, mayRead);
    }
  }

  /** Without the rest of what a list tells of a thread: that looks into each of its rows. */
  head(thread: string): Head {
    this.#refresh();
    return this.#headNow(thread);
  }

  /** As of the last look at the thread: what a tree shows of them costs no other one. */
  damaged(thread: string): readonly Key[] {
    return this.#damaged.get(thread) ?? this.#lookForDamage(thread);
  }

  #headNow(thread: string): Head {
    const facts = this.#facts.get(thread);
    if (facts !== undefined && facts.version === this.#version) return facts.head;
    const head = this.#heads.get(thread) ?? headOf(this.#queries, thread);
    if (this.#heads.size >= HEADS) this.#heads.clear();
    this.#heads.set(thread, head);
    return head;
  }

  /** A page of threads; of those that are sure each is as it is told. */
  #checked(query: TaskQuery, limit: number): Checked {
    for (;;) {
      const after = this.#after(query);
      const shown = after.slice(0, limit);
      const sure = this.#sureOf(shown, query);
      // Each round mends the list where it was wrong, so that the next one finds less.
      if (sure.every((thread) => this.#isStill(thread)))
        return { shown, more: after.length > limit, sure: new Set(sure) };
    }
  }

  /** Those of a page and one more. */
  #after({ text, cursor, limit }: TaskQuery): readonly TimedThread[] {
    const wanted = text?.toLowerCase() ?? '';
    const from = cursor === undefined ? undefined : decodeCursor(cursor, ['string', 'string']).map(String);
    const start = from && { time: from[0] ?? '', id: from[1] ?? '' };
    return this.#list.after(start, pageLimit(limit) + 1, (id) => wanted === '' || id.toLowerCase().includes(wanted));
  }

  #sureOf(shown: readonly TimedThread[], { cursor }: TaskQuery): readonly TimedThread[] {
    if (shown.length <= SURE) return shown;
    const from = (this.#turn * SURE) % shown.length;
    return [...(cursor === undefined ? shown.slice(0, SURE) : []), ...shown.slice(from, from + SURE)];
  }

  #isStill(thread: TimedThread): boolean {
    if (this.#still.get(thread.id) === this.#version) return true;
    const isStill = this.#list.isStill(thread);
    if (isStill) this.#still.set(thread.id, this.#version);
    else this.#still.delete(thread.id);
    return isStill;
  }

  #refresh(): void {
    const version = this.#queries.version();
    if (version === this.#version) return;
    this.#version = version;
    this.#heads.clear();
    const { threads, isAny } = this.#list.renew();
    if (isAny) this.#changes++;
    for (const thread of threads) this.#facts.delete(thread);
  }

  /** From the newest id; where ids are not times, from the head. Empty where neither says. */
  #time(thread: ThreadRow): string {
    return timeOf(thread.newest) ?? this.#headNow(thread.id).described?.createdAt ?? '';
  }

  #task(thread: TimedThread, { head, unreadable, bytes }: Facts): Task {
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

  /** As they are known, or read again where that is due; `isSure` where they must not be doubted. */
  #factsOf(thread: TimedThread, isSure: boolean, mayRead: () => boolean): Facts {
    const known = this.#facts.get(thread.id);
    if (known === undefined || !sameRows(known.row, thread)) return this.#read(thread.id, thread);
    if (isSure && known.changes !== this.#changes) return this.#read(thread.id, thread);
    const age = this.#clock() - known.at;
    const mayRun = known.head.described?.status === 'running' && age > RUNNING_MS;
    const isAged = known.version !== this.#version && age > AGED_MS;
    return (mayRun || isAged) && mayRead() ? this.#read(thread.id, thread) : known;
  }

  #read(thread: string, row: KnownFacts['row']): Facts {
    const facts = {
      head: headOf(this.#queries, thread),
      unreadable: this.#unreadable(thread),
      bytes: this.#queries.bytes(thread),
      version: this.#version,
      row,
      at: this.#clock(),
      changes: this.#changes,
    };
    const [listed, before] = [this.#list.get(thread), this.#facts.get(thread)];
    if (listed && before && !isSameTask(this.#task(listed, before), this.#task(listed, facts)))
      this.#list.log.add([thread]);
    this.#facts.set(thread, facts);
    if (facts.head.described?.status === 'running') this.#running.add(thread);
    else this.#running.delete(thread);
    return facts;
  }

  #unreadable(thread: string): number {
    return this.#queries.otherTypes(thread) + this.#lookForDamage(thread).length;
  }

  #lookForDamage(thread: string): readonly Key[] {
    const suspects = this.#queries.suspects(thread);
    const describer = new Describer(this.#queries, thread);
    const isDamaged = (key: Key): boolean => describer.describe(key)?.problem !== undefined;
    const damaged = suspects.filter((key, at) => at >= LOOKED_AT || isDamaged(key));
    this.#damaged.set(thread, damaged);
    return damaged;
  }
}

const sameRows = (a: KnownFacts['row'], b: KnownFacts['row']): boolean => a.count === b.count && a.newest === b.newest;

/** True so many times. */
function upTo(times: number): () => boolean {
  let left = times;
  return () => left-- > 0;
}

const isSameTask = (a: Task, b: Task): boolean => JSON.stringify(a) === JSON.stringify(b);
