import { errnoOf, fileEntries, fileError, fileStamp, type FileEntry } from '@checkpoint-inspector/io';
import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogFile, LogOptions, LogRules } from './contract.ts';

/** A folder's names are read again while its time is so new that the disk's clock may hide a second change. */
const FRESH_MS = 100;
const MAX_DEPTH = 12;

interface Folder {
  readonly mtimeNs: bigint;
  readonly files: readonly string[];
  readonly folders: readonly string[];
  readonly readAt: number;
}

/** All logs, and the folders that were looked into for them. */
export interface LogListing {
  readonly files: readonly LogFile[];
  readonly folders: ReadonlyMap<string, Folder>;
}

interface Collected {
  readonly files: LogFile[];
  readonly folders: Map<string, Folder>;
}

/** Whether a folder still has the names that were read, by its time now. */
const isCurrent = ({ mtimeNs, readAt }: Folder, now: bigint | undefined): boolean =>
  mtimeNs === now && readAt - Number(mtimeNs / 1_000_000n) > FRESH_MS;

/** The logs below a root. Names of a folder that wasn't written to since are not read again. Below the root, links are not followed. */
export class LogTree {
  readonly #root: string;
  readonly #rules: Pick<LogRules, 'accepts' | 'enters'>;
  readonly #folders = new Map<string, Folder>();
  readonly #onLook: LogOptions['onLook'];

  constructor({ root, onLook }: LogOptions, rules: Pick<LogRules, 'accepts' | 'enters'>) {
    this.#root = root;
    this.#rules = rules;
    this.#onLook = onLook;
  }

  /** By name. @throws InspectorError not_found | unreadable for the root; other folders that can't be read are left out */
  async list(signal?: AbortSignal): Promise<LogListing> {
    const into: Collected = { files: [], folders: new Map() };
    await this.#collect('', 0, into, signal);
    return { ...into, files: into.files.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
  }

  /** Whether no log came or went since they were listed, and these are as they were then. */
  async isSame({ folders }: LogListing, files: readonly LogFile[]): Promise<boolean> {
    const names = [...folders.keys(), ...files.map(({ name }) => name)];
    // What can't be looked at is not the same; listing all again says what is wrong.
    const entries = await this.#look(names).catch(() => []);
    const now = new Map(entries.map((entry) => [entry.name, entry]));
    const isSameFile = ({ name, entry }: LogFile): boolean => {
      const found = now.get(name);
      return found !== undefined && fileStamp(found) === fileStamp(entry);
    };
    const isSameFolder = ([name, folder]: [string, Folder]): boolean => isCurrent(folder, now.get(name)?.mtimeNs);
    return [...folders].every(isSameFolder) && files.every(isSameFile);
  }

  async #collect(name: string, depth: number, into: Collected, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const folder = await this.#folder(name);
    if (!folder) return;
    into.folders.set(name, folder);
    for (const entry of await this.#look(folder.files)) {
      if (entry.file) into.files.push({ path: join(this.#root, entry.name), name: entry.name, entry });
    }
    if (depth === MAX_DEPTH) return;
    for (const inside of folder.folders) await this.#collect(inside, depth + 1, into, signal);
  }

  #look(names: readonly string[]): Promise<FileEntry[]> {
    this.#onLook?.(names.length);
    return fileEntries(this.#root, names);
  }

  async #folder(name: string): Promise<Folder | undefined> {
    const path = join(this.#root, name);
    try {
      // A root that is a link has the time of the folder that it names.
      const { mtimeNs } = await (name === '' ? stat : lstat)(path, { bigint: true });
      const known = this.#folders.get(name);
      if (known && isCurrent(known, mtimeNs)) return known;
      const readAt = Date.now();
      const entries = await readdir(path, { withFileTypes: true });
      const inside = (one: string): string => (name === '' ? one : `${name}/${one}`);
      const files = entries.filter((one) => one.isFile()).map((one) => inside(one.name));
      const folders = entries.filter((one) => one.isDirectory()).map((one) => inside(one.name));
      const folder = {
        mtimeNs,
        readAt,
        files: files.filter((one) => this.#rules.accepts(one)).toSorted(),
        folders: folders.filter((one) => this.#rules.enters(one)).toSorted(),
      };
      this.#folders.set(name, folder);
      return folder;
    } catch (cause) {
      this.#folders.delete(name);
      if (name === '' || !['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(errnoOf(cause) ?? '')) {
        throw fileError(cause, path);
      }
      return undefined;
    }
  }
}
