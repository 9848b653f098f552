import { compare } from '../folder/index.ts';
import type { Queries, ThreadRow, ThreadsFrom } from './queries.ts';
import { ThreadLog } from './thread-log.ts';

export interface TimedThread extends ThreadRow {
  /** ISO 8601 UTC; empty where nothing says. */
  readonly time: string;
}

/** All threads are read again after so many times what that costs: at most one part in a hundred of the time. */
const WORTH = 100;

/** What may have changed: the threads of new rows alone, or any. */
export interface Renewed {
  readonly threads: readonly string[];
  readonly isAny: boolean;
}

/** Others get their turn. */
export const breath = (): Promise<void> => new Promise((resume) => setImmediate(resume));

/** Every thread, newest first. A commit costs the threads that it touched, however many there are. */
export class ThreadList {
  /** What is found to have changed, by whatever way. */
  readonly log = new ThreadLog();
  readonly #queries: Queries;
  readonly #timeOf: (thread: ThreadRow) => string;
  readonly #clock: () => number;
  #rows: TimedThread[] | undefined;
  #byId: Map<string, TimedThread> = new Map();
  #mark: string | undefined;
  #readAt = 0;
  #readMs = 0;
  #loading: Promise<void> | undefined;
  /** Threads that were saved while all are read. */
  #savedMeanwhile: string[] = [];

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
    return this.#keep(this.#sorted(this.#queries.threads()), began);
  }

  /** Reads them in parts where they are not known, so that others get their turn in between. */
  async load(): Promise<void> {
    if (this.#rows !== undefined || this.#queries.someThreads === undefined) return;
    this.#loading ??= this.#loadParts().finally(() => {
      this.#loading = undefined;
      this.#savedMeanwhile = [];
    });
    await this.#loading;
  }

  async #loadParts(): Promise<void> {
    const began = this.#clock();
    // In order as they come: dating and sorting all of many at once would hold up others.
    const runs: TimedThread[][] = [];
    for (let from: ThreadsFrom | undefined; ;) {
      const some = this.#queries.someThreads?.(from);
      runs.push(this.#sorted(some?.threads ?? []));
      while (mergeLast(runs)) await breath();
      from = some?.next;
      if (from === undefined) break;
      await breath();
    }
    while (mergeLast(runs, true)) await breath();
    this.#keep(runs[0] ?? [], began);
    this.#takeIn(this.#savedMeanwhile);
  }

  #sorted(threads: readonly ThreadRow[]): TimedThread[] {
    return threads.map((thread) => this.#timed(thread)).sort(byTime);
  }

  #keep(rows: TimedThread[], began: number): readonly TimedThread[] {
    const before = this.#byId;
    this.#rows = rows;
    this.#byId = new Map(rows.map((row) => [row.id, row]));
    if (this.#readAt !== 0) this.log.add(changedIn(before, this.#byId));
    this.#readAt = this.#clock();
    this.#readMs = this.#readAt - began;
    return this.#rows;
  }

  /** Takes in what was committed. */
  renew(): Renewed {
    const { mark, threads = [] } = this.#queries.savedSince(this.#mark);
    this.#mark = mark;
    // A commit without a new row has removed, put back or changed some; such a commit may also be hidden behind a save.
    const isDue = this.#clock() - this.#readAt > this.#readMs * WORTH;
    const isAny = threads.length === 0;
    this.log.add(isAny ? [undefined] : threads);
    if (this.#loading !== undefined) this.#savedMeanwhile.push(...threads);
    if (isAny || isDue) this.#rows = undefined;
    else this.#takeIn(threads);
    return { threads, isAny };
  }

  get(id: string): TimedThread | undefined {
    return this.#byId.get(id);
  }

  /** The first of those after this place, that are wanted. */
  after(
    place: Pick<TimedThread, 'id' | 'time'> | undefined,
    limit: number,
    isWanted: (id: string) => boolean,
  ): TimedThread[] {
    const rows = this.rows();
    const found: TimedThread[] = [];
    const isAt = (thread: TimedThread | undefined): boolean =>
      thread !== undefined && place !== undefined && byTime(thread, place) === 0;
    let at = place === undefined ? 0 : placeOf(rows, place);
    while (isAt(rows[at])) at++;
    for (; at < rows.length && found.length < limit; at++) {
      const thread = rows[at];
      if (thread && isWanted(thread.id)) found.push(thread);
    }
    return found;
  }

  /** False, and the list mended, where its rows are others now. A removal leaves no mark, so whoever shows it asks. */
  isStill(known: TimedThread): boolean {
    const now = this.#queries.thread(known.id);
    if (now?.count === known.count && now.newest === known.newest) return true;
    this.#takeIn([known.id]);
    this.log.add([known.id]);
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

/** The last two lists as one, unless the one before is much the longer: so each thread is merged a few times. False: nothing to do. */
function mergeLast(runs: TimedThread[][], whatever = false): boolean {
  const [a, b] = runs.slice(-2);
  if (a === undefined || b === undefined || (!whatever && a.length > b.length)) return false;
  runs.splice(-2, 2, merged(a, b));
  return true;
}

function merged(a: readonly TimedThread[], b: readonly TimedThread[]): TimedThread[] {
  const all: TimedThread[] = [];
  let at = 0;
  for (const row of a) {
    for (let next = b[at]; next && byTime(next, row) < 0; next = b[++at]) all.push(next);
    all.push(row);
  }
  for (const row of b.slice(at)) all.push(row);
  return all;
}

/** Those that are new, others now, or gone. */
function changedIn(before: ReadonlyMap<string, ThreadRow>, after: ReadonlyMap<string, ThreadRow>): string[] {
  const changed = [...before.keys()].filter((id) => !after.has(id));
  for (const [id, { count, newest }] of after) {
    const was = before.get(id);
    if (was?.count !== count || was.newest !== newest) changed.push(id);
  }
  return changed;
}

export function byTime(a: Pick<TimedThread, 'id' | 'time'>, b: Pick<TimedThread, 'id' | 'time'>): number {
  return compare(b.time, a.time) || compare(a.id, b.id);
}

/** Where it is in the order, or belongs. */
function placeOf(rows: readonly TimedThread[], thread: Pick<TimedThread, 'id' | 'time'>): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = rows[middle];
    if (other && byTime(other, thread) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
