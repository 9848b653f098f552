import { statSync } from 'node:fs';
import { InspectorError } from '@checkpoint-inspector/core';
import { openSqlite, type SqliteDatabase } from './open.ts';

/**
 * Looks into a file through SQLite alone, which knows what else this process has open (see open-files.ts).
 * @returns what `look` says; `undefined` too for an empty file and for one that is not a SQLite database, or encrypted
 * @throws InspectorError no_store (nothing there) | unreadable | busy | unsupported (driver missing)
 * @example lookInto('/data/a.db', (db) => tableNames(db)) // ['checkpoints', 'writes']
 */
export function lookInto<T>(path: string, look: (database: SqliteDatabase) => T): T | undefined {
  if (statSync(path, { throwIfNoEntry: false })?.size === 0) return undefined;
  const database = openUnlessOther(path);
  if (database === undefined) return undefined;
  try {
    return look(database);
  } finally {
    database.close();
  }
}

function openUnlessOther(path: string): SqliteDatabase | undefined {
  try {
    return openSqlite(path, { readOnly: true });
  } catch (error) {
    if (InspectorError.is(error) && error.data?.['sqlite'] === 'SQLITE_NOTADB') return undefined;
    throw error;
  }
}
