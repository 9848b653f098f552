import type { SqliteDatabase } from '@checkpoint-inspector/io';
import { find } from '../find/find.ts';
import { STATE, openCacheFile, openMemoryCache, removeCacheFile } from './schema.ts';
import { createParts, createStoreIndex } from './store-index.ts';
import type { SearchCache } from './types.ts';

interface CacheOptions {
  /** The journal's folder; absent: in memory, as for what a key opened. */
  readonly folder?: string;
  /** Throws away what is there: it was found to be damaged. */
  readonly anew?: boolean;
}

/**
 * Opens the index of all states. The file may be deleted at any time: it is made again when it is missing, damaged or
 * of another format, and while another process has it open this one uses an index in memory.
 * @throws InspectorError unreadable | disk_full
 * @example const cache = openCache({ folder: journalFolder() });
 */
export function openCache({ folder, anew = false }: CacheOptions = {}): SearchCache {
  if (folder !== undefined && anew) removeCacheFile(folder);
  const file = folder === undefined ? undefined : openCacheFile(folder);
  return cacheIn(file ?? openMemoryCache(), file?.path);
}

function cacheIn(db: SqliteDatabase, path: string | undefined): SearchCache {
  // Of these only a part was written when the program ended.
  db.transaction(() => db.prepare(`DELETE FROM documents WHERE state = ${STATE.writing}`).run());
  const parts = createParts(db);
  const known = db.prepare<{ id: number }>('SELECT id FROM stores WHERE key = ?');
  const add = db.prepare('INSERT INTO stores (key) VALUES (?)');
  return {
    ...(path === undefined ? {} : { path }),
    store: (key) => createStoreIndex(parts, known.get(key)?.id ?? Number(add.run(key).lastInsertRowid)),
    tidy: tidier(db),
    find: (query, options) => find(parts, query, options),
    sizeBytes: () => Number(db.pragma('page_count')) * Number(db.pragma('page_size')),
    close: () => db.close(),
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
