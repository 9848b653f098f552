import type { InspectorError, Problem } from '@checkpoint-inspector/core';
import { sha256, type FileEntry, type FolderListing, type FolderReader } from '@checkpoint-inspector/io';
import type { KeyObject } from 'node:crypto';
import { problemOf, type Row as AnyRow, type StoredDocument } from '../folder/index.ts';
import { decodeDocument, MAX_DOCUMENT_BYTES } from './codec.ts';
import { readDocument, type Facts, type ReadDocument } from './document.ts';
import { isEncrypted, parseFileName, type FileName } from './names.ts';

/** One checkpoint file, read or with the reason why not. */
export interface StoredFile extends FileName, StoredDocument {
  readonly facts?: Facts;
}

/** One checkpoint file; its note tells what makes Kaizen load another file, or none, under this id. */
export type Row = AnyRow<StoredFile>;

/** The files of a folder at one moment. */
export type FolderFiles = FolderListing<StoredFile>;

/** Reads Kaizen's files, encrypted ones with the keys that it is given. */
export class KaizenReader implements FolderReader<StoredFile> {
  readonly id = 'kaizen 1';
  readonly maxBytes: number;
  #keys: readonly KeyObject[] = [];

  constructor(maxBytes = MAX_DOCUMENT_BYTES) {
    this.maxBytes = maxBytes;
  }

  get keys(): readonly KeyObject[] {
    return this.#keys;
  }

  /** Encrypted files that are read from now on are opened with these keys; `isLocked` tells which to read again. */
  useKeys(keys: readonly KeyObject[]): void {
    this.#keys = keys;
  }

  readonly isLocked = (name: string): boolean => isEncrypted(nameOf({ name }).variant);

  /** Nothing that a key has opened reaches the disk. */
  readonly mayKeep = (name: string): boolean => !this.isLocked(name);

  readonly accepts = (name: string): boolean => parseFileName(name) !== undefined;

  readonly read = async (entry: FileEntry, bytes: () => Promise<Uint8Array>): Promise<StoredFile> => {
    const name = nameOf(entry);
    const keys = this.#keys;
    if (isEncrypted(name.variant) && keys.length === 0) {
      return { ...name, entry, problem: { code: 'locked', message: 'The file is encrypted.' } };
    }
    const { text } = await decodeDocument(name.variant, await bytes(), keys, this.maxBytes);
    return readStored({ ...name, entry }, stateText(text));
  };

  readonly failed = (entry: FileEntry, error: InspectorError): StoredFile => ({
    ...nameOf(entry),
    entry,
    problem: problemOf(error, ['too_large', 'wrong_key']),
  });
}

/** The state is the document without the line end that Kaizen puts behind it. */
export function stateText(document: string): string {
  return document.endsWith('\n') ? document.slice(0, -1) : document;
}

function nameOf({ name }: Pick<FileEntry, 'name'>): FileName {
  return parseFileName(name) ?? { name, id: name, variant: 'plain' };
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
  return { code, message: `The decrypted document isn't a complete checkpoint${where}.` };
}

/** The layout does not bind a file to its name, so an exchanged file opens well: only its id tells. */
function foreignProblem(name: FileName, facts: Facts | undefined): Problem | undefined {
  if (facts?.checkpointId === name.id) return undefined;
  return { code: 'unreadable', message: `${name.name} contains a different checkpoint: it was renamed or swapped.` };
}

/** An offset means the stored bytes; inside inflated text there is none to name, so the words say it. */
function withoutOffset({ code, message, offset }: Problem): Problem {
  return { code, message: offset === undefined ? message : `${message} (byte ${offset} of the inflated document)` };
}
