import { followSqlite } from '@checkpoint-inspector/io';
import type { SqliteDatabase } from '@checkpoint-inspector/io';
import { checkFormat, metaValue, openForSaving } from './schema.ts';

/** A database of ours, and what it says of itself. */
export interface Connection {
  /** Ask before every piece of work: a file that was replaced is opened anew. @throws InspectorError as openSqlite */
  current(): SqliteDatabase;
  /** As read when the present file was opened. */
  readonly maxPerTask: number | undefined;
  readonly snapshot: string | undefined;
  close(): void;
}

/** One connection for good: an agent saves to the file that it opened. */
export function connectForSaving(path: string, keep: number | 'all' | undefined, create?: boolean): Connection {
  const database = openForSaving(path, keep, create);
  return { current: () => database, maxPerTask: limitOf(database), snapshot: undefined, close: () => database.close() };
}

/** Follows the path: a file that is moved away is missed, one that takes its place is read. */
export function connectForReading(path: string): Connection {
  const follow = followSqlite(path);
  let seen: SqliteDatabase | undefined;
  let maxPerTask: number | undefined;
  const current = (): SqliteDatabase => {
    const database = follow.current();
    if (database === seen) return database;
    checkFormat(database, path);
    maxPerTask = limitOf(database);
    seen = database;
    return database;
  };
  try {
    current();
  } catch (error) {
    follow.close();
    throw error;
  }
  return {
    current,
    get maxPerTask() {
      return maxPerTask;
    },
    get snapshot() {
      return seen?.snapshot;
    },
    close: () => follow.close(),
  };
}

function limitOf(database: SqliteDatabase): number | undefined {
  const kept = metaValue(database, 'max_per_task');
  return kept === undefined ? undefined : Number(kept);
}
