/**
 * The databases that this thread has open, by device and inode. On POSIX, closing any descriptor of a file drops every
 * lock that the process holds on it; another process may then remove the log under SQLite's readers. So nothing but
 * SQLite opens a database, and whoever reads files by their names asks here before it closes one.
 * Source: https://www.sqlite.org/howtocorrupt.html, section 2.2.
 */
import { statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { DriverDatabase } from './driver.ts';

interface Inode {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** Weak, because a connection that nobody holds any longer is closed by the driver. */
const connections = new Map<string, WeakRef<DriverDatabase>[]>();
/** Descriptors of open databases that somebody opened by another name: closing one would do the harm. */
const kept = new Set<FileHandle>();

const keyOf = ({ dev, ino }: Inode): string => `${dev}:${ino}`;

function openOnes(key: string): WeakRef<DriverDatabase>[] {
  const open = (connections.get(key) ?? []).filter((one) => one.deref()?.open);
  if (open.length > 0) connections.set(key, open);
  else connections.delete(key);
  return open;
}

export function noteConnection(path: string, database: DriverDatabase): void {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return;
  const key = keyOf(stat);
  connections.set(key, [...openOnes(key), new WeakRef(database)]);
}

export function isOpenDatabase(inode: Inode): boolean {
  return openOnes(keyOf(inode)).length > 0;
}

/** Closes a file that was read, unless it is a database in use: its descriptor is kept for good. */
export async function closeUnlessDatabase(file: FileHandle, inode: Inode | undefined): Promise<void> {
  if (inode === undefined || !isOpenDatabase(inode)) return file.close();
  kept.add(file);
}
