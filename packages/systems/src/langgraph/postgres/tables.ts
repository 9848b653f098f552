import type { Capability } from '@checkpoint-inspector/core';
import { postgresColumns, type PostgresReader } from '@checkpoint-inspector/io';

export const TABLES = ['checkpoints', 'checkpoint_blobs', 'checkpoint_writes'] as const;

const COLUMNS: readonly (readonly [string, readonly string[]])[] = [
  ['checkpoints', ['thread_id', 'checkpoint_ns', 'checkpoint', 'metadata']],
  ['checkpoint_blobs', ['thread_id', 'checkpoint_ns', 'channel', 'type', 'blob']],
  ['checkpoint_writes', ['thread_id', 'checkpoint_ns', 'checkpoint_id', 'task_id', 'idx', 'channel', 'type', 'blob']],
];
const HISTORY = ['checkpoint_id', 'parent_checkpoint_id'];

/** How the tables of one schema are read. The parts are SQL of our own; nothing of the store is in them. */
export interface Layout {
  /** What a thread's checkpoints come from, with the columns of the full variant. */
  readonly checkpoints: string;
  /** Which blob `b` belongs to the channel and version `e` of a checkpoint. */
  readonly sameVersion: string;
  /** The variant that keeps only the newest checkpoint of a thread. */
  readonly isShallow: boolean;
}

const FULL: Layout = {
  checkpoints: 'checkpoints',
  sameVersion: 'b.channel = e.key AND b.version = e.value',
  isShallow: false,
};

/** The id is only in the checkpoint, and a channel has one value. Source: langgraph-checkpoint-postgres, shallow.py. */
const SHALLOW: Layout = {
  checkpoints: `(SELECT thread_id, checkpoint_ns, checkpoint ->> 'id' AS checkpoint_id, NULL::text AS parent_checkpoint_id,
    checkpoint, metadata FROM checkpoints)`,
  sameVersion: 'b.channel = e.key',
  isShallow: true,
};

/** Told by the columns: the names alone prove nothing. `undefined` where they are not LangGraph's. */
export async function layoutOf(reader: PostgresReader, schema: string): Promise<Layout | undefined> {
  for (const [table, needed] of COLUMNS) {
    const columns = new Set(await postgresColumns(reader, schema, table));
    if (!needed.every((name) => columns.has(name))) return undefined;
  }
  const own = new Set(await postgresColumns(reader, schema, 'checkpoints'));
  if (HISTORY.every((name) => own.has(name))) return FULL;
  return own.has('checkpoint_id') ? undefined : SHALLOW;
}

/** Whether rows of the schema can be changed, and if not, why. */
export async function changeableIn(reader: PostgresReader, { isShallow }: Layout): Promise<Capability> {
  if (isShallow) return 'ShallowPostgresSaver keeps only one checkpoint per thread, so there is nothing to go back to.';
  const may = TABLES.map(
    (table) => `has_table_privilege('${table}', 'INSERT') AND has_table_privilege('${table}', 'UPDATE')
    AND has_table_privilege('${table}', 'DELETE')`,
  ).join(' AND ');
  const sql = `SELECT pg_is_in_recovery() AS standby, ${may} AS may`;
  const [row] = await reader.query<{ standby: boolean; may: boolean }>(sql);
  if (row?.standby) return 'This server is a standby, which only reads. Open the primary server.';
  return row?.may || "This user doesn't have the privileges INSERT, UPDATE and DELETE on LangGraph's tables.";
}
