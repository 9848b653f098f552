import { tableColumns, type SqliteDatabase, type SqlRow } from '@checkpoint-inspector/io';
import { toJsonText } from '@checkpoint-inspector/core';

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
export const LANGGRAPH_DDL = `
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

export interface NewRow {
  readonly thread: string;
  /** Default: the root graph. */
  readonly namespace?: string;
  readonly id: string;
  readonly parent?: string;
  /** ISO 8601 UTC. */
  readonly ts: string;
  readonly source: 'input' | 'loop' | 'update' | 'fork';
  readonly step: number;
  readonly values: Readonly<Record<string, unknown>>;
  readonly versions?: Readonly<Record<string, number>>;
  readonly seen?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** For a subgraph: `{ '': id of the outer checkpoint }`. */
  readonly parents?: Readonly<Record<string, string>>;
}

/** A row of the table `checkpoints`. @example insert(langgraphRow({ thread: 't', id, ts, source: 'loop', step: 0, values: {} })) */
export function langgraphRow(row: NewRow): SqlRow {
  const checkpoint = {
    v: 4,
    id: row.id,
    ts: row.ts,
    channel_values: row.values,
    channel_versions: row.versions ?? {},
    versions_seen: row.seen ?? {},
  };
  return {
    thread_id: row.thread,
    checkpoint_ns: row.namespace ?? '',
    checkpoint_id: row.id,
    parent_checkpoint_id: row.parent ?? null,
    type: 'json',
    checkpoint: bytesOf(checkpoint),
    metadata: bytesOf({ source: row.source, step: row.step, parents: row.parents ?? {} }),
  };
}

export interface NewWrite {
  readonly thread: string;
  readonly namespace?: string;
  readonly id: string;
  readonly taskId: string;
  /** -1 for `__error__`, -3 for `__interrupt__`, -4 for `__resume__`, else the position. */
  readonly idx: number;
  readonly channel: string;
  readonly value: unknown;
}

/** A row of the table `writes`. */
export function langgraphWrite(write: NewWrite): SqlRow {
  return {
    thread_id: write.thread,
    checkpoint_ns: write.namespace ?? '',
    checkpoint_id: write.id,
    task_id: write.taskId,
    idx: write.idx,
    channel: write.channel,
    type: 'json',
    value: bytesOf(write.value),
  };
}

function bytesOf(value: unknown): Uint8Array {
  return new TextEncoder().encode(toJsonText(value));
}
