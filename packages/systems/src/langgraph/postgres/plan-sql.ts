/** What only plans ask. */
import type { PostgresReader } from '@checkpoint-inspector/io';
import type { Key } from '../queries.ts';
import { inOrder } from './questions.ts';
import { ASKED, columnsOf, type Asked } from './sql.ts';
import type { Layout } from './tables.ts';

/** Checkpoints of the thread that have writes, with their number. */
export function writeCountsOf(reader: PostgresReader, thread: string): Promise<(Key & { count: number })[]> {
  const sql = `SELECT checkpoint_ns AS ns, checkpoint_id AS id, count(*)::int AS count FROM checkpoint_writes
    WHERE thread_id = $1 GROUP BY 1, 2`;
  return reader.query<{ ns: string; id: string; count: number }>(sql, [thread]);
}

/** Subgraph rows whose metadata names this checkpoint somewhere. */
export function mentionsOf(
  reader: PostgresReader,
  { checkpoints }: Layout,
  [thread, id]: readonly [string, string],
): Promise<(Key & { metadata: string })[]> {
  const sql = `SELECT c.checkpoint_ns AS ns, c.checkpoint_id AS id, c.metadata::text AS metadata FROM ${checkpoints} c
    WHERE c.thread_id = $1 AND c.checkpoint_ns > '' AND strpos(c.metadata::text, $2) > 0`;
  return reader.query<{ ns: string; id: string; metadata: string }>(sql, [thread, id]);
}

/** The newest row of each subgraph without a task in its namespace, of those as old as `upTo`. */
export function lastingOf(
  reader: PostgresReader,
  { checkpoints }: Layout,
  [thread, upTo]: readonly [string, string | null],
): Promise<Key[]> {
  const sql = `SELECT c.checkpoint_ns AS ns, max(c.checkpoint_id) AS id FROM ${checkpoints} c
    WHERE c.thread_id = $1 AND c.checkpoint_ns > '' AND strpos(c.checkpoint_ns, ':') = 0
    AND ($2::text IS NULL OR c.checkpoint_id <= $2) GROUP BY 1`;
  return reader.query<{ ns: string; id: string }>(sql, [thread, upTo]);
}

/** True when some checkpoint of the thread counts changes of delta channels. */
export async function hasDeltasIn(reader: PostgresReader, { checkpoints }: Layout, thread: string): Promise<boolean> {
  const sql = `SELECT 1 AS one FROM ${checkpoints} c
    WHERE c.thread_id = $1 AND c.metadata ? 'counters_since_delta_snapshot' LIMIT 1`;
  return (await reader.query(sql, [thread])).length > 0;
}

export async function childrenOf(
  reader: PostgresReader,
  { checkpoints }: Layout,
  asked: readonly Asked[],
): Promise<string[][]> {
  const sql = `SELECT k.n::int AS n, c.checkpoint_id AS id FROM ${ASKED} JOIN ${checkpoints} c
    ON c.thread_id = k.thread AND c.checkpoint_ns = k.ns AND c.parent_checkpoint_id = k.id ORDER BY k.n, c.checkpoint_id`;
  const rows = await reader.query<{ readonly n: number; readonly id: string }>(sql, columnsOf(asked));
  return inOrder(asked, rows, (own) => own.map(({ id }) => id));
}
