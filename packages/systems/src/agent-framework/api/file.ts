import { InspectorError } from '@checkpoint-inspector/core';
import { atomicWrite, fileError, fileStamp, listFolder, readBounded, type FileEntry } from '@checkpoint-inspector/io';
import { mkdir, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { decode } from '../files.ts';
import { CheckpointStorageError, CorruptCheckpointError, InvalidCheckpointError } from './errors.ts';
import { deserializeCheckpoint } from './serialize.ts';
import { storedText, type CheckpointStorage } from './storage.ts';
import type { WorkflowCheckpoint } from './types.ts';

const MAX_NAME_BYTES = 255;
const ENDING = '.json';
/** What no disk takes, or some take for another name: separators, control characters, a dot in front or at the end. */
const UNSAFE = /[/\\<>:"|?*\p{Cc}]|^\.|[. ]$|^ |^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/iu;

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
  readonly #queues = new Map<string, Promise<void>>();
  #listed = new Map<string, Listed | undefined>();

  /** The folder is made with the first save. */
  constructor(folder: string) {
    this.#folder = resolve(folder);
  }

  async saveCheckpoint(checkpointId: string, checkpoint: WorkflowCheckpoint): Promise<void> {
    const name = fileName(checkpointId);
    // Written out now: the workflow may change the checkpoint while an earlier save is under way.
    const text = storedText(checkpointId, checkpoint);
    await this.#inTurn(name, () => this.#replace(name, Buffer.from(text)));
  }

  async loadCheckpoint(checkpointId: string): Promise<WorkflowCheckpoint | null> {
    const name = fileName(checkpointId);
    const text = await this.#read(name);
    if (text === undefined) return null;
    return { ...deserializeCheckpoint(text), checkpointId };
  }

  /** Files that hold no checkpoint are passed over; `loadCheckpoint` tells what is wrong with one. */
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
      await atomicWrite(this.#folder, name, bytes, { replace: true });
    } catch (cause) {
      throw new CheckpointStorageError(fileError(cause, name));
    }
  }

  async #read(name: string): Promise<string | undefined> {
    try {
      return decode(await readBounded(join(this.#folder, name)));
    } catch (cause) {
      const error = InspectorError.from(cause);
      if (error.code === 'not_found') return undefined;
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
    } catch {
      return undefined;
    }
  }
}

/** @throws InvalidCheckpointError */
function fileName(checkpointId: string): string {
  const name = checkpointId + ENDING;
  const fits = checkpointId !== '' && checkpointId.isWellFormed() && Buffer.byteLength(name) <= MAX_NAME_BYTES;
  if (fits && checkpointId.normalize() === checkpointId && !UNSAFE.test(checkpointId)) return name;
  throw new InvalidCheckpointError(`${JSON.stringify(checkpointId.slice(0, 80))} cannot be a file name.`, {
    checkpointId,
  });
}
