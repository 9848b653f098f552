import {
  decodeCursor,
  encodeCursor,
  pageLimit,
  type Page,
  type StoreId,
  type Task,
  type TaskQuery,
} from '@checkpoint-inspector/core';
import type { PostgresReader } from '@checkpoint-inspector/io';
import type { ThreadRow } from '../queries.ts';
import { byTime, type TimedThread } from '../thread-list.ts';
import { headOf, Threads } from '../threads.ts';
import { timeOf } from '../uuid6.ts';
import { Looks, lookAt } from './looks.ts';
import { PostgresQueries } from './queries.ts';
import { allThreads, threadPrints, type ThreadPrint } from './sql.ts';
import type { Layout } from './tables.ts';

/** Something is read again after so many times what that costs: at most one part in twenty of the time. */
const WORTH = 20;
/** Whether a thread still runs is judged by the clock. */
const RUNNING_MS = 10_000;
/** Ids of other systems say no time, so the newest checkpoint is looked at. */
const LOOKED_AT = 500;

interface Known {
  readonly task: Task;
  readonly row: ThreadRow;
  /** Of all rows that the task was read from. */
  readonly print: string;
  readonly readAt: number;
  /** When it was last held against the rows; never since some were added. */
  seenAt: number;
}

export interface ThreadListOptions {
  readonly store: StoreId;
  readonly layout: Layout;
  /** Whether the server reads the end of a table alone. */
  readonly readsEnds: boolean;
  /** In milliseconds; for tests. */
  readonly clock?: () => number;
}

/**
 * The list of threads, kept from one answer to the next. Where a thread belongs in the list, the looks tell; what they
 * don't, reading all does. The first page is of the reader's moment: each of its threads is held against all of its rows.
 * So are those of further pages, as long as that takes at most one part in twenty of the time; added rows always count.
 */
export class PostgresThreadList {
  readonly #options: ThreadListOptions;
  readonly #clock: () => number;
  readonly #looks = new Looks();
  readonly #tasks = new Map<string, Known>();
  #rows: TimedThread[] | undefined;
  #byId = new Map<string, TimedThread>();
  /** Something was committed since everything was read. */
  #isUnsure = true;
  #readAt = 0;
  #readMs = 0;
  /** What holding one thread against its rows takes. */
  #printMs = 0;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: ThreadListOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
  }

  /** One after the other, so that no answer is older than the one before. `snapshot` runs work in a reading transaction. */
  page(
    snapshot: (work: (reader: PostgresReader) => Promise<Page<Task>>) => Promise<Page<Task>>,
    query: TaskQuery,
  ): Promise<Page<Task>> {
    const page = this.#turn.then(() => snapshot((reader) => this.#page(reader, query)));
    this.#turn = page.catch(() => {
      // Half of what was committed may be taken in.
      this.#rows = undefined;
    });
    return page;
  }

  async #page(reader: PostgresReader, query: TaskQuery): Promise<Page<Task>> {
    const limit = pageLimit(query.limit);
    await this.#refresh(reader);
    const { shown, more, prints } = await this.#checked(reader, query, limit);
    const tasks = await this.#tasksOf(reader, shown, prints);
    const last = shown.at(-1);
    const cursor = last && more ? encodeCursor([last.time, last.id]) : undefined;
    return { items: tasks, ...(cursor === undefined ? {} : { cursor }) };
  }

  async #refresh(reader: PostgresReader): Promise<void> {
    const { layout, readsEnds } = this.#options;
    const began = this.#clock();
    const saved = readsEnds ? await this.#looks.savedSince(reader, await lookAt(reader)) : undefined;
    this.#isUnsure ||= saved?.hasCommits ?? true;
    const isDue = this.#isUnsure && began - this.#readAt > this.#readMs * WORTH;
    if (saved?.threads !== undefined && this.#rows !== undefined && !isDue) {
      const prints = await threadPrints(reader, layout, saved.threads);
      for (const id of saved.threads) this.#doubt(id);
      await this.#takeIn(
        reader,
        saved.threads.map((id, at) => [id, prints[at]]),
      );
      return;
    }
    const rows = await this.#timed(reader, await allThreads(reader, layout));
    this.#rows = rows.sort(byTime);
    this.#byId = new Map(rows.map((row) => [row.id, row]));
    this.#isUnsure = false;
    this.#readAt = this.#clock();
    this.#readMs = this.#readAt - began;
  }

  /** A page of threads that are as they are told. */
  async #checked(reader: PostgresReader, query: TaskQuery, limit: number) {
    const wanted = query.text?.toLowerCase() ?? '';
    const from = query.cursor === undefined ? undefined : decodeCursor(query.cursor, ['string', 'string']).map(String);
    const start = from && { time: from[0] ?? '', id: from[1] ?? '' };
    const known = new Map<string, ThreadPrint | undefined>();
    for (;;) {
      const rows = this.#rows ?? [];
      const first = start === undefined ? 0 : placeAfter(rows, start);
      const shown: TimedThread[] = [];
      for (let at = first; at < rows.length && shown.length <= limit; at++) {
        const row = rows[at];
        if (row && (wanted === '' || row.id.toLowerCase().includes(wanted))) shown.push(row);
      }
      const more = shown.length > limit;
      const page = shown.slice(0, limit);
      const isSure = (row: TimedThread): boolean => start !== undefined && this.#wasSeen(row);
      const ids = page.filter((row) => !known.has(row.id) && !isSure(row)).map(({ id }) => id);
      for (const [at, print] of (await this.#printsOf(reader, ids)).entries()) known.set(ids[at] ?? '', print);
      const others = page.filter((row) => !isSure(row) && !isStill(row, known.get(row.id)));
      if (others.length === 0) return { shown: page, more, prints: known };
      await this.#takeIn(
        reader,
        others.map(({ id }) => [id, known.get(id)]),
      );
    }
  }

  async #printsOf(reader: PostgresReader, ids: readonly string[]): Promise<readonly (ThreadPrint | undefined)[]> {
    const began = this.#clock();
    const prints = await threadPrints(reader, this.#options.layout, ids);
    if (ids.length > 0) this.#printMs = (this.#clock() - began) / ids.length;
    return prints;
  }

  /** A short while ago, for so many threads. */
  #wasSeen(row: ThreadRow): boolean {
    const known = this.#tasks.get(row.id);
    if (known === undefined || known.row.count !== row.count || known.row.newest !== row.newest) return false;
    return this.#clock() - known.seenAt < this.#printMs * this.#tasks.size * WORTH;
  }

  #doubt(id: string): void {
    const known = this.#tasks.get(id);
    if (known) known.seenAt = Number.NEGATIVE_INFINITY;
  }

  async #tasksOf(
    reader: PostgresReader,
    shown: readonly TimedThread[],
    prints: ReadonlyMap<string, ThreadPrint | undefined>,
  ): Promise<Task[]> {
    const printOf = (id: string): string => prints.get(id)?.print ?? '';
    const now = this.#clock();
    const stale = shown.filter(({ id }) => {
      const known = this.#tasks.get(id);
      if (known === undefined || (prints.has(id) && known.print !== printOf(id))) return true;
      if (prints.has(id)) known.seenAt = now;
      return known.task.status === 'running' && now - known.readAt > RUNNING_MS;
    });
    if (stale.length > 0) {
      const { store, layout } = this.#options;
      const queries = new PostgresQueries(layout, async () => stale);
      const rows = new Map(stale.map((row) => [row.id, row]));
      const { items } = await queries.answer(reader, () => new Threads(store, queries).page({ limit: stale.length }));
      for (const task of items) {
        const print = prints.has(task.id) ? printOf(task.id) : (this.#tasks.get(task.id)?.print ?? '');
        const row = rows.get(task.id);
        if (row) this.#tasks.set(task.id, { task, row, print, readAt: now, seenAt: now });
      }
    }
    return shown.flatMap(({ id }) => this.#tasks.get(id)?.task ?? []);
  }

  async #takeIn(
    reader: PostgresReader,
    threads: readonly (readonly [id: string, now: ThreadPrint | undefined])[],
  ): Promise<void> {
    const rows = this.#rows ?? [];
    const there = threads.flatMap(([id, now]) => (now && now.count + now.writes > 0 ? [{ ...now, id }] : []));
    const timed = new Map((await this.#timed(reader, there)).map((row) => [row.id, row]));
    for (const [id] of threads) {
      const before = this.#byId.get(id);
      if (before) rows.splice(placeAfter(rows, before) - 1, 1);
      const now = timed.get(id);
      if (now) rows.splice(placeAfter(rows, now), 0, now);
      if (now) this.#byId.set(id, now);
      else this.#forget(id);
    }
  }

  #forget(id: string): void {
    this.#byId.delete(id);
    this.#tasks.delete(id);
  }

  /** From the newest id; where ids are not times, from the head. Empty where neither says. */
  async #timed(reader: PostgresReader, rows: readonly ThreadRow[]): Promise<TimedThread[]> {
    const heads = new Map<string, string>();
    const untimed = rows.filter(({ newest }) => timeOf(newest) === undefined);
    for (let at = 0; at < untimed.length; at += LOOKED_AT) {
      const part = untimed.slice(at, at + LOOKED_AT);
      const queries = new PostgresQueries(this.#options.layout, async () => part);
      const times = await queries.answer(reader, () =>
        part.map(({ id }) => headOf(queries, id).described?.createdAt ?? ''),
      );
      for (const [n, { id }] of part.entries()) heads.set(id, times[n] ?? '');
    }
    return rows.map(({ id, count, newest }) => ({ id, count, newest, time: timeOf(newest) ?? heads.get(id) ?? '' }));
  }
}

const isStill = (row: ThreadRow, now: ThreadPrint | undefined): boolean =>
  now !== undefined && now.count + now.writes > 0 && now.count === row.count && now.newest === row.newest;

/** How many come before it or are it, in the order of the list. */
function placeAfter(rows: readonly TimedThread[], place: Pick<TimedThread, 'id' | 'time'>): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = rows[middle];
    if (other && byTime(other, place) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
