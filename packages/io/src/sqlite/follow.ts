import { InspectorError } from '@checkpoint-inspector/core';
import { openSqlite, type SqliteDatabase } from './open.ts';
import { fileIdentity, fileSignature } from './snapshot.ts';

/** A read-only database that is opened again when its file was replaced, or when the original of a copy changed. */
export interface FollowedSqlite {
  /** Cheap; ask for it before every piece of work. @throws InspectorError as openSqlite */
  current(): SqliteDatabase;
  close(): void;
}

/** @example const follow = followSqlite('/data/checkpoints.sqlite'); follow.current().prepare('SELECT 1').get() */
export function followSqlite(path: string): FollowedSqlite {
  let open: { database: SqliteDatabase; seen: string | undefined } | undefined;
  const look = (copied: boolean): string | undefined => (copied ? fileSignature(path) : fileIdentity(path));
  let closed = false;
  const close = (): void => {
    open?.database.close();
    open = undefined;
  };
  return {
    current: () => {
      if (closed) throw new InspectorError('no_store', 'The store was closed.', { data: { path } });
      if (open && open.seen === look(open.database.snapshot !== undefined)) return open.database;
      close();
      const database = openSqlite(path, { readOnly: true });
      open = { database, seen: look(database.snapshot !== undefined) };
      return database;
    },
    close: () => {
      closed = true;
      close();
    },
  };
}
