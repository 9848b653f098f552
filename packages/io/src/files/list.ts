import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { realpathSync } from 'node:fs';
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

/** By name; entries that vanish meanwhile are left out. @throws InspectorError not_found | unreadable */
export async function listFolder(path: string): Promise<readonly FileEntry[]> {
  const names = await readdir(path).catch((cause: unknown) => {
    throw fileError(cause, path);
  });
  names.sort();
  const entries: FileEntry[] = [];
  for (let from = 0; from < names.length; from += AT_ONCE) {
    const some = await Promise.all(names.slice(from, from + AT_ONCE).map((name) => fileEntry(path, name)));
    for (const entry of some) if (entry) entries.push(entry);
  }
  return entries;
}

/** One entry of a folder; `undefined` if it is missing. @throws InspectorError unreadable */
export async function fileEntry(folder: string, name: string): Promise<FileEntry | undefined> {
  try {
    const stat = await lstat(join(folder, name), { bigint: true });
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
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return undefined;
    throw fileError(cause, join(folder, name));
  }
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
