import { InspectorError, type Problem } from '@checkpoint-inspector/core';
import { fileStamp, listFolder, readBounded, type FileEntry } from '@checkpoint-inspector/io';
import { createHash, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { decodeDocument, MAX_DOCUMENT_BYTES } from './codec.ts';
import { readDocument, type Facts, type ReadDocument } from './document.ts';
import { isCycleLog, isEncrypted, parseFileName, type FileName } from './names.ts';

const READ_AT_ONCE = 8;

/** One checkpoint file, read or with the reason why not. */
export interface StoredFile extends FileName {
  readonly entry: FileEntry;
  readonly facts?: Facts;
  /** sha256 of the document's text. */
  readonly revision?: string;
  readonly problem?: Problem;
}

/** The files of a folder at one moment. */
export interface FolderFiles {
  readonly files: readonly StoredFile[];
  /** Names of cycle logs, which are no checkpoints. */
  readonly logs: readonly string[];
}

/** Reads the files of one folder, each only once as long as its name, size, time and inode stay the same. */
export class FolderIndex {
  readonly #folder: string;
  readonly #maxBytes: number;
  #keys: readonly KeyObject[] = [];
  /** Counts the changes of keys: encrypted files are read again after each. */
  #generation = 0;
  #known = new Map<string, StoredFile>();
  #last: FolderFiles = { files: [], logs: [] };

  constructor(folder: string, maxBytes = MAX_DOCUMENT_BYTES) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  /** From the next reading on, encrypted files are read with these keys. */
  useKeys(keys: readonly KeyObject[]): void {
    this.#keys = keys;
    this.#generation++;
  }

  /** The same object again while nothing has changed. @throws InspectorError not_found | unreadable */
  async read(): Promise<FolderFiles> {
    const keys = this.#keys;
    const generation = this.#generation;
    const entries = await listFolder(this.#folder);
    const known = new Map<string, StoredFile>();
    const fresh: { readonly entry: FileEntry; readonly name: FileName }[] = [];
    for (const entry of entries) {
      const name = parseFileName(entry.name);
      if (!name || !(entry.file || entry.link)) continue;
      const stamp = stampOf(entry, name, generation);
      const stored = this.#known.get(stamp);
      if (stored) known.set(stamp, stored);
      else fresh.push({ entry, name });
    }
    if (fresh.length === 0 && known.size === this.#known.size) return this.#last;
    for (let at = 0; at < fresh.length; at += READ_AT_ONCE) {
      const some = fresh.slice(at, at + READ_AT_ONCE);
      const read = await Promise.all(some.map(({ entry, name }) => this.#readOne(entry, name, keys)));
      for (const file of read) if (file) known.set(stampOf(file.entry, file, generation), file);
    }
    this.#known = known;
    const logs = entries.filter((entry) => isCycleLog(entry.name)).map((entry) => entry.name);
    this.#last = { files: [...known.values()], logs };
    return this.#last;
  }

  /** `undefined` if the file was removed meanwhile. */
  async #readOne(entry: FileEntry, name: FileName, keys: readonly KeyObject[]): Promise<StoredFile | undefined> {
    const file = { ...name, entry };
    if (entry.link)
      return { ...file, problem: { code: 'unreadable', message: 'A symbolic link; links are not followed.' } };
    if (isEncrypted(name.variant) && keys.length === 0) {
      return { ...file, problem: { code: 'locked', message: 'The file is encrypted.' } };
    }
    try {
      const bytes = await readBounded(join(this.#folder, entry.name), { maxBytes: this.#maxBytes });
      return readStored(file, stateText((await decodeDocument(name.variant, bytes, keys, this.#maxBytes)).text));
    } catch (cause) {
      const error = InspectorError.from(cause);
      return error.code === 'not_found' ? undefined : { ...file, problem: problemOf(error) };
    }
  }
}

/** The stored bytes of a file of the folder. */
export function readRaw(folder: string, name: string): Promise<Uint8Array> {
  return readBounded(join(folder, name));
}

/** The state is the document without the line end that Kaizen puts behind it. */
export function stateText(document: string): string {
  return document.endsWith('\n') ? document.slice(0, -1) : document;
}

export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

function stampOf(entry: FileEntry, { variant }: FileName, generation: number): string {
  return isEncrypted(variant) ? `${fileStamp(entry)}\0${generation}` : fileStamp(entry);
}

function readStored(file: FileName & { readonly entry: FileEntry }, text: string): StoredFile {
  const read = readDocument(text);
  const { facts } = read;
  const problem = placedProblem(file, read);
  return {
    ...file,
    ...(facts ? { facts } : {}),
    ...(facts && !problem ? { revision: sha256(text) } : {}),
    ...(problem ? { problem } : {}),
  };
}

/** The problem of a document as its file's. */
function placedProblem(name: FileName, { facts, problem }: ReadDocument): Problem | undefined {
  if (isEncrypted(name.variant)) return problem ? wordless(problem) : foreignProblem(name, facts);
  return problem && name.variant === 'gz' ? withoutOffset(problem) : problem;
}

/** What was decrypted is not quoted anywhere. */
function wordless({ code, offset }: Problem): Problem {
  const where = offset === undefined ? '' : ` (see byte ${offset} of it)`;
  return { code, message: `The decrypted document is no whole checkpoint${where}.` };
}

/** The layout does not bind a file to its name, so an exchanged file opens well: only its id tells. */
function foreignProblem(name: FileName, facts: Facts | undefined): Problem | undefined {
  if (facts?.checkpointId === name.id) return undefined;
  return { code: 'unreadable', message: `${name.name} holds another checkpoint: it was renamed or exchanged.` };
}

/** An offset means the stored bytes; inside inflated text there is none to name, so the words say it. */
function withoutOffset({ code, message, offset }: Problem): Problem {
  return { code, message: offset === undefined ? message : `${message} (byte ${offset} of the inflated document)` };
}

function problemOf(error: InspectorError): Problem {
  const offset = error.data?.['offset'];
  return {
    code: error.code === 'too_large' || error.code === 'wrong_key' ? error.code : 'unreadable',
    message: error.message,
    ...(typeof offset === 'number' ? { offset } : {}),
  };
}
