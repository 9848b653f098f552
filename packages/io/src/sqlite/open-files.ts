/**
 * The databases that this thread has open, by device and inode. On POSIX, closing any descriptor of a file drops every
 * lock that the process holds on it; another process may then remove the log under SQLite's readers. So nothing but
 * SQLite opens a database, and whoever reads files by their names asks here before it closes one.
 * Source: https://www.sqlite.org/howtocorrupt.html, section 2.2.
 */
import { statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

interface Inode {
  readonly dev: bigint;
  readonly ino: bigint;
}

const connections = new Map<string, number>();
/** Descriptors of open databases that somebody opened by another name: closing one would do the harm. */
const kept = new Set<FileHandle>();

const keyOf = ({ dev, ino }: Inode): string => `${dev}:${ino}`;

/** Counts a connection; call the result when it is closed. */
export function countConnection(path: string): () => void {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return () => undefined;
  const key = keyOf(stat);
  connections.set(key, (connections.get(key) ?? 0) + 1);
  return () => {
    const left = (connections.get(key) ?? 1) - 1;
    if (left > 0) connections.set(key, left);
    else connections.delete(key);
  };
}

export function isOpenDatabase(inode: Inode): boolean {
  return connections.has(keyOf(inode));
}

/** Closes a file that was read, unless it is a database in use: its descriptor is kept for good. */
export async function closeUnlessDatabase(file: FileHandle, inode: Inode | undefined): Promise<void> {
  if (inode === undefined || !isOpenDatabase(inode)) return file.close();
  kept.add(file);
}
