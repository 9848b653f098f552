import { InspectorError, type Problem, type Unwatch } from '@checkpoint-inspector/core';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { realPath, type FileEntry } from '../files/list.ts';
import { readBounded, readSmall } from '../files/read.ts';
import { FolderEntries, type EntriesChange } from './entries.ts';
import { openKeptFiles, type KeptFiles } from './kept-files.ts';
import { packed, unpacked } from './packed.ts';

/** One file of a folder of documents, read or with the reason why not. */
export interface FolderFile {
  readonly entry: FileEntry;
  readonly problem?: Problem | undefined;
}

/** How a system reads the documents of its folders. */
export interface FolderReader<F extends FolderFile> {
  /** Names the system and, by a number, what it reads: a new one as soon as `read` makes anything else of the same bytes. */
  readonly id: string;
  /** Whether a file of this name is a document. */
  readonly accepts: (name: string) => boolean;
  /** Where it throws, the file is what `failed` makes of the error. */
  readonly read: (entry: FileEntry, bytes: () => Promise<Uint8Array>) => F | Promise<F>;
  readonly failed: (entry: FileEntry, error: InspectorError) => F;
  /** A larger file is not read. */
  readonly maxBytes: number;
  /** False for files of which nothing may be kept on disk. Default: what is read of every file may be. */
  readonly mayKeep?: (name: string) => boolean;
}

export interface FolderIndexOptions {
  /** The user's state folder: what is read of a large folder is kept there. Default: in memory only. */
  readonly stateFolder?: string | undefined;
}

export interface ReadOptions {
  /** Doesn't wait for older files of a large folder: what is known, with all that is new. Default false. */
  readonly partial?: boolean | undefined;
}

/** A folder at one moment. */
export interface FolderListing<F extends FolderFile> {
  readonly files: readonly F[];
  /** The names of everything else in it. */
  readonly others: readonly string[];
  /** How many documents are not read yet. */
  readonly unread: number;
}

/** A document in the folder; its content is absent until it has been read. */
interface Slot<F> {
  readonly entry: FileEntry;
  file?: F;
}

const READ_AT_ONCE = 8;
/** So many of the newest are read before a part of a folder is answered. Smaller folders are read whole. */
const FIRST = 500;
/** The thread is held no longer than this. */
const SLICE_MS = 8;
/** Up to this size a file of a local disk is read by the thread itself. */
const SMALL_BYTES = 65_536;
/** A disk that takes longer for one is given several at once for so many files, then tried again. */
const SLOW_MS = 2;
const POOLED = 64;
const KEPT_AT_ONCE = 200;

/** Reads the documents of one folder, newest first, each only once as long as nothing is written to it. */
export class FolderIndex<F extends FolderFile> {
  readonly #folder: string;
  readonly #reader: FolderReader<F>;
  readonly #stateFolder: string | undefined;
  readonly #entries: FolderEntries;
  readonly #slots = new Map<string, Slot<F>>();
  readonly #others = new Set<string>();
  readonly #listeners = new Set<() => void>();
  /** Not read yet, the newest last. */
  #waiting: FileEntry[] = [];
  /** With no more waiting than this, a part may be answered. */
  #enough = 0;
  #step: Promise<void> | undefined;
  #isGoingOn = false;
  #isClosed = false;
  /** Documents that have been read, and how many they were when it was last told. */
  #known = 0;
  #told = 0;
  /** Files to be read through the pool of threads, because the disk is slow. */
  #pooled = 0;
  #kept: KeptFiles | undefined;
  #hasAskedKept = false;
  #unkept: (readonly [FileEntry, string])[] = [];
  #last: FolderListing<F> = { files: [], others: [], unread: 0 };
  /** Something is not in the last listing; news are what a part has to have. */
  #isDue = false;
  #isNews = false;

  constructor(folder: string, reader: FolderReader<F>, { stateFolder }: FolderIndexOptions = {}) {
    this.#folder = folder;
    this.#reader = reader;
    this.#stateFolder = stateFolder;
    this.#entries = new FolderEntries(folder, (change) => this.#change(change));
  }

  /** Lets the system tell what changes; until then every reading lists the folder. */
  start(): void {
    this.#isClosed = false;
    this.#entries.start();
  }

  /** Calls back after something changed, and when more of a folder is known after a part of it was answered. */
  follow(onChange: () => void, pollMs?: number): Unwatch {
    const listener = (): void => onChange();
    const unwatch = this.#entries.follow(listener, pollMs);
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      unwatch();
    };
  }

  /** Follows no longer; every reading lists the folder again. */
  close(): void {
    this.#isClosed = true;
    this.#listeners.clear();
    this.#entries.stop();
    this.#endKeeping();
  }

  /** How many documents have been read, of all that the folder had at the last look. */
  get coverage(): { readonly n: number; readonly of: number } {
    return { n: this.#known, of: this.#slots.size };
  }

  /** The same object again while nothing has changed. @throws InspectorError not_found | unreadable */
  async read({ partial = false }: ReadOptions = {}): Promise<FolderListing<F>> {
    await this.#entries.refresh();
    while (this.#waiting.length > (partial ? this.#enough : 0)) await this.#readOn();
    await this.#step;
    if (this.#waiting.length > 0) void this.#goOn();
    return this.#listing(partial);
  }

  /** Documents of these names are read again. */
  reread(isOne: (name: string) => boolean): void {
    const entries = [...this.#slots.values()].map(({ entry }) => entry);
    this.#change({ changed: entries.filter(({ name }) => isOne(name)), removed: [] });
  }

  #change({ changed, removed }: EntriesChange): void {
    for (const name of removed) this.#forget(name);
    const documents: FileEntry[] = [];
    for (const entry of changed) {
      this.#noteNews();
      const isDocument = this.#reader.accepts(entry.name) && (entry.file || entry.link);
      this.#forget(entry.name);
      if (isDocument) documents.push(entry);
      else this.#others.add(entry.name);
    }
    for (const entry of documents) this.#slots.set(entry.name, { entry });
    // One by one: a call can't have as many arguments as a large folder has files.
    for (const entry of documents.toSorted((a, b) => a.mtimeMs - b.mtimeMs)) this.#waiting.push(entry);
    if (documents.length > 0) this.#enough = this.#waiting.length - Math.min(documents.length, FIRST);
  }

  #forget(name: string): void {
    this.#others.delete(name);
    if (this.#slots.get(name)?.file) this.#known--;
    this.#slots.delete(name);
    this.#noteNews();
  }

  #noteNews(): void {
    this.#isDue = true;
    this.#isNews = true;
  }

  /** In the background, after a part was answered. */
  async #goOn(): Promise<void> {
    if (this.#isGoingOn) return;
    this.#isGoingOn = true;
    this.#told = this.#known;
    while (this.#waiting.length > 0 && !this.#isClosed) {
      await this.#readOn();
      // Each time twice as much is known: what is worked out from all of it costs no more than twice the whole.
      if (this.#waiting.length > 0 && this.#known < 2 * this.#told) continue;
      this.#told = this.#known;
      this.#isNews = true;
      for (const tell of this.#listeners) tell();
    }
    this.#isGoingOn = false;
  }

  /** The next few documents; whoever needs them waits for the same. */
  #readOn(): Promise<void> {
    return (this.#step ??= this.#readNext().finally(() => (this.#step = undefined)));
  }

  async #readNext(): Promise<void> {
    this.#beginKeeping();
    const until = performance.now() + SLICE_MS;
    while (this.#waiting.length > 0 && performance.now() < until) {
      const some = this.#waiting.splice(-READ_AT_ONCE).filter((entry) => !this.#recall(entry));
      await Promise.all(some.map((entry) => this.#readInto(entry)));
    }
    const isAll = this.#waiting.length === 0;
    if (isAll || this.#unkept.length >= KEPT_AT_ONCE) this.#kept?.put(this.#unkept.splice(0));
    if (!isAll) return turn();
    this.#kept?.retain({ size: this.#slots.size, has: (name) => this.#slots.has(name) });
    this.#endKeeping();
  }

  /** What a few files cost to read is less than what it costs to look them up. */
  #beginKeeping(): void {
    if (this.#stateFolder === undefined || this.#hasAskedKept || this.#waiting.length <= FIRST) return;
    const [stateFolder, folder] = [this.#stateFolder, realPath(this.#folder)];
    this.#hasAskedKept = true;
    this.#kept = openKeptFiles({ stateFolder, folder, reader: this.#reader.id });
  }

  #endKeeping(): void {
    this.#kept?.close();
    this.#kept = undefined;
    this.#hasAskedKept = false;
    this.#unkept = [];
  }

  #mayKeep(name: string): boolean {
    return this.#kept !== undefined && this.#reader.mayKeep?.(name) !== false;
  }

  /** True where nothing is left to read. */
  #recall(entry: FileEntry): boolean {
    const slot = this.#slots.get(entry.name);
    // Written again, or gone, since it was put in line.
    if (slot?.entry !== entry || slot.file) return true;
    const text = this.#mayKeep(entry.name) ? this.#kept?.get(entry) : undefined;
    if (text === undefined) return false;
    this.#fill(slot, this.#unpacked(entry, text));
    return true;
  }

  async #readInto(entry: FileEntry): Promise<void> {
    const slot = this.#slots.get(entry.name);
    const file = await this.#readOne(entry);
    if (slot === undefined || this.#slots.get(entry.name) !== slot) return;
    if (file) this.#fill(slot, file);
    else this.#forget(entry.name);
  }

  #fill(slot: Slot<F>, file: F): void {
    if (!slot.file) this.#known++;
    slot.file = file;
    this.#isDue = true;
  }

  /** `undefined` if the file was removed in the meantime. */
  async #readOne(entry: FileEntry): Promise<F | undefined> {
    const { failed, maxBytes, read } = this.#reader;
    if (entry.link)
      return failed(entry, new InspectorError('unreadable', 'This is a symbolic link; links are not followed.'));
    try {
      const file = await read(
        entry,
        async () => this.#bytesOf(entry) ?? readBounded(join(this.#folder, entry.name), { maxBytes }),
      );
      const text = packed(file);
      if (this.#mayKeep(entry.name)) this.#unkept.push([entry, text]);
      // What a cut of a text is made of is that whole text: only copies may stay.
      return this.#unpacked(entry, text);
    } catch (cause) {
      const error = InspectorError.from(cause);
      return error.code === 'not_found' ? undefined : failed(entry, error);
    }
  }

  /** Only what this reader has read was packed, in this version (its id). */
  #unpacked(entry: FileEntry, text: string): F {
    return unpacked(entry, text) as F;
  }

  #bytesOf({ name, size }: FileEntry): Uint8Array | undefined {
    if (size > SMALL_BYTES) return undefined;
    if (this.#pooled > 0) {
      this.#pooled--;
      return undefined;
    }
    const began = performance.now();
    const bytes = readSmall(join(this.#folder, name), Math.min(SMALL_BYTES, this.#reader.maxBytes));
    if (performance.now() - began > SLOW_MS) this.#pooled = POOLED;
    return bytes;
  }

  #listing(partial: boolean): FolderListing<F> {
    if (!(partial && this.#waiting.length > 0 ? this.#isNews : this.#isDue)) return this.#last;
    const files: F[] = [];
    for (const { file } of this.#slots.values()) if (file) files.push(file);
    this.#last = { files, others: [...this.#others], unread: this.#slots.size - files.length };
    this.#isNews = false;
    this.#isDue = false;
    return this.#last;
  }
}
