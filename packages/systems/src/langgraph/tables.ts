import type { SqliteDatabase } from '@checkpoint-inspector/io';
import { tableColumns } from '@checkpoint-inspector/io';

const CHECKPOINT_COLUMNS = [
  'thread_id',
  'checkpoint_ns',
  'checkpoint_id',
  'parent_checkpoint_id',
  'type',
  'checkpoint',
  'metadata',
] as const;
const WRITE_COLUMNS = [
  'thread_id',
  'checkpoint_ns',
  'checkpoint_id',
  'task_id',
  'idx',
  'channel',
  'type',
  'value',
] as const;

/** The two tables as LangGraph's savers of both languages make them. */
export const DDL = `
CREATE TABLE IF NOT EXISTS checkpoints (
  thread_id TEXT NOT NULL,
  checkpoint_ns TEXT NOT NULL DEFAULT '',
  checkpoint_id TEXT NOT NULL,
  parent_checkpoint_id TEXT,
  type TEXT,
  checkpoint BLOB,
  metadata BLOB,
  PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id)
);
CREATE TABLE IF NOT EXISTS writes (
  thread_id TEXT NOT NULL,
  checkpoint_ns TEXT NOT NULL DEFAULT '',
  checkpoint_id TEXT NOT NULL,
  task_id TEXT NOT NULL,
  idx INTEGER NOT NULL,
  channel TEXT NOT NULL,
  type TEXT,
  value BLOB,
  PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
);`;

/** Told by the columns: other systems have a table `checkpoints` too. */
export function hasLangGraphTables(database: SqliteDatabase): boolean {
  return has(database, 'checkpoints', CHECKPOINT_COLUMNS) && has(database, 'writes', WRITE_COLUMNS);
}

function has(database: SqliteDatabase, table: string, needed: readonly string[]): boolean {
  const columns = new Set(tableColumns(database, table));
  return needed.every((name) => columns.has(name));
}
