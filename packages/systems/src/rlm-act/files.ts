import { InspectorError } from '@checkpoint-inspector/core';
import { fileStamp, listFolder, readBounded, type FileEntry } from '@checkpoint-inspector/io';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { crash, readDocument, type Facts, type FileProblem } from './document.ts';
import { idOfFile } from './names.ts';

/** Larger documents are listed with a reason and not written; their bytes can still be had. */
export const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;
const READ_AT_ONCE = 8;

interface ReadFile {
  readonly facts: Facts;
  /** sha256 of the document's text. */
  readonly revision: string;
  readonly problem?: undefined;
}

interface BadFile {
  readonly facts?: undefined;
  readonly revision?: undefined;
  readonly problem: FileProblem;
}

/** One checkpoint file, read or with the reason why not. */
export type StoredFile = { readonly id: string; readonly entry: FileEntry } & (ReadFile | BadFile);

/** Reads the files of one folder, each only once as long as its name, size, time and inode stay the same. */
export class FolderIndex {
  readonly #folder: string;
  readonly #maxBytes: number;
  #known = new Map<string, StoredFile>();
  #last: readonly StoredFile[] = [];

  constructor(folder: string, maxBytes = MAX_DOCUMENT_BYTES) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  /** The same array again while nothing has changed. @throws InspectorError not_found | unreadable */
  async read(): Promise<readonly StoredFile[]> {
    const entries = (await listFolder(this.#folder)).filter(isCheckpointFile);
    const fresh = entries.filter((entry) => !this.#known.has(fileStamp(entry)));
    if (fresh.length === 0 && entries.length === this.#known.size) return this.#last;
    const known = new Map<string, StoredFile>();
    for (const entry of entries) {
      const stored = this.#known.get(fileStamp(entry));
      if (stored) known.set(fileStamp(entry), stored);
    }
    for (let at = 0; at < fresh.length; at += READ_AT_ONCE) {
      const some = fresh.slice(at, at + READ_AT_ONCE);
      const read = await Promise.all(some.map((entry) => readStoredFile(this.#folder, entry, this.#maxBytes)));
      for (const file of read) if (file) known.set(fileStamp(file.entry), file);
    }
    this.#known = known;
    this.#last = [...known.values()];
    return this.#last;
  }
}

/** Files and links named `*.json`; hidden ones too, as the pipeline finds them. */
function isCheckpointFile(entry: FileEntry): boolean {
  return idOfFile(entry.name) !== undefined && (entry.file || entry.link);
}

/** The stored bytes of a file of the folder. @throws InspectorError not_found | unreadable | too_large */
export function readRaw(folder: string, name: string, maxBytes?: number): Promise<Uint8Array> {
  return readBounded(join(folder, name), maxBytes === undefined ? {} : { maxBytes });
}

/** The text of a file that was read as a checkpoint before. @throws InspectorError unreadable */
export async function readText(folder: string, name: string): Promise<{ text: string; bytes: Uint8Array }> {
  const bytes = await readRaw(folder, name, MAX_DOCUMENT_BYTES);
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new InspectorError('unreadable', `"${name}" is no longer UTF-8 text.`);
  return { text, bytes };
}

export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** `undefined` if the file was removed meanwhile. */
async function readStoredFile(folder: string, entry: FileEntry, maxBytes: number): Promise<StoredFile | undefined> {
  const file = { id: idOfFile(entry.name) ?? entry.name, entry };
  if (entry.link) return { ...file, problem: linkProblem() };
  try {
    const bytes = await readRaw(folder, entry.name, maxBytes);
    const text = decodeUtf8(bytes);
    if (text === undefined) {
      return { ...file, problem: crash('The text is not UTF-8.', 'UnicodeDecodeError', firstBadByte(bytes)) };
    }
    const read = readDocument(text);
    return 'facts' in read ? { ...file, ...read, revision: sha256(text) } : { ...file, ...read };
  } catch (cause) {
    const { code, message } = InspectorError.from(cause);
    if (code === 'not_found') return undefined;
    if (code !== 'too_large') return { ...file, problem: { code: 'unreadable', message, inOriginal: 'skipped' } };
    return { ...file, problem: { code, message, inOriginal: 'read' } };
  }
}

function linkProblem(): FileProblem {
  return { code: 'unreadable', message: 'A symbolic link; links are not followed.', inOriginal: 'read' };
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
