import { InspectorError, type Problem } from '@checkpoint-inspector/core';
import { join } from 'node:path';
import { fileEntry, fileStamp, listFolder, type FileEntry } from '../files/list.ts';
import { readBounded } from '../files/read.ts';

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
  /** As long as it is the same, a file is not read again; default: name, size, time and inode. */
  readonly stampOf?: (entry: FileEntry) => string;
}

/** A folder at one moment. */
export interface FolderListing<F extends FolderFile> {
  readonly files: readonly F[];
  /** The names of everything else in it. */
  readonly others: readonly string[];
}

const READ_AT_ONCE = 8;
/** File systems keep times as coarse as two seconds: what was written just before a look may have the same time. */
const COARSE_MS = 3_000;

/** Reads the documents of one folder, each only once as long as its stamp stays the same. */
export class FolderIndex<F extends FolderFile> {
  readonly #folder: string;
  readonly #reader: FolderReader<F>;
  #known = new Map<string, F>();
  #last: FolderListing<F> = { files: [], others: [] };
  /** The folder itself as it was when it was listed, where that tells whether names were added or removed since. */
  #listed: string | undefined;

  constructor(folder: string, reader: FolderReader<F>) {
    this.#folder = folder;
    this.#reader = reader;
  }

  /** The same object again while nothing has changed. @throws InspectorError not_found | unreadable */
  async read(): Promise<FolderListing<F>> {
    const folder = await this.#stampOfFolder();
    const entries = await listFolder(this.#folder);
    const known = new Map<string, F>();
    const fresh: { readonly entry: FileEntry; readonly stamp: string }[] = [];
    const others: string[] = [];
    for (const entry of entries) {
      if (!this.#reader.accepts(entry.name) || !(entry.file || entry.link)) {
        others.push(entry.name);
        continue;
      }
      const stamp = this.#stampOf(entry);
      const file = this.#known.get(stamp);
      if (file) known.set(stamp, file);
      else fresh.push({ entry, stamp });
    }
    if (fresh.length === 0 && known.size === this.#known.size) {
      this.#listed = folder;
      return this.#last;
    }
    for (let at = 0; at < fresh.length; at += READ_AT_ONCE) {
      const some = fresh.slice(at, at + READ_AT_ONCE);
      const read = await Promise.all(some.map(({ entry }) => this.#readOne(entry)));
      for (const [place, file] of read.entries()) if (file) known.set(some[place]?.stamp ?? '', file);
    }
    this.#known = known;
    this.#listed = folder;
    this.#last = { files: [...known.values()], others };
    return this.#last;
  }

  /** A file is as it was read and no name came or went: two looks at the disk, however many files there are. */
  async isCurrent(name: string): Promise<boolean> {
    if (this.#listed === undefined || this.#listed !== (await this.#stampOfFolder())) return false;
    const entry = await fileEntry(this.#folder, name).catch(() => undefined);
    return entry !== undefined && this.#known.has(this.#stampOf(entry));
  }

  #stampOf(entry: FileEntry): string {
    return this.#reader.stampOf?.(entry) ?? fileStamp(entry);
  }

  /** `undefined` while the folder was written so recently that its time does not tell. */
  async #stampOfFolder(): Promise<string | undefined> {
    const now = Date.now();
    const entry = await fileEntry(this.#folder, '.').catch(() => undefined);
    return entry && now - entry.mtimeMs > COARSE_MS ? `${entry.ino} ${entry.mtimeNs}` : undefined;
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
}
