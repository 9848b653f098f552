import { InspectorError, leadingTexts } from '@checkpoint-inspector/core';
import {
  atomicWrite,
  decodeUtf8,
  fileError,
  fileStamp,
  listFolder,
  MAX_FILE_BYTES,
  readBounded,
  readHead,
  SaverTemps,
  type FileEntry,
} from '@checkpoint-inspector/io';
import { mkdir, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CheckpointStorageError, CorruptCheckpointError, InvalidCheckpointError } from './errors.ts';
import { assertFits } from './limits.ts';
import { deserializeCheckpoint } from './serialize.ts';
import { storedText, type CheckpointStorage } from './storage.ts';
import type { WorkflowCheckpoint } from './types.ts';

const MAX_NAME_BYTES = 255;
const ENDING = '.json';
/** Ids and time are the first members of what is saved here. */
const HEAD_BYTES = 4096;
/** What no disk takes, or some take for another name: separators, control characters, a dot in front or at the end. */
const UNSAFE = /[/\\<>:"|?*\p{Cc}]|^\.|[. ]$|^ |^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/iu;

/** @example new FileCheckpointStorage('./checkpoints', { maxBytes: 32 * 1024 * 1024 }); */
export interface FileStorageOptions {
  /** Most bytes of a checkpoint, for saving and for loading; default 256 MiB. The inspector reads up to 32 MiB. */
  maxBytes?: number;
}

interface Listed {
  readonly workflowId: string;
  readonly time: number;
}

/**
 * Checkpoints in a folder, one `<id>.json` each, readable with any editor. A file is there whole or not at all, and
 * durable when `saveCheckpoint` resolves; its mode is 0600. Ids must be file names on every system.
 * @example const storage = new FileCheckpointStorage('./checkpoints');
 */
export class FileCheckpointStorage implements CheckpointStorage {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #temps: SaverTemps;
  readonly #queues = new Map<string, Promise<void>>();
  #listed = new Map<string, Listed | undefined>();

  /** The folder is made with the first save. */
  constructor(folder: string, options: FileStorageOptions = {}) {
    this.#folder = resolve(folder);
    this.#maxBytes = options.maxBytes ?? MAX_FILE_BYTES;
    this.#temps = new SaverTemps(this.#folder, '.checkpoint-inspector-save-');
  }

  async saveCheckpoint(checkpointId: string, checkpoint: WorkflowCheckpoint): Promise<void> {
    const name = fileName(checkpointId);
    // Written out now: the workflow may change the checkpoint while an earlier save is under way.
    const text = storedText(checkpointId, checkpoint);
    assertFits(text, this.#maxBytes);
    await this.#inTurn(name, () => this.#replace(name, Buffer.from(text)));
  }

  async loadCheckpoint(checkpointId: string): Promise<WorkflowCheckpoint | null> {
    const name = fileName(checkpointId);
    const text = await this.#read(name);
    if (text === undefined) return null;
    return { ...deserializeCheckpoint(text), checkpointId };
  }

  /**
   * Files that have no checkpoint are passed over; `loadCheckpoint` tells what is wrong with one. A checkpoint that is
   * too large to load is listed all the same: an older one must not pass for the newest.
   */
  async listCheckpoints(workflowId: string): Promise<string[]> {
    const entries = await listFolder(this.#folder).catch((cause: unknown) => {
      if (InspectorError.from(cause).code === 'not_found') return [];
      throw new CheckpointStorageError(cause);
    });
    const files = entries.filter(({ file, name }) => file && name.endsWith(ENDING));
    const known = new Map<string, Listed | undefined>();
    const found: { readonly entry: FileEntry; readonly time: number }[] = [];
    for (const entry of files) {
      const stamp = fileStamp(entry);
      const listed = this.#listed.has(stamp) ? this.#listed.get(stamp) : await this.#look(entry.name);
      known.set(stamp, listed);
      if (listed?.workflowId === workflowId) found.push({ entry, time: listed.time });
    }
    this.#listed = known;
    found.sort((a, b) => b.time - a.time || Number(b.entry.mtimeNs - a.entry.mtimeNs));
    return found.map(({ entry }) => entry.name.slice(0, -ENDING.length));
  }

  async deleteCheckpoint(checkpointId: string): Promise<void> {
    const name = fileName(checkpointId);
    await this.#inTurn(name, async () => {
      try {
        await unlink(join(this.#folder, name));
      } catch (cause) {
        const error = fileError(cause, name);
        if (error.code !== 'not_found') throw new CheckpointStorageError(error);
      }
    });
  }

  /** Changes of one id happen one after the other, in the order of the calls. */
  async #inTurn(name: string, work: () => Promise<void>): Promise<void> {
    const before = this.#queues.get(name) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#queues.set(name, turn);
    try {
      await turn;
    } finally {
      if (this.#queues.get(name) === turn) this.#queues.delete(name);
    }
  }

  async #replace(name: string, bytes: Uint8Array): Promise<void> {
    try {
      await mkdir(this.#folder, { recursive: true });
      await atomicWrite(this.#folder, name, bytes, { replace: true, temp: this.#temps.name() });
      await this.#temps.sweep();
    } catch (cause) {
      throw new CheckpointStorageError(fileError(cause, name));
    }
  }

  async #read(name: string): Promise<string | undefined> {
    try {
      return decodeUtf8(await readBounded(join(this.#folder, name), { maxBytes: this.#maxBytes }));
    } catch (cause) {
      const error = InspectorError.from(cause);
      if (error.code === 'not_found') return undefined;
      if (error.code === 'too_large') throw new CheckpointStorageError(error);
      const { message, data } = error;
      throw new CorruptCheckpointError(message, { cause, ...(data ? { data } : {}) });
    }
  }

  async #look(name: string): Promise<Listed | undefined> {
    try {
      const text = await this.#read(name);
      if (text === undefined) return undefined;
      const { workflowId, timestamp } = deserializeCheckpoint(text);
      return { workflowId, time: timestamp.getTime() };
    } catch (cause) {
      return InspectorError.from(cause).code === 'too_large' ? this.#lookAtHead(name) : undefined;
    }
  }

  async #lookAtHead(name: string): Promise<Listed | undefined> {
    const head = await readHead(join(this.#folder, name), HEAD_BYTES).catch(() => new Uint8Array());
    const texts = leadingTexts(new TextDecoder().decode(head));
    const [workflowId, time] = [texts.get('workflowId'), Date.parse(texts.get('timestamp') ?? '')];
    return workflowId === undefined || Number.isNaN(time) ? undefined : { workflowId, time };
  }
}

/** @throws InvalidCheckpointError */
function fileName(checkpointId: string): string {
  const name = checkpointId + ENDING;
  const fits = checkpointId !== '' && checkpointId.isWellFormed() && Buffer.byteLength(name) <= MAX_NAME_BYTES;
  if (fits && checkpointId.normalize() === checkpointId && !UNSAFE.test(checkpointId)) return name;
  throw new InvalidCheckpointError(`${JSON.stringify(checkpointId.slice(0, 80))} can't be used as a file name.`, {
    checkpointId,
  });
}
