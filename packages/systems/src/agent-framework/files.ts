import { InspectorError, type Problem } from '@checkpoint-inspector/core';
import { fileStamp, listFolder, readBounded, type FileEntry } from '@checkpoint-inspector/io';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Facts, ReadDocument } from './document.ts';

/** Larger documents stand as rows with a reason; their bytes can still be had. */
export const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;
const READ_AT_ONCE = 8;

/** One checkpoint file, read or with the reason why not. */
export interface StoredFile {
  readonly name: string;
  readonly entry: FileEntry;
  readonly facts?: Facts;
  /** sha256 of the text; absent where there is a problem. */
  readonly revision?: string;
  readonly problem?: Problem;
  /** Only these bytes of the file are meant: one line of an index. */
  readonly slice?: { readonly start: number; readonly end: number };
  /** The whole text, of files that are no checkpoints themselves. */
  readonly text?: string;
}

export interface FileReader {
  readonly accepts: (name: string) => boolean;
  /** `keepText` for files that are no checkpoints themselves. */
  readonly read: (text: string, name: string) => ReadDocument & { readonly keepText?: true };
}

/** Reads the files of one folder, each only once as long as its name, size, time and inode stay the same. */
export class FolderIndex {
  readonly #folder: string;
  readonly #reader: FileReader;
  #known = new Map<string, StoredFile>();
  #last: readonly StoredFile[] = [];

  constructor(folder: string, reader: FileReader) {
    this.#folder = folder;
    this.#reader = reader;
  }

  /** The same array again while nothing has changed. @throws InspectorError not_found | unreadable */
  async read(): Promise<readonly StoredFile[]> {
    const entries = (await listFolder(this.#folder)).filter(
      (entry) => (entry.file || entry.link) && this.#reader.accepts(entry.name),
    );
    const known = new Map<string, StoredFile>();
    const fresh: FileEntry[] = [];
    for (const entry of entries) {
      const stored = this.#known.get(fileStamp(entry));
      if (stored) known.set(fileStamp(entry), stored);
      else fresh.push(entry);
    }
    if (fresh.length === 0 && known.size === this.#known.size) return this.#last;
    for (let at = 0; at < fresh.length; at += READ_AT_ONCE) {
      const some = fresh.slice(at, at + READ_AT_ONCE);
      const read = await Promise.all(some.map((entry) => this.#readOne(entry)));
      for (const file of read) if (file) known.set(fileStamp(file.entry), file);
    }
    this.#known = known;
    this.#last = [...known.values()];
    return this.#last;
  }

  /** `undefined` if the file was removed meanwhile. */
  async #readOne(entry: FileEntry): Promise<StoredFile | undefined> {
    const file = { name: entry.name, entry };
    if (entry.link)
      return { ...file, problem: { code: 'unreadable', message: 'A symbolic link; links are not followed.' } };
    try {
      const bytes = await readBounded(join(this.#folder, entry.name), { maxBytes: MAX_DOCUMENT_BYTES });
      const text = decode(bytes);
      const { facts, problem, keepText } = this.#reader.read(text, entry.name);
      return {
        ...file,
        ...(facts ? { facts } : {}),
        ...(problem ? { problem } : { revision: sha256(text) }),
        ...(keepText ? { text } : {}),
      };
    } catch (cause) {
      const error = InspectorError.from(cause);
      return error.code === 'not_found' ? undefined : { ...file, problem: problemOf(error) };
    }
  }
}

/** The stored bytes: a file of the folder, or the part of it that is meant. */
export async function readRaw(folder: string, file: StoredFile): Promise<Uint8Array> {
  const bytes = await readBounded(join(folder, file.name));
  return file.slice ? bytes.slice(file.slice.start, file.slice.end) : bytes;
}

/** UTF-8 as it is, a byte order mark included. @throws InspectorError unreadable, with the offset of the bad byte */
export function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    const lossy = Buffer.from(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
    const offset = lossy.findIndex((byte, index) => byte !== bytes[index]);
    throw new InspectorError('unreadable', 'The text is not UTF-8.', { cause, data: { offset } });
  }
}

export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

function problemOf(error: InspectorError): Problem {
  const offset = error.data?.['offset'];
  return {
    code: error.code === 'too_large' ? 'too_large' : 'unreadable',
    message: error.message,
    ...(typeof offset === 'number' ? { offset } : {}),
  };
}
