import { InspectorError, type Problem, type Unwatch } from '@checkpoint-inspector/core';
import { join } from 'node:path';
import type { FileEntry } from '../files/list.ts';
import { readBounded } from '../files/read.ts';
import { FolderEntries, type EntriesChange } from './entries.ts';

/** One file of a folder of documents, read or with the reason why not. */
export interface FolderFile {
  readonly entry: FileEntry;
  readonly problem?: Problem | undefined;
}

/** How a system reads the documents of its folders. */
export interface FolderReader<F extends FolderFile> {
  /** Whether a file of this name is a document. */
  readonly accepts: (name: string) => boolean;
  /** Where it throws, the file is what `failed` makes of the error. */
  readonly read: (entry: FileEntry, bytes: () => Promise<Uint8Array>) => F | Promise<F>;
  readonly failed: (entry: FileEntry, error: InspectorError) => F;
  /** A larger file is not read. */
  readonly maxBytes: number;
}

/** A folder at one moment. */
export interface FolderListing<F extends FolderFile> {
  readonly files: readonly F[];
  /** The names of everything else in it. */
  readonly others: readonly string[];
}

/** A document in the folder; its content is absent until it has been read. */
interface Slot<F> {
  readonly entry: FileEntry;
  file?: F;
}

const READ_AT_ONCE = 8;

/** Reads the documents of one folder, newest first, each only once as long as nothing is written to it. */
export class FolderIndex<F extends FolderFile> {
  readonly #folder: string;
  readonly #reader: FolderReader<F>;
  readonly #entries: FolderEntries;
  readonly #slots = new Map<string, Slot<F>>();
  readonly #others = new Set<string>();
  /** Not read yet, the newest last. */
  #waiting: FileEntry[] = [];
  #reading: Promise<void> | undefined;
  #last: FolderListing<F> = { files: [], others: [] };
  #isDue = false;

  constructor(folder: string, reader: FolderReader<F>) {
    this.#folder = folder;
    this.#reader = reader;
    this.#entries = new FolderEntries(folder, (change) => this.#change(change));
  }

  /** Lets the system tell what changes; until then every reading lists the folder. */
  start(): void {
    this.#entries.start();
  }

  /** Calls back after something changed. */
  follow(onChange: () => void, pollMs?: number): Unwatch {
    return this.#entries.follow(onChange, pollMs);
  }

  /** Follows no longer; every reading lists the folder again. */
  close(): void {
    this.#entries.stop();
  }

  /** The same object again while nothing has changed. @throws InspectorError not_found | unreadable */
  async read(): Promise<FolderListing<F>> {
    await this.#entries.refresh();
    while (this.#waiting.length > 0) {
      this.#reading ??= this.#readWaiting().finally(() => (this.#reading = undefined));
      await this.#reading;
    }
    await this.#reading;
    return this.#listing();
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
      this.#isDue = true;
      const isDocument = this.#reader.accepts(entry.name) && (entry.file || entry.link);
      this.#forget(entry.name);
      if (isDocument) documents.push(entry);
      else this.#others.add(entry.name);
    }
    for (const entry of documents) this.#slots.set(entry.name, { entry });
    // One by one: a call can't have as many arguments as a large folder has files.
    for (const entry of documents.toSorted((a, b) => a.mtimeMs - b.mtimeMs)) this.#waiting.push(entry);
  }

  #forget(name: string): void {
    this.#others.delete(name);
    this.#slots.delete(name);
    this.#isDue = true;
  }

  async #readWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      const some = this.#waiting.splice(-READ_AT_ONCE);
      await Promise.all(some.map((entry) => this.#readInto(entry)));
    }
  }

  async #readInto(entry: FileEntry): Promise<void> {
    const slot = this.#slots.get(entry.name);
    // Written again, or gone, since it was put in line.
    if (slot?.entry !== entry) return;
    const file = await this.#readOne(entry);
    this.#isDue = true;
    if (file) slot.file = file;
    else if (this.#slots.get(entry.name) === slot) this.#forget(entry.name);
  }

  /** `undefined` if the file was removed in the meantime. */
  async #readOne(entry: FileEntry): Promise<F | undefined> {
    const { failed, maxBytes, read } = this.#reader;
    if (entry.link)
      return failed(entry, new InspectorError('unreadable', 'This is a symbolic link; links are not followed.'));
    try {
      return await read(entry, () => readBounded(join(this.#folder, entry.name), { maxBytes }));
    } catch (cause) {
      const error = InspectorError.from(cause);
      return error.code === 'not_found' ? undefined : failed(entry, error);
    }
  }

  #listing(): FolderListing<F> {
    if (!this.#isDue) return this.#last;
    const files: F[] = [];
    for (const { file } of this.#slots.values()) if (file) files.push(file);
    this.#last = { files, others: [...this.#others] };
    this.#isDue = false;
    return this.#last;
  }
}
