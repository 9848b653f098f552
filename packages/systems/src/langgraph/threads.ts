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
import { defined } from '../folder/index.ts';
import { lastErrorOf } from './beside.ts';
import { Describer, refOf, type Described } from './meta.ts';
import type { Queries, ThreadRow } from './queries.ts';
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
  return { latest: { basis: 'none', note: "None of the root graph's checkpoints can be read." } };
}

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
  readonly #clock: () => number;
  readonly #list: ThreadList;
  /** At which version a thread was seen to be as it is told. */
  readonly #still = new Map<string, unknown>();
  #version: unknown;
  #changes = 0;
  #turn = 0;

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
  page(query: TaskQuery): Page<Task> {
    this.#refresh();
    const limit = pageLimit(query.limit);
    if (query.cursor === undefined) this.#turn++;
    const { shown, more, sure } = this.#checked(query, limit);
    const last = shown.at(-1);
    const cursor = last && more ? encodeCursor([last.time, last.id]) : undefined;
    let again = READ_AGAIN;
    const items = shown.map((thread) => {
      const known = this.#facts.get(thread.id);
      const isAged = known !== undefined && known.version !== this.#version && this.#clock() - known.at > AGED_MS;
      const isDoubted = known !== undefined && known.changes !== this.#changes && sure.has(thread);
      const isKept = known !== undefined && sameRows(known.row, thread) && !isDoubted && !(isAged && again-- > 0);
      return this.#task(thread, isKept ? known : this.#read(thread.id, thread));
    });
    return { items, ...(cursor === undefined ? {} : { cursor }) };
  }

  head(thread: string): Head {
    this.#refresh();
    return this.#factsOf(thread).head;
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
    const { threads, isAny } = this.#list.renew();
    if (isAny) this.#changes++;
    for (const thread of threads) this.#facts.delete(thread);
  }

  /** From the newest id; where ids are not times, from the head. Empty where neither says. */
  #time(thread: ThreadRow): string {
    return timeOf(thread.newest) ?? this.#factsOf(thread.id).head.described?.createdAt ?? '';
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

  /** As of now. */
  #factsOf(thread: string): Facts {
    const known = this.#facts.get(thread);
    if (known !== undefined && known.version === this.#version) return known;
    return this.#read(thread, this.#queries.thread(thread));
  }

  #read(thread: string, row: KnownFacts['row'] = { count: 0, newest: '' }): Facts {
    const facts = {
      head: headOf(this.#queries, thread),
      unreadable: this.#unreadable(thread),
      bytes: this.#queries.bytes(thread),
      version: this.#version,
      row,
      at: this.#clock(),
      changes: this.#changes,
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

const sameRows = (a: KnownFacts['row'], b: KnownFacts['row']): boolean => a.count === b.count && a.newest === b.newest;
