import { InspectorError, type Problem } from '@checkpoint-inspector/core';
import { fileStamp, gunzipBounded, listFolder, readBounded, type FileEntry } from '@checkpoint-inspector/io';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readDocument, type Facts } from './document.ts';
import { isCycleLog, isEncrypted, parseFileName, type FileName } from './names.ts';

/** Larger documents stand as rows with a reason; their bytes can still be had. */
export const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;
const READ_AT_ONCE = 8;

/** One checkpoint file, read or with the reason why not. */
export interface StoredFile extends FileName {
  readonly entry: FileEntry;
  readonly facts?: Facts;
  /** sha256 of the document's text. */
  readonly stateHash?: string;
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
  #known = new Map<string, StoredFile>();
  #last: FolderFiles = { files: [], logs: [] };

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The same object again while nothing has changed. @throws InspectorError not_found | unreadable */
  async read(): Promise<FolderFiles> {
    const entries = await listFolder(this.#folder);
    const known = new Map<string, StoredFile>();
    const fresh: { readonly entry: FileEntry; readonly name: FileName }[] = [];
    for (const entry of entries) {
      const name = parseFileName(entry.name);
      if (!name || !(entry.file || entry.link)) continue;
      const stored = this.#known.get(fileStamp(entry));
      if (stored) known.set(fileStamp(entry), stored);
      else fresh.push({ entry, name });
    }
    if (fresh.length === 0 && known.size === this.#known.size) return this.#last;
    for (let at = 0; at < fresh.length; at += READ_AT_ONCE) {
      const some = fresh.slice(at, at + READ_AT_ONCE);
      const read = await Promise.all(some.map(({ entry, name }) => readStoredFile(this.#folder, entry, name)));
      for (const file of read) if (file) known.set(fileStamp(file.entry), file);
    }
    this.#known = known;
    const logs = entries.filter((entry) => isCycleLog(entry.name)).map((entry) => entry.name);
    this.#last = { files: [...known.values()], logs };
    return this.#last;
  }
}

/** The stored bytes of a file of the folder. */
export function readRaw(folder: string, name: string): Promise<Uint8Array> {
  return readBounded(join(folder, name));
}

/** The document in the stored bytes, its last line end included. @throws InspectorError unreadable | too_large */
export async function inflate(file: FileName, bytes: Uint8Array): Promise<string> {
  const gz = file.variant === 'gz';
  const document = gz ? await gunzipBounded(bytes, { maxBytes: MAX_DOCUMENT_BYTES }) : bytes;
  if (document.length > MAX_DOCUMENT_BYTES) {
    throw new InspectorError(
      'too_large',
      `The document has ${document.length} bytes; up to ${MAX_DOCUMENT_BYTES} are read.`,
    );
  }
  const text = decodeUtf8(document);
  if (text !== undefined) return text;
  const offset = firstBadByte(document);
  const where = gz ? ` at byte ${offset} of the inflated document` : '';
  throw new InspectorError('unreadable', `The text is not UTF-8${where}.`, gz ? {} : { data: { offset } });
}

/** The state is the document without the line end that Kaizen puts behind it. */
export function stateText(document: string): string {
  return document.endsWith('\n') ? document.slice(0, -1) : document;
}

export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** `undefined` if the file was removed meanwhile. */
async function readStoredFile(folder: string, entry: FileEntry, name: FileName): Promise<StoredFile | undefined> {
  const file = { ...name, entry };
  if (entry.link)
    return { ...file, problem: { code: 'unreadable', message: 'A symbolic link; links are not followed.' } };
  if (isEncrypted(name.variant)) return { ...file, problem: { code: 'locked', message: 'The file is encrypted.' } };
  try {
    const text = stateText(
      await inflate(name, await readBounded(join(folder, entry.name), { maxBytes: MAX_DOCUMENT_BYTES })),
    );
    const { facts, problem } = readDocument(text);
    return {
      ...file,
      ...(facts ? { facts } : {}),
      ...(facts && !problem ? { stateHash: sha256(text) } : {}),
      ...(problem ? { problem: name.variant === 'gz' ? withoutOffset(problem) : problem } : {}),
    };
  } catch (cause) {
    const error = InspectorError.from(cause);
    return error.code === 'not_found' ? undefined : { ...file, problem: problemOf(error) };
  }
}

/** An offset means the stored bytes; inside inflated text there is none to name, so the words say it. */
function withoutOffset({ code, message, offset }: Problem): Problem {
  return { code, message: offset === undefined ? message : `${message} (byte ${offset} of the inflated document)` };
}

function problemOf(error: InspectorError): Problem {
  const offset = error.data?.['offset'];
  return {
    code: error.code === 'too_large' ? 'too_large' : 'unreadable',
    message: error.message,
    ...(typeof offset === 'number' ? { offset } : {}),
  };
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function firstBadByte(bytes: Uint8Array): number {
  const lossy = Buffer.from(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  const at = lossy.findIndex((byte, index) => byte !== bytes[index]);
  return at === -1 ? bytes.length : at;
}
