import { randomUUID } from 'node:crypto';
import { compact, type CheckpointSource, type Task, type TaskPage } from '@checkpoint-inspector/core';
import { TaskOrder } from './task-order.ts';
import type { TasksRead } from './types.ts';

const UNWATCHED_MS = 1000;
/** A watcher tells of changes sooner; this is for what it may miss. */
const WATCHED_MS = 5000;
/** An answer comes after so long with what is known by then. */
const PATIENCE_MS = 400;
/** How often it is told that the files of a folder are still being read. */
const TOLD_MS = 200;
/** A list that is read again is waited for this long once its first rows are there: short ones are over by then. */
const GRACE_MS = 50;
/** All of a long list is read again for at most a twentieth of the time, and after a minute at the latest. */
const SHARE = 20;
const LONGEST_REST_MS = 60_000;
/** Tasks that a source is asked for at a time: more while that is quick, fewer where others would have to wait. */
const SIZES = { first: 250, least: 25, most: 1000 };
const QUICK_MS = 15;
const SLOW_MS = 50;

/** The tasks of one store: the first ones at once, the others as they are read, and then what changes. */
export class StoreTasks {
  readonly order = new TaskOrder();
  /** Of this reading: parts of another one are others. */
  readonly name = randomUUID().slice(0, 8);
  readonly #source: CheckpointSource;
  readonly #text: string | undefined;
  readonly #onFound: (tasks: readonly string[]) => void;
  #isWhole = false;
  #part = 0;
  #of: number | undefined;
  /** The list is made of the files of a folder that have been read; the others are waited for. */
  #isPart = false;
  /** When what is known is looked at again. */
  #until = 0;
  #look: Promise<void> | undefined;
  #since = Date.now();
  /** Number of the last reading, and how many tasks it has met. */
  #seen = 0;
  #met = 0;
  #reading: Promise<void> | undefined;
  /** Something may have changed. */
  #isDue = true;
  #restUntil = 0;
  #later: NodeJS.Timeout | undefined;
  /** Whoever asks is still told what is read. */
  #isAwaited = false;
  #size = SIZES.first;
  #error: { readonly cause: unknown } | undefined;
  #isClosed = false;
  #waiting: (() => void)[] = [];

  /**
   * @param text only tasks with this text are read
   * @param onFound told of tasks that differ from what was answered, or are gone, when that is found later
   */
  constructor(source: CheckpointSource, text: string | undefined, onFound: (tasks: readonly string[]) => void) {
    this.#source = source;
    this.#text = text;
    this.#onFound = onFound;
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  get isFailed(): boolean {
    return this.#error !== undefined;
  }

  /** Since when an answer is waited for. */
  get since(): number {
    return this.#since;
  }

  /** The last part that is known; absent once all are. */
  get lastPart(): number | undefined {
    return this.#isWhole ? undefined : this.#part - 1;
  }

  /** How far it is read; absent once all of it is. */
  get coverage(): Omit<TasksRead, 'store'> | undefined {
    const files = this.#isPart ? this.#source.info.indexed : undefined;
    return this.#isWhole ? undefined : { n: this.order.size, ...compact({ of: this.#of, files }) };
  }

  /** The store has changed. */
  touch(): void {
    this.#until = 0;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#later);
  }

  /** Resolves once the first `limit` tasks are as of now, or after a short while with those that are. @throws what the source throws */
  async refresh(limit: number): Promise<void> {
    if (this.#until <= Date.now()) this.#look = this.#lookAfter(this.#look, limit);
    const look = this.#look ?? Promise.resolve();
    await (this.order.size > 0 ? Promise.race([look, patience(PATIENCE_MS)]) : look);
    if (this.#error) throw this.#error.cause;
  }

  /** Resolves when more is known, or all. @throws what the source throws */
  async more(): Promise<void> {
    if (this.#reading) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    if (this.#error) throw this.#error.cause;
  }

  #lookAfter(before: Promise<void> | undefined, limit: number): Promise<void> {
    // Whoever comes while it is looked at waits for the same look, unless the store changes meanwhile.
    this.#until = Infinity;
    this.#since = Date.now();
    const look = (before ?? Promise.resolve())
      .then(() => this.#lookAgain(limit))
      .then(
        () => {
          const ms = this.#source.watch === undefined ? UNWATCHED_MS : WATCHED_MS;
          if (this.#until === Infinity) this.#until = Date.now() + ms;
        },
        (cause: unknown) => this.#fail(cause),
      );
    return look;
  }

  async #lookAgain(limit: number): Promise<void> {
    this.#isDue = true;
    if (this.#reading !== undefined || Date.now() < this.#restUntil) {
      this.#readLater();
      await this.#readFirst(limit);
      return;
    }
    this.#begin();
    await this.#firstOf(limit);
  }

  #begin(): void {
    this.#met = 0;
    this.#reading = this.#readAll().finally(() => {
      this.#reading = undefined;
      this.#tell();
      if (this.#isDue) this.#readLater();
    });
  }

  /** Once the rest is over, whether anyone asks or not. */
  #readLater(): void {
    if (this.#later !== undefined || this.#reading !== undefined || this.#isClosed) return;
    const begin = (): void => {
      this.#later = undefined;
      if (this.#isDue && this.#reading === undefined) this.#begin();
    };
    this.#later = setTimeout(begin, this.#restUntil - Date.now()).unref();
  }

  async #firstOf(limit: number): Promise<void> {
    const until = Date.now() + PATIENCE_MS;
    this.#isAwaited = true;
    const isSoon = (): boolean => this.#met === 0 || (!this.#isPart && Date.now() < until);
    while (this.#reading !== undefined && this.#met < limit && isSoon())
      await Promise.race([this.more(), ...(this.#met > 0 ? [patience(until - Date.now())] : [])]);
    if (this.#isWhole && this.#reading) await Promise.race([this.#reading, patience(GRACE_MS)]);
    this.#isAwaited = false;
    if (this.#error) throw this.#error.cause;
  }

  async #readAll(): Promise<void> {
    const began = Date.now();
    let seen = ++this.#seen;
    const wasWhole = this.#isWhole;
    this.#isDue = false;
    this.order.found.clear();
    try {
      this.#isPart = await this.#readThrough(seen, !wasWhole);
      if (this.#isPart) {
        seen = ++this.#seen;
        await this.#toldMeanwhile(() => this.#readThrough(seen, false));
        this.#isPart = false;
      }
      this.order.dropUnseen(seen);
      this.#isWhole = true;
    } catch (cause) {
      this.#fail(cause);
    }
    const took = Date.now() - began;
    this.#restUntil = took > GRACE_MS ? Date.now() + Math.min(took * SHARE, LONGEST_REST_MS) : 0;
    if (wasWhole && !this.#isAwaited && this.order.found.size > 0) this.#onFound([...this.order.found]);
  }

  /** True where any of it is made of a part of the store. */
  async #readThrough(seen: number, partial: boolean): Promise<boolean> {
    let isPart = false;
    let cursor: string | undefined;
    do {
      const page: TaskPage = await this.#readPage(cursor, seen, { partial });
      isPart ||= page.partial !== undefined;
      this.#met += page.items.length;
      cursor = page.cursor;
      if (cursor !== undefined) this.#tell();
      await new Promise((resume) => setImmediate(resume));
    } while (cursor !== undefined && !this.#isClosed);
    return isPart;
  }

  /** Whoever waits for the list is patient as long as files are read for it. */
  async #toldMeanwhile(work: () => Promise<unknown>): Promise<void> {
    let n = -1;
    const timer = setInterval(() => {
      const { indexed } = this.#source.info;
      if (indexed.n !== n) this.#tell();
      n = indexed.n;
    }, TOLD_MS);
    try {
      this.#tell();
      await work();
    } finally {
      clearInterval(timer);
    }
  }

  /** What comes first may have changed, and some of it may be gone; the rest is read later. */
  async #readFirst(limit: number): Promise<void> {
    const seen = ++this.#seen;
    let cursor: string | undefined;
    let last: Task | undefined;
    let met = 0;
    do {
      const size = Math.min(this.#size, Math.max(limit, SIZES.least));
      const page = await this.#readPage(cursor, seen, { limit: size });
      met += page.items.length;
      last = page.items.at(-1);
      cursor = page.cursor;
    } while (cursor !== undefined && met < limit);
    // Beside a reading of the whole list each would take what the other has met for gone.
    if (this.#reading === undefined) this.order.dropUnseen(seen, cursor === undefined ? undefined : last);
  }

  async #readPage(
    cursor: string | undefined,
    seen: number,
    { limit = this.#size, partial = false } = {},
  ): Promise<TaskPage> {
    const began = performance.now();
    const page = await this.#source.tasks({ limit, partial, ...compact({ cursor, text: this.#text }) });
    const took = performance.now() - began;
    if (took < QUICK_MS && limit === this.#size) this.#size = Math.min(SIZES.most, this.#size * 2);
    else if (took > SLOW_MS) this.#size = Math.max(SIZES.least, this.#size >> 1);
    this.order.put(page.items, this.#part, seen);
    this.#of = page.of;
    if (!this.#isWhole) this.#part++;
    return page;
  }

  #fail(cause: unknown): void {
    this.#error ??= { cause };
    this.#tell();
  }

  #tell(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

const patience = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms).unref());
