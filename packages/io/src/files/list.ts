import { lstatSync, realpathSync, type BigIntStats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { errnoOf, fileError } from './errors.ts';

/** One entry of a folder as it is there; links are not followed. */
export interface FileEntry {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly mtimeMs: number;
  readonly mtimeNs: bigint;
  readonly ino: bigint;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly link: boolean;
  /** A regular file. */
  readonly file: boolean;
}

const AT_ONCE = 128;
/** The thread is held no longer than this by looks at a local disk. */
const SLICE_MS = 8;
/** A disk that takes longer for a look, in milliseconds, is not waited for by the thread. */
const SLOW_MS = 0.2;
/** After so many looks through the pool it is tried again: the machine may have been busy, not the disk. */
const POOLED = 1_024;

/** By name; entries that vanish meanwhile are left out. @throws InspectorError not_found | unreadable */
export async function listFolder(path: string): Promise<readonly FileEntry[]> {
  const names = await readdir(path).catch((cause: unknown) => {
    throw fileError(cause, path);
  });
  return fileEntries(path, names.toSorted());
}

/** These entries of a folder in the same order, without those that are missing. @throws InspectorError unreadable */
export async function fileEntries(folder: string, names: readonly string[]): Promise<FileEntry[]> {
  const entries: FileEntry[] = [];
  let at = 0;
  while (at < names.length) {
    // On a local disk a look costs a fifth of one that goes through the pool of threads.
    const [began, first] = [performance.now(), at];
    while (at < names.length && performance.now() - began < SLICE_MS) add(entries, entryNow(folder, names[at++] ?? ''));
    const isSlow = (performance.now() - began) / (at - first) > SLOW_MS;
    if (at < names.length) await turn();
    for (const end = isSlow ? Math.min(at + POOLED, names.length) : at; at < end; at += AT_ONCE) {
      const some = names.slice(at, Math.min(at + AT_ONCE, end)).map((name) => fileEntry(folder, name));
      for (const entry of await Promise.all(some)) add(entries, entry);
    }
  }
  return entries;
}

function add(entries: FileEntry[], entry: FileEntry | undefined): void {
  if (entry) entries.push(entry);
}

/** One entry of a folder; `undefined` if it is missing. @throws InspectorError unreadable */
export async function fileEntry(folder: string, name: string): Promise<FileEntry | undefined> {
  try {
    return entryOf(name, await lstat(join(folder, name), { bigint: true }));
  } catch (cause) {
    return missing(cause, folder, name);
  }
}

function entryNow(folder: string, name: string): FileEntry | undefined {
  try {
    // Both parts are whole: to join them in every respect takes as long as half of the look.
    const stat = lstatSync(folder + sep + name, { bigint: true, throwIfNoEntry: false });
    return stat && entryOf(name, stat);
  } catch (cause) {
    return missing(cause, folder, name);
  }
}

function missing(cause: unknown, folder: string, name: string): undefined {
  if (errnoOf(cause) !== 'ENOENT') throw fileError(cause, join(folder, name));
}

function entryOf(name: string, stat: BigIntStats): FileEntry {
  return {
    name,
    size: Number(stat.size),
    mtimeMs: Number(stat.mtimeMs),
    mtimeNs: stat.mtimeNs,
    ino: stat.ino,
    mode: Number(stat.mode),
    uid: Number(stat.uid),
    gid: Number(stat.gid),
    link: stat.isSymbolicLink(),
    file: stat.isFile(),
  };
}

/** Equal as long as nothing was written to the file: name, size, time to the nanosecond, inode. */
export function fileStamp(entry: FileEntry): string {
  return `${entry.name}\0${entry.size}\0${entry.mtimeNs}\0${entry.ino}`;
}

/** The real path of a file or folder: the same however it was named. A path that is gone stays as it is. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
