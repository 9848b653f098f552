import { compare } from '../folder/index.ts';
import type { Queries, ThreadRow } from './queries.ts';

export interface TimedThread extends ThreadRow {
  /** ISO 8601 UTC; empty where nothing says. */
  readonly time: string;
}

/** All threads are read again after so many times what that costs: at most one part in a hundred of the time. */
const WORTH = 100;

/** Every thread, newest first. A commit costs the threads that it touched, however many there are. */
export class ThreadList {
  readonly #queries: Queries;
  readonly #timeOf: (thread: ThreadRow) => string;
  readonly #clock: () => number;
  #rows: TimedThread[] | undefined;
  #byId: Map<string, TimedThread> = new Map();
  #mark: string | undefined;
  #readAt = 0;
  #readMs = 0;

  /** `clock` in milliseconds. */
  constructor(queries: Queries, timeOf: (thread: ThreadRow) => string, clock: () => number) {
    this.#queries = queries;
    this.#timeOf = timeOf;
    this.#clock = clock;
  }

  /** Ties by thread id. */
  rows(): readonly TimedThread[] {
    if (this.#rows !== undefined) return this.#rows;
    const began = this.#clock();
    const rows = this.#queries.threads().map((thread) => this.#timed(thread));
    this.#rows = rows.sort(byTime);
    this.#byId = new Map(rows.map((row) => [row.id, row]));
    this.#readAt = this.#clock();
    this.#readMs = this.#readAt - began;
    return this.#rows;
  }

  /** Takes in what was committed; the answer names the threads of new rows, or nothing where all may have changed. */
  renew(): readonly string[] | undefined {
    const { mark, threads = [] } = this.#queries.savedSince(this.#mark);
    this.#mark = mark;
    // A commit without a new row has removed, put back or changed some; such a commit may also be hidden behind a save.
    const isDue = this.#clock() - this.#readAt > this.#readMs * WORTH;
    if (threads.length > 0 && !isDue) this.#takeIn(threads);
    else this.#rows = undefined;
    return this.#rows && threads;
  }

  /** False, and the list mended, where its rows are others now. A removal leaves no mark, so whoever shows it asks. */
  isStill(known: TimedThread): boolean {
    const now = this.#queries.thread(known.id);
    if (now?.count === known.count && now.newest === known.newest) return true;
    this.#takeIn([known.id]);
    return false;
  }

  #takeIn(threads: readonly string[]): void {
    const rows = this.#rows;
    if (rows === undefined) return;
    for (const id of threads) {
      const before = this.#byId.get(id);
      if (before) rows.splice(placeOf(rows, before), 1);
      const thread = this.#queries.thread(id);
      if (thread) this.#insert(rows, this.#timed(thread));
      else this.#byId.delete(id);
    }
  }

  #insert(rows: TimedThread[], thread: TimedThread): void {
    rows.splice(placeOf(rows, thread), 0, thread);
    this.#byId.set(thread.id, thread);
  }

  #timed(thread: ThreadRow): TimedThread {
    return { ...thread, time: this.#timeOf(thread) };
  }
}

export function byTime(a: Pick<TimedThread, 'id' | 'time'>, b: Pick<TimedThread, 'id' | 'time'>): number {
  return compare(b.time, a.time) || compare(a.id, b.id);
}

/** Where it is in the order, or belongs. */
function placeOf(rows: readonly TimedThread[], thread: TimedThread): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = rows[middle];
    if (other && byTime(other, thread) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
