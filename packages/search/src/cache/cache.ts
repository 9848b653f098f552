import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { InspectorError } from '@checkpoint-inspector/core';
import type { SqliteDatabase } from '@checkpoint-inspector/io';
import { find } from '../find/find.ts';
import { STATE, openCacheFile, openMemoryCache, removeCacheFile } from './schema.ts';
import { createParts, createStoreIndex } from './store-index.ts';
import type { SearchCache } from './types.ts';

export interface CacheOptions {
  /** The journal's folder; absent: in memory, as for what a key opened. */
  readonly folder?: string;
  /** Throws away what is there: it was found to be damaged. */
  readonly anew?: boolean;
  /** Bytes of the disk that are left to others: with less nothing more is indexed. Default 1 GB. */
  readonly leaveFree?: number;
}

const LEAVE_FREE = 1_000_000_000;

/**
 * Opens the index of all states. The file may be deleted at any time: it is made again when it is missing, damaged or
 * of another format, and while another process has it open this one uses an index in memory.
 * @throws InspectorError unreadable | disk_full
 * @example const cache = openCache({ folder: journalFolder() });
 */
export function openCache({ folder, anew = false, leaveFree = LEAVE_FREE }: CacheOptions = {}): SearchCache {
  if (folder !== undefined && anew) removeCacheFile(folder);
  const file = folder === undefined ? undefined : openCacheFile(folder);
  return file === undefined ? cacheIn(openMemoryCache()) : cacheIn(file, { path: file.path, leaveFree });
}

function cacheIn(db: SqliteDatabase, file?: { readonly path: string; readonly leaveFree: number }): SearchCache {
  // Of these only a part was written when the program ended.
  db.transaction(() => db.prepare(`DELETE FROM documents WHERE state = ${STATE.writing}`).run());
  const tidy = tidier(db);
  const checkRoom = file === undefined ? () => undefined : roomCheck(file);
  const parts = createParts(db, { tidy, checkRoom });
  const known = db.prepare<{ id: number }>('SELECT id FROM stores WHERE key = ?');
  const add = db.prepare('INSERT INTO stores (key) VALUES (?)');
  return {
    ...(file === undefined ? {} : { path: file.path }),
    store: (key) => createStoreIndex(parts, known.get(key)?.id ?? Number(add.run(key).lastInsertRowid)),
    find: (query, options) => find(parts, query, options),
    sizeBytes: () => Number(db.pragma('page_count')) * Number(db.pragma('page_size')),
    close: () => db.close(),
  };
}

const WRITES_PER_CHECK = 20;

/** Asked before each piece of writing. */
function roomCheck({ path, leaveFree }: { readonly path: string; readonly leaveFree: number }): () => void {
  const folder = dirname(path);
  let writes = 0;
  return () => {
    if (writes++ % WRITES_PER_CHECK !== 0) return;
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize >= leaveFree) return;
    // The next piece asks again.
    writes = 0;
    const [free, needed] = [bavail * bsize, leaveFree].map((bytes) => Math.round(bytes / 1e6).toLocaleString('en'));
    throw new InspectorError(
      'disk_full',
      `Search indexes nothing more: the disk of ${folder} has ${free} MB left, and ${needed} MB are kept free.`,
      { remedy: 'Make room on that disk: the index then resumes by itself. What it has is still found.' },
    );
  };
}

const PAGES_PER_STEP = 48;

/** SQLite counts less than two changes where there was nothing to merge. */
function tidier(db: SqliteDatabase): () => boolean {
  const changes = db.prepare<{ n: number }>('SELECT total_changes() AS n');
  const merge = db.prepare("INSERT INTO words (words, rank) VALUES ('merge', ?)");
  return () => {
    const before = changes.get()?.n ?? 0;
    merge.run(PAGES_PER_STEP);
    return (changes.get()?.n ?? 0) - before >= 2;
  };
}
