/** Reads the files of one dev server again whenever they changed, and keeps the last answer while they are being written. */
import { InspectorError, untilAborted, type CallOptions, type StoreId } from '@checkpoint-inspector/core';
import { fileEntry, fileStamp, readBounded, type SqliteDatabase } from '@checkpoint-inspector/io';
import { setTimeout as wait } from 'node:timers/promises';
import { join } from 'node:path';
import { readingOf, type Reading } from '../langgraph/read.ts';
import type { DevFiles } from './files.ts';
import { failedThreads, readJavaScript } from './javascript.ts';
import { failedThreadsOf } from './python-ops.ts';
import { readPython } from './python.ts';
import { DevQueries } from './queries.ts';
import { databaseOf } from './rows.ts';

export interface DevReading extends Reading {
  readonly queries: DevQueries;
  /** Threads that the server itself calls failed. */
  readonly failed: ReadonlySet<string>;
}

interface Loaded {
  readonly stamp: string;
  readonly reading: DevReading;
  readonly database: SqliteDatabase;
  users: number;
}

interface Look {
  /** Equal as long as no file was written. */
  readonly stamp: string;
  readonly newestMs: number;
}

/** A file that changes while it is read is read again so many times. */
const TRIES = 4;
const BETWEEN_MS = 100;
/** What was written so lately may be half-written; what is older is damaged. */
const REWRITE_MS = 10_000;

export class Loader {
  readonly #id: StoreId;
  readonly #files: DevFiles;
  #current: Loaded | undefined;
  #loading: Promise<Loaded> | undefined;
  #failed: { readonly stamp: string; readonly error: InspectorError } | undefined;
  #closed = false;

  constructor(id: StoreId, files: DevFiles) {
    this.#id = id;
    this.#files = files;
  }

  /** @throws InspectorError not_found | unreadable | unsupported_version | too_large | busy */
  async take({ signal }: CallOptions = {}): Promise<DevReading> {
    const loaded = await untilAborted(signal, () => this.#now());
    loaded.users++;
    return loaded.reading;
  }

  release({ queries }: Reading): void {
    const loaded = [...this.#open].find(({ reading }) => reading.queries === queries);
    if (loaded === undefined) return;
    loaded.users--;
    this.#tidy();
  }

  close(): void {
    this.#closed = true;
    this.#current = undefined;
    this.#tidy();
  }

  /** Every database that is in memory. */
  readonly #open = new Set<Loaded>();

  /** Closes those that nobody reads from any more. */
  #tidy(): void {
    for (const loaded of this.#open) {
      if (loaded === this.#current || loaded.users > 0) continue;
      this.#open.delete(loaded);
      loaded.database.close();
    }
  }

  async #now(): Promise<Loaded> {
    if (this.#closed) throw new InspectorError('no_store', 'The store was closed.');
    const { stamp } = await this.#look();
    if (this.#current?.stamp === stamp) return this.#current;
    if (this.#failed?.stamp === stamp) throw this.#failed.error;
    this.#loading ??= this.#load().finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  async #load(): Promise<Loaded> {
    let look = await this.#look();
    let error: InspectorError | undefined;
    for (let attempt = 0; attempt < TRIES; attempt++) {
      if (attempt > 0) await wait(BETWEEN_MS);
      look = await this.#look();
      try {
        const loaded = await this.#read(look.stamp);
        if ((await this.#look()).stamp === look.stamp) return this.#keep(loaded);
        loaded.database.close();
        error = undefined;
      } catch (thrown) {
        error = InspectorError.from(thrown);
        if (!mayBeHalf(error, look)) break;
      }
    }
    return this.#without(error, look);
  }

  /** The answer where the files cannot be read: the last one, as long as they may be half-written. */
  #without(error: InspectorError | undefined, look: Look): Loaded {
    if (error !== undefined && !mayBeHalf(error, look)) {
      this.#failed = { stamp: look.stamp, error };
      throw error;
    }
    if (this.#current !== undefined) return this.#current;
    throw new InspectorError('busy', `${this.#files.server} is writing its files.`, {
      cause: error,
      data: { path: this.#files.folder },
      remedy: 'Try again in a few seconds.',
    });
  }

  #keep(loaded: Loaded): Loaded {
    this.#current = this.#closed ? undefined : loaded;
    this.#failed = undefined;
    this.#open.add(loaded);
    this.#tidy();
    return loaded;
  }

  async #read(stamp: string): Promise<Loaded> {
    const { server, folder, main, others } = this.#files;
    const bytes = await readBounded(join(folder, main));
    const [first, second, third] = await Promise.all(others.map((name) => readOther(folder, name)));
    const isPython = server === 'langgraph dev';
    const size = bytes.length + (first?.length ?? 0) + (second?.length ?? 0);
    const database = databaseOf(size, (into) =>
      isPython ? readPython({ checkpoints: bytes, writes: first, blobs: second }, into) : readJavaScript(bytes, into),
    );
    const queries = new DevQueries(database);
    const failed = isPython ? failedThreadsOf(third) : failedThreads(first);
    const reading = { ...readingOf(this.#id, queries), failed };
    return { stamp, reading, database, users: 0 };
  }

  async #look(): Promise<Look> {
    const { folder, main, others } = this.#files;
    const entries = await Promise.all([main, ...others].map((name) => fileEntry(folder, name)));
    const stamp = entries.map((entry) => (entry === undefined ? '-' : fileStamp(entry))).join('\n');
    return { stamp, newestMs: Math.max(0, ...entries.map((entry) => entry?.mtimeMs ?? 0)) };
  }
}

/** Damage, or a file that is missing just now; never a name or an opcode that is refused. */
function mayBeHalf({ code }: InspectorError, { newestMs }: Look): boolean {
  return code === 'unreadable' && Math.abs(Date.now() - newestMs) < REWRITE_MS;
}

/** What the server keeps of its runs is told beside: checkpoints are read without it. */
async function readOther(folder: string, name: string): Promise<Uint8Array | undefined> {
  const bytes = readIfThere(join(folder, name));
  return name.includes('_ops.') ? bytes.catch(() => undefined) : bytes;
}

async function readIfThere(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readBounded(path);
  } catch (error) {
    if (InspectorError.is(error) && error.code === 'not_found') return undefined;
    throw error;
  }
}
