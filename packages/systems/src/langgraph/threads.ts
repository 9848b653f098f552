import {
  decodeCursor,
  encodeCursor,
  pageLimit,
  timeOf,
  type Latest,
  type StoreId,
  type Task,
  type TaskPage,
  type TaskQuery,
} from '@checkpoint-inspector/core';
import { compare, defined } from '../folder/index.ts';
import { lastErrorOf } from './beside.ts';
import { Describer, refOf, type Described } from './meta.ts';
import type { Key, Queries, ThreadRow, Version } from './queries.ts';

/** What LangGraph continues from, and what it says about the thread. */
export interface Head {
  readonly latest: Latest;
  /** Absent when no checkpoint of the root graph can be read. */
  readonly described?: Pick<Described, 'status' | 'createdAt'>;
  readonly lastError?: string;
}

/** Some tool has deleted the checkpoints and left the writes, or an agent died before its first save. */
async function onlyWrites(queries: Queries, thread: string): Promise<{ note?: string }> {
  const count = (await queries.thread(thread))?.count ? 0 : await queries.writeCount(thread);
  if (count === 0) return {};
  const writes = count === 1 ? '1 write' : `${count} writes`;
  return { note: `No checkpoint yet, only ${writes}. LangGraph starts this thread from the beginning.` };
}

/** LangGraph's rule: the greatest checkpoint id of the root namespace. Damaged rows are passed over, and named. */
export async function headOf(queries: Queries, thread: string): Promise<Head> {
  const describer = new Describer(queries, thread);
  let damaged: string | undefined;
  let id = await queries.newest(thread, '');
  for (; id !== undefined; id = await queries.newest(thread, '', id)) {
    const [described] = await describer.describe([{ ns: '', id }]);
    if (described === undefined) continue;
    if (described.problem?.code === 'unreadable') {
      damaged ??= id;
      continue;
    }
    return defined({
      latest: defined({ ref: refOf(thread, described.row), basis: 'rule', note: otherHead(queries, thread, damaged) }),
      described: defined({ status: described.status, createdAt: described.createdAt }),
      lastError: described.row.failed === 1 ? await lastErrorOf(queries, thread, described.row) : undefined,
    });
  }
  if (damaged === undefined) return { latest: { basis: 'none', ...(await onlyWrites(queries, thread)) } };
  return { latest: { basis: 'none', note: "None of the root graph's checkpoints can be read." } };
}

/** What LangGraph itself would continue from, where that is another row. */
function otherHead(queries: Queries, thread: string, damaged: string | undefined): string | undefined {
  const odd = queries.oddNewest?.(thread);
  if (odd !== undefined) return `LangGraph itself picks the row with rowid ${odd}, whose checkpoint_id isn't text.`;
  return damaged && `LangGraph itself picks ${damaged}, which cannot be read, and stops with an error.`;
}

/** Suspect rows that are looked at one by one; the rest is counted as it looks. */
const LOOKED_AT = 200;
/** Whether a thread still runs is judged by the clock, and a change that a save hides leaves no mark. */
const AGED_MS = 10_000;
/** Aged threads that one page reads again. */
const READ_AGAIN = 5;
/** Threads that are read before others get their turn. */
const AT_ONCE = 50;

interface TimedThread extends ThreadRow {
  /** ISO 8601 UTC; empty where nothing says. */
  readonly time: string;
}

interface Facts {
  /** Of the thread's rows when they were read. */
  readonly mark: string;
  /** The commits as of which they were read, and found to have the same mark. */
  readonly read: unknown;
  checked: unknown;
  readonly at: number;
  readonly head: Head;
  readonly damaged: readonly Key[];
  readonly unreadable: number;
  readonly bytes: number;
}

/**
 * Threads with what is known of them. The list is read again after every commit. Facts hold while their thread has the
 * same mark; a commit that leaves no mark drops them all.
 */
export class Threads {
  readonly #store: StoreId;
  readonly #clock: () => number;
  readonly #facts = new Map<string, Facts>();
  #list: readonly TimedThread[] = [];
  #version: Version | undefined;

  /** `clock` in milliseconds; for tests. */
  constructor(store: StoreId, clock: () => number = () => performance.now()) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Newest first, ties by thread id. */
  async page(queries: Queries, { text = '', cursor, limit: asked }: TaskQuery): Promise<TaskPage> {
    await this.#refresh(queries);
    const limit = pageLimit(asked);
    const [time = '', id = ''] = cursor === undefined ? [] : decodeCursor(cursor, ['string', 'string']).map(String);
    const wanted = text.toLowerCase();
    const list = this.#list;
    const found: TimedThread[] = [];
    for (let at = cursor === undefined ? 0 : countUpTo(list, { time, id }); at < list.length; at++) {
      const thread = list[at];
      if (thread?.id.toLowerCase().includes(wanted)) found.push(thread);
      if (found.length > limit) break;
    }
    const shown = found.slice(0, limit);
    const facts = await this.#factsOf(queries, shown);
    const last = found.length > limit ? shown.at(-1) : undefined;
    return defined({
      items: shown.flatMap((thread, at) => this.#task(thread, facts[at]) ?? []),
      cursor: last && encodeCursor([last.time, last.id]),
      of: wanted === '' ? list.length : undefined,
    });
  }

  /** Without the rest of what a list tells of a thread: that looks into each of its rows. */
  async head(queries: Queries, thread: string): Promise<Head> {
    const { commit } = await queries.version();
    const facts = this.#facts.get(thread);
    return facts !== undefined && facts.checked === commit ? facts.head : headOf(queries, thread);
  }

  /** As of the last list: what a tree shows of them costs no other look at all rows. */
  async damaged(queries: Queries, thread: string): Promise<readonly Key[]> {
    const facts = this.#facts.get(thread);
    if (facts === undefined || facts.mark !== (await queries.mark(thread))) return lookForDamage(queries, thread);
    return facts.damaged;
  }

  async #refresh(queries: Queries): Promise<void> {
    const version = await queries.version();
    const before = this.#version;
    if (before?.commit === version.commit) return;
    const known = new Map(this.#list.map((thread) => [thread.id, thread]));
    const rows = await queries.threads();
    const isSame = ({ id, count, newest }: ThreadRow, other: TimedThread | undefined): other is TimedThread =>
      other?.id === id && other.count === count && other.newest === newest;
    const list = await Promise.all(
      rows.map(async (row): Promise<TimedThread> => {
        const same = known.get(row.id);
        if (isSame(row, same)) return same;
        const time = timeOf(row.newest);
        return time === undefined ? timedByHead(queries, row) : { ...row, time };
      }),
    );
    if (before?.saved === version.saved) this.#facts.clear();
    this.#list = list.sort(byTime);
    this.#version = version;
  }

  async #factsOf(queries: Queries, threads: readonly TimedThread[]): Promise<readonly Facts[]> {
    const now = this.#clock();
    const commit = this.#version?.commit;
    let left = READ_AGAIN;
    const known = async (id: string): Promise<Facts | undefined> => {
      const facts = this.#facts.get(id);
      if (facts === undefined) return undefined;
      if (facts.checked !== commit && facts.mark !== (await queries.mark(id))) return undefined;
      facts.checked = commit;
      const mayDiffer = facts.read !== commit || facts.head.described?.status === 'running';
      return mayDiffer && now - facts.at > AGED_MS && left-- > 0 ? undefined : facts;
    };
    const all: Facts[] = [];
    for (let from = 0; from < threads.length; from += AT_ONCE) {
      if (from > 0) await new Promise((resume) => setImmediate(resume));
      const some = threads
        .slice(from, from + AT_ONCE)
        .map(async ({ id }) => (await known(id)) ?? this.#read(queries, id));
      all.push(...(await Promise.all(some)));
    }
    return all;
  }

  async #read(queries: Queries, id: string): Promise<Facts> {
    const [read, at] = [this.#version?.commit, this.#clock()];
    const [mark, head, damaged, otherTypes, bytes] = await Promise.all([
      queries.mark(id),
      headOf(queries, id),
      lookForDamage(queries, id),
      queries.otherTypes(id),
      queries.bytes(id),
    ]);
    const facts = { mark, read, checked: read, at, head, damaged, unreadable: otherTypes + damaged.length, bytes };
    this.#facts.set(id, facts);
    return facts;
  }

  #task(thread: TimedThread, facts: Facts | undefined): Task | undefined {
    if (facts === undefined) return undefined;
    const { head, unreadable, bytes } = facts;
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
}

/** Where ids are not times, the head says when. */
async function timedByHead(queries: Queries, row: ThreadRow): Promise<TimedThread> {
  return { ...row, time: (await headOf(queries, row.id)).described?.createdAt ?? '' };
}

async function lookForDamage(queries: Queries, thread: string): Promise<readonly Key[]> {
  const suspects = await queries.suspects(thread);
  const looked = await new Describer(queries, thread).describe(suspects.slice(0, LOOKED_AT));
  const damaged = looked.filter(({ problem }) => problem !== undefined).map(({ row: { ns, id } }) => ({ ns, id }));
  return [...damaged, ...suspects.slice(LOOKED_AT)];
}

type Place = Pick<TimedThread, 'id' | 'time'>;

function byTime(a: Place, b: Place): number {
  return compare(b.time, a.time) || compare(a.id, b.id);
}

/** How many come before this place or are it. */
function countUpTo(list: readonly TimedThread[], place: Place): number {
  const at = list.findIndex((thread) => byTime(thread, place) > 0);
  return at < 0 ? list.length : at;
}
