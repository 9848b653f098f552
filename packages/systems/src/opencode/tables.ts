import { tableColumns, type SqliteDatabase } from '@checkpoint-inspector/io';

/** The tables that are read, with the columns that must be there. Those with secrets in them are not: no query names one. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  session: ['id', 'project_id', 'parent_id', 'directory', 'title', 'version', 'revert', 'time_created', 'time_updated'],
  message: ['id', 'session_id', 'time_created', 'time_updated', 'data'],
  part: ['id', 'message_id', 'session_id', 'time_created', 'time_updated', 'data'],
};
const EVENT = ['id', 'aggregate_id', 'seq', 'type', 'data'];

export interface Layout {
  /** Older databases, and those that only imports filled, have no history. */
  readonly hasEvents: boolean;
}

/** `undefined` for a database that isn't opencode's. */
export function layoutOf(database: SqliteDatabase): Layout | undefined {
  const has = (table: string, columns: readonly string[]): boolean => {
    const own = tableColumns(database, table);
    return columns.every((column) => own.includes(column));
  };
  if (!Object.entries(NEEDED).every(([table, columns]) => has(table, columns))) return undefined;
  return { hasEvents: has('event', EVENT) };
}
