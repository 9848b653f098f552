/** Gives the pages that deleted rows have left back to the disk. */
import { accessSync, constants, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname } from 'node:path';
import { InspectorError } from '@checkpoint-inspector/core';
import { emptyLog, lookInto, openSqlite, type SqliteDatabase } from './open.ts';
import { isWritable } from './source.ts';

/** What a database takes up on the disk. */
export interface DiskUse {
  /** The file and its log. */
  readonly bytes: number;
  /** Of it: pages that hold nothing. */
  readonly freeBytes: number;
  /** Pages of the database, empty ones included; its log may hold some of them. */
  readonly pageBytes: number;
}

export interface Reclaimed {
  /** Bytes of the file and its log. */
  readonly before: number;
  readonly after: number;
  /** Someone began to read meanwhile: the log goes when they have ended. */
  readonly isLogKept: boolean;
}

interface ReclaimOptions {
  /** Free bytes of the disk that a folder is on; for tests. */
  readonly freeSpace?: (folder: string) => Promise<number>;
  /** Default: that of any writer. */
  readonly busyTimeoutMs?: number;
}

/** Reads only. @throws InspectorError unsupported, for anything but a SQLite database | as `openSqlite` */
export function diskUse(path: string): DiskUse {
  const use = lookInto(path, (database) => {
    const pageSize = Number(database.pragma('page_size'));
    return {
      bytes: bytesOnDisk(path),
      freeBytes: pageSize * Number(database.pragma('freelist_count')),
      pageBytes: pageSize * Number(database.pragma('page_count')),
    };
  });
  if (use !== undefined) return use;
  throw new InspectorError('unsupported', `${basename(path)} isn't a SQLite database.`, { data: { path } });
}

/**
 * Rewrites the database without its empty pages (VACUUM), then empties its log. The rows stay as they are; rowids of
 * tables without an integer key may change. It can't be undone, so callers ask first.
 * @throws InspectorError read_only | busy | disk_full | unsupported: nothing was changed
 * @example const { before, after } = await reclaimSqlite('/data/checkpoints.sqlite');
 */
export async function reclaimSqlite(path: string, options: ReclaimOptions = {}): Promise<Reclaimed> {
  const { pageBytes, freeBytes } = diskUse(path);
  assertWritable(path);
  await assertSpace(path, { log: pageBytes, copy: pageBytes - freeBytes }, options.freeSpace ?? freeSpaceOf);
  const before = bytesOnDisk(path);
  const { busyTimeoutMs } = options;
  const database = openSqlite(path, { readOnly: false, ...(busyTimeoutMs === undefined ? {} : { busyTimeoutMs }) });
  let isLogKept: boolean;
  try {
    // Blocked by whoever reads or writes just now: then nothing is begun.
    if (!emptyLog(database, Number(database.pragma('busy_timeout')))) throw busy(path);
    rewrite(database, path);
    isLogKept = !emptyLog(database);
  } finally {
    database.close();
  }
  return { before, after: bytesOnDisk(path), isLogKept };
}

function rewrite(database: SqliteDatabase, path: string): void {
  database.pragma('synchronous = FULL');
  // A copy of a large database has no place in memory.
  database.pragma('temp_store = FILE');
  try {
    database.exec('VACUUM');
  } catch (error) {
    if (!InspectorError.is(error) || error.code !== 'internal') throw error;
    // It needs something of the program that made it, such as a function in an index.
    throw new InspectorError('unsupported', `${basename(path)} can't be rewritten here. ${error.message}`, {
      cause: error,
      data: { path },
    });
  }
}

function assertWritable(path: string): void {
  if (isWritable(path) && isWritable(dirname(path))) return;
  throw new InspectorError('read_only', `This user doesn't have permission to write to ${basename(path)}.`, {
    remedy: 'Run this as a user who may write to the file and its folder.',
    data: { path },
  });
}

const busy = (path: string): InspectorError =>
  new InspectorError('busy', `Another process is using ${basename(path)}. Nothing was rewritten.`, { data: { path } });

/** The new copy is made in SQLite's folder for temporary files, then it goes through the log beside the database. */
async function assertSpace(
  path: string,
  needed: { readonly log: number; readonly copy: number },
  freeSpace: (folder: string) => Promise<number>,
): Promise<void> {
  const [beside, temporary] = [dirname(path), temporaryFolder()];
  const isSameDisk = statSync(beside).dev === statSync(temporary).dev;
  const places = isSameDisk
    ? [{ folder: beside, bytes: needed.log + needed.copy }]
    : [
        { folder: beside, bytes: needed.log },
        { folder: temporary, bytes: needed.copy },
      ];
  for (const { folder, bytes } of places) {
    const free = await freeSpace(folder);
    if (free >= bytes) continue;
    const words = `${bytes.toLocaleString('en')} bytes are needed in ${folder}, ${free.toLocaleString('en')} are free`;
    throw new InspectorError('disk_full', `There isn't enough space for a copy: ${words}. Nothing was changed.`, {
      data: { path, folder, needed: bytes, free },
    });
  }
}

async function freeSpaceOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** As SQLite itself chooses it. Source: https://www.sqlite.org/tempfiles.html, section 5. */
function temporaryFolder(): string {
  if (process.platform === 'win32') return tmpdir();
  const { SQLITE_TMPDIR = '', TMPDIR = '' } = process.env;
  const folders = [SQLITE_TMPDIR, TMPDIR, '/var/tmp', '/usr/tmp', '/tmp'];
  return folders.find((folder) => folder !== '' && isUsable(folder)) ?? tmpdir();
}

function isUsable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}

/** Asked of the file system alone: a database is opened by nothing but SQLite. */
function bytesOnDisk(path: string): number {
  const sizeOf = (side: string): number => statSync(path + side, { throwIfNoEntry: false })?.size ?? 0;
  return sizeOf('') + sizeOf('-wal');
}
