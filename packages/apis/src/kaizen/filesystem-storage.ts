import { InspectorError } from '@checkpoint-inspector/core';
import { atomicWrite, fileError, FolderIndex, readBounded, SaverTemps } from '@checkpoint-inspector/io';
import type { KeyObject } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readdir, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  assertNotBlank,
  decodeDocument,
  encodeDocument,
  isEncrypted,
  isSafeId,
  kaizenFileName,
  KaizenReader,
  keyOfPassphrase,
  MAX_DOCUMENT_BYTES,
  namesOfId,
  parseFileName,
  rawKey,
  stateText,
  type StoredFile,
  type Variant,
} from '@checkpoint-inspector/systems/kaizen';
import { pythonJson } from './python-json.ts';
import { AgentState } from './agent-state.ts';
import { CheckpointMetadata, newestFirst } from './checkpoint-metadata.ts';
import type { StorageBackend } from './storage-backend.ts';
import { metadataOf, refuseIfLocked, refuseIfNewer, stateIn } from './stored.ts';

/** Where a `FilesystemStorage` keeps its files, and in which form. */
export interface FilesystemStorageOptions {
  /** Default `.kaizen/checkpoints`; created where it is missing. */
  readonly baseDir?: string;
  /** Gzip what is saved. Default false. */
  readonly compress?: boolean;
  /** AES-256-GCM what is saved. Default false. */
  readonly encrypt?: boolean;
  /** A passphrase, or a key of exactly 32 bytes. Also opens encrypted files where `encrypt` is off. */
  readonly encryptionKey?: string | Uint8Array;
}

/** Replaced in tests only. */
export interface StorageParts {
  readonly nonce?: () => Uint8Array;
  readonly write?: typeof atomicWrite;
  /** Most bytes of a document, for saving and for loading. */
  readonly maxBytes?: number;
}

/** A file that a list had to leave out. */
export interface ListProblem {
  readonly name: string;
  readonly message: string;
}

/** Kaizen's own temporary files begin with `tmp` too: everything that lists the folder leaves them out. */
const TEMP_START = 'tmp-checkpoint-inspector-';
/** Kaizen 2.46 refuses shorter passphrases; older versions took any. */
const KAIZEN_PASSPHRASE_LENGTH = 32;

/**
 * Checkpoints as files of one folder, as Kaizen writes them
 * (`kaizen.core.autonomy.state.storage.FilesystemStorage`): `.jsonl`, `.jsonl.gz`, `.enc.jsonl`, `.enc.gz.jsonl`.
 * @example new FilesystemStorage({ baseDir: './checkpoints', compress: true, encrypt: true, encryptionKey: passphrase })
 */
export class FilesystemStorage implements StorageBackend {
  readonly baseDir: string;
  readonly compress: boolean;
  readonly encrypt: boolean;
  /** What Kaizen itself will not do with these files. */
  readonly notes: readonly string[];
  readonly #folder: string;
  readonly #parts: StorageParts;
  readonly #reader: KaizenReader;
  readonly #index: FolderIndex<StoredFile>;
  readonly #temps: SaverTemps;
  readonly #maxBytes: number;
  readonly #key: () => Promise<KeyObject | undefined>;
  #opened: Promise<void> | undefined;
  #work: Promise<unknown> = Promise.resolve();
  #problems: readonly ListProblem[] = [];

  /** @throws InspectorError invalid_input: `encrypt` without a key, a blank passphrase, raw bytes that are not 32 */
  constructor(options: FilesystemStorageOptions = {}, parts: StorageParts = {}) {
    const { baseDir = '.kaizen/checkpoints', compress = false, encrypt = false, encryptionKey } = options;
    if (encrypt && encryptionKey === undefined) {
      throw new InspectorError('invalid_input', 'encrypt requires an encryptionKey.');
    }
    this.#key = keyOnDemand(encryptionKey);
    this.baseDir = baseDir;
    this.compress = compress;
    this.encrypt = encrypt;
    this.notes = notesOf(encrypt, encryptionKey);
    this.#folder = resolve(baseDir);
    this.#parts = parts;
    this.#maxBytes = parts.maxBytes ?? MAX_DOCUMENT_BYTES;
    this.#reader = new KaizenReader(this.#maxBytes);
    this.#index = new FolderIndex(this.#folder, this.#reader);
    this.#temps = new SaverTemps(this.#folder, TEMP_START);
    try {
      mkdirSync(this.#folder, { recursive: true });
    } catch (cause) {
      throw fileError(cause, this.#folder);
    }
  }

  /** Files that the last list left out, and why. */
  get listProblems(): readonly ListProblem[] {
    return this.#problems;
  }

  /**
   * Writes the state whole and durably, or not at all; saves are done in the order of their calls. The same id again
   * replaces the file, also one of another variant.
   * @throws InspectorError invalid_input (an id that is not a file name, data that could not be loaded again) | too_large
   * (over 32 MiB, which `load` would refuse) | disk_full | unsupported
   */
  async save(state: AgentState): Promise<string> {
    const { checkpointId } = state;
    if (!isSafeId(checkpointId)) {
      throw new InspectorError('invalid_input', "The checkpoint id can't be used as a file name.", {
        data: { checkpointId },
        remedy: 'Use up to 120 letters, digits, "_", "-" and "." in the id.',
      });
    }
    // Now, not when it is this save's turn: the agent continues changing its state.
    const dict = state.toDict();
    AgentState.fromDict(dict); // What `load` would refuse is refused here.
    const text = `${pythonJson(dict)}\n`;
    await this.#inTurn(() => this.#write(checkpointId, text));
    return checkpointId;
  }

  /**
   * Reads any of the names that Kaizen or its document gives to files of this id, in the order of Kaizen's loader.
   * @throws InspectorError not_found | unreadable | too_large | locked (no key given) | wrong_key
   */
  async load(checkpointId: string): Promise<AgentState> {
    const name = (await this.#namesOf(checkpointId))[0];
    const variant = name === undefined ? undefined : parseFileName(name)?.variant;
    if (name === undefined || variant === undefined) throw notFound(checkpointId);
    const bytes = await readBounded(join(this.#folder, name), { maxBytes: this.#maxBytes });
    const { text } = await decodeDocument(variant, bytes, await this.#keys(), this.#maxBytes);
    const state = stateIn(stateText(text), name, variant);
    if (!isEncrypted(variant) || state.checkpointId === checkpointId) return state;
    throw new InspectorError('unreadable', `${name} contains a different checkpoint: it was renamed or swapped.`);
  }

  /**
   * Newest first, encrypted ones too; what cannot be read is left out and is in `listProblems`.
   * @throws InspectorError locked | wrong_key where nothing can be read for want of the key: an empty list would make
   * an agent start afresh
   */
  async listCheckpoints(agentId?: string): Promise<CheckpointMetadata[]> {
    this.#opened ??= this.#keys().then((keys) => this.#reader.useKeys(keys));
    await this.#opened;
    const { files } = await this.#inTurn(() => this.#index.read());
    const names = new Set(files.map((file) => file.name));
    const problems: ListProblem[] = [];
    const items: CheckpointMetadata[] = [];
    for (const file of files) {
      // Of several files with one id only the one that `load` opens counts.
      if (namesOfId(file.id).find((name) => names.has(name)) !== file.name) continue;
      const item = metadataOf(file);
      if (item instanceof CheckpointMetadata) items.push(item);
      else problems.push({ name: file.name, message: item });
    }
    this.#problems = problems;
    if (items.length === 0) refuseIfLocked(files);
    return newestFirst(items.filter((item) => agentId === undefined || item.agentId === agentId));
  }

  /** @throws InspectorError too_large where a file of the agent that may be newer than `latest` is too large to read */
  async assertLatest(agentId: string, latest: CheckpointMetadata | undefined): Promise<void> {
    const { files } = await this.#inTurn(() => this.#index.read());
    await refuseIfNewer(this.#folder, files, agentId, latest);
  }

  /** Removes the checkpoint's files for good. @throws InspectorError not_found | unreadable (not permitted) */
  async delete(checkpointId: string): Promise<void> {
    const names = await this.#namesOf(checkpointId);
    if (names.length === 0) throw notFound(checkpointId);
    await this.#remove(names);
  }

  async exists(checkpointId: string): Promise<boolean> {
    return (await this.#namesOf(checkpointId)).length > 0;
  }

  async #write(checkpointId: string, text: string): Promise<void> {
    const variant = this.#variant();
    const key = this.encrypt ? await this.#key() : undefined;
    const bytes = await encodeDocument(variant, text, key, {
      nonce: this.#parts.nonce?.(),
      maxBytes: this.#maxBytes,
    });
    const name = kaizenFileName(checkpointId, variant);
    const write = this.#parts.write ?? atomicWrite;
    await write(this.#folder, name, bytes, { replace: true, temp: this.#temps.name() });
    // An older file of another variant would be loaded instead of this one.
    await this.#remove((await this.#namesOf(checkpointId)).filter((other) => other !== name));
    await this.#temps.sweep();
  }

  #variant(): Variant {
    if (this.encrypt) return this.compress ? 'enc-gz' : 'enc';
    return this.compress ? 'gz' : 'plain';
  }

  /** Looked up in the folder's own list, so an id can never lead out of it. */
  async #namesOf(checkpointId: string): Promise<readonly string[]> {
    const names = await readdir(this.#folder).catch((cause: unknown) => {
      throw fileError(cause, this.#folder);
    });
    const stored = new Set(names.filter((name) => parseFileName(name)?.id === checkpointId));
    return namesOfId(checkpointId).filter((name) => stored.has(name));
  }

  async #remove(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const path = join(this.#folder, name);
      await unlink(path).catch((cause: unknown) => {
        throw fileError(cause, path);
      });
    }
  }

  async #keys(): Promise<readonly KeyObject[]> {
    const key = await this.#key();
    return key ? [key] : [];
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => undefined);
    return done;
  }
}

function keyOnDemand(given: string | Uint8Array | undefined): () => Promise<KeyObject | undefined> {
  if (given === undefined) return async () => undefined;
  if (typeof given !== 'string') {
    const key = rawKey(given);
    return async () => key;
  }
  assertNotBlank(given);
  return () => keyOfPassphrase(given);
}

function notesOf(encrypt: boolean, key: string | Uint8Array | undefined): string[] {
  if (!encrypt) return [];
  const notes = ['Kaizen itself never lists, resumes or removes encrypted files; it only loads them by id.'];
  if (typeof key === 'string' && key.replaceAll(/\s/g, '').length < KAIZEN_PASSPHRASE_LENGTH) {
    notes.push(
      `Kaizen 2.46 and later require a passphrase of at least ${KAIZEN_PASSPHRASE_LENGTH} characters that are not blank.`,
    );
  }
  return notes;
}

function notFound(checkpointId: string): InspectorError {
  return new InspectorError('not_found', `There is no checkpoint "${checkpointId}".`, { data: { checkpointId } });
}
