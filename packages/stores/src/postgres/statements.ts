/** The SQL of a save: few statements, because each is a way to the server and back. */
import type { CheckpointRef } from '@checkpoint-inspector/core';
import { INSERT_NODES, NEW_ID, NODES_EPOCH, quotedText, removalsSql, type PgParameter } from '@checkpoint-inspector/io';
import { keyOf } from '../options.ts';
import { OF_ROW } from './rows.ts';

/** Columns of a row, but for a text that is kept whole. */
export const COLUMNS =
  'task namespace id parent_task parent_namespace parent_id beside step_index total_steps trigger status description agent_id duration_ms token_usage cost_usd created_at state_hash size_bytes root'.split(
    ' ',
  );
/** A recorded parent stays recorded when a later save of the id names none. */
const KEPT = new Set(['parent_task', 'parent_id', 'parent_namespace']);
const UPDATES = [...COLUMNS, 'whole'].map(
  (name) =>
    `${name} = ${KEPT.has(name) ? `CASE WHEN excluded.parent_id IS NULL THEN checkpoints.${name} ELSE excluded.${name} END` : `excluded.${name}`}`,
);
const FIRST_COLUMN = 6;
/** New nodes ($1 to $4), a text to be kept whole ($5), and the row (from $6 on). */
export const SAVE = `WITH fresh AS (${INSERT_NODES}),
  kept AS (INSERT INTO texts (text) SELECT $5::text WHERE $5 IS NOT NULL RETURNING id)
  INSERT INTO checkpoints (${COLUMNS.join(', ')}, whole)
  VALUES (${COLUMNS.map((_, at) => `$${at + FIRST_COLUMN}`).join(', ')}, (SELECT id FROM kept))
  ON CONFLICT (task, namespace, id) DO UPDATE SET ${UPDATES.join(', ')}`;

/** What there is before a save. Numbers of 64 bits come as text. */
export interface Looked {
  /** Changes whenever nodes may have gone: after a collection, and where the server isn't the one that it was. */
  readonly epoch: string;
  /** The roots of what the state is likely to have most in common with. */
  readonly parent: string | null;
  readonly present: string | null;
  readonly latest: string | null;
  /** Of the best of them. */
  readonly hash: string | null;
  /** Checkpoints of the task. */
  readonly count: number;
  /** Ids for new nodes: `{7,8}`. */
  readonly ids: string;
  readonly [column: string]: unknown;
}

/** Without parameters: it goes along with the beginning of the transaction. */
export function lookSql(ref: CheckpointRef, parent: CheckpointRef | undefined, ids: number): string {
  const root = (of: CheckpointRef): string => {
    const [task, namespace, id] = keyOf(of).map(quotedText);
    return `(SELECT root FROM checkpoints WHERE task = ${task} AND namespace = ${namespace} AND id = ${id})`;
  };
  const task = quotedText(ref.task);
  return `SELECT *, (SELECT encode(hash, 'hex') FROM nodes WHERE id = coalesce(parent, present, latest)) AS hash FROM (
    SELECT ${NODES_EPOCH} AS epoch,
    ${parent === undefined ? 'NULL::bigint' : root(parent)} AS parent, ${root(ref)} AS present,
    (SELECT root FROM checkpoints WHERE task = ${task} ORDER BY seq DESC LIMIT 1) AS latest,
    coalesce((SELECT count FROM tasks WHERE task = ${task}), 0)::int AS count,
    ARRAY(SELECT ${NEW_ID} FROM generate_series(1, ${ids})) AS ids) AS looked`;
}

const HEAD = "SELECT seq FROM checkpoints WHERE task = $1 AND namespace = '' ORDER BY seq DESC LIMIT 1";
const OTHERS = `SELECT seq FROM checkpoints WHERE task = $1 AND seq IS DISTINCT FROM (${HEAD})`;
/**
 * Of the task $1 all but the newest $2, with their writes: neither the latest nor, where that is another one ($3), the row
 * that was just saved. They and $4 others are counted as removed.
 */
export const EVICT = `WITH gone AS (
    DELETE FROM checkpoints WHERE task = $1 AND seq IS DISTINCT FROM (${HEAD}) AND seq <=
      (${OTHERS} ORDER BY seq DESC LIMIT 1 OFFSET greatest($2::int - (SELECT count(*) FROM (${HEAD}) AS head), $3::int))
    RETURNING namespace, id),
  written AS (DELETE FROM writes AS w USING gone WHERE w.task = $1 AND w.namespace = gone.namespace AND w.id = gone.id)
  SELECT evicted, (${removalsSql('gone + $4')}) AS removed
  FROM (SELECT count(*)::int AS gone, json_agg(gone)::text AS evicted FROM gone) AS counted`;

export interface Evicted {
  /** JSON text of their namespaces and ids; null for none. */
  readonly evicted: string | null;
  readonly removed: string | null;
  readonly [column: string]: unknown;
}

const WRITE_COLUMNS = ['task', 'namespace', 'id', 'run', 'idx', 'path', 'node', 'channel', 'text'];
const KEY_COLUMNS = ['task', 'namespace', 'id', 'run', 'idx'];
const REPLACED = WRITE_COLUMNS.filter((name) => !KEY_COLUMNS.includes(name)).map(
  (name) => `${name} = excluded.${name}`,
);
const LISTS = WRITE_COLUMNS.map((name, at) => `$${at + 1}::${name === 'idx' ? 'bigint' : 'text'}[]`);

/** Any number of writes, none of them twice; who listens is told of their task. */
export const writesSql = (ifExists: 'keep' | 'replace'): string => `WITH written AS (
    INSERT INTO writes (${WRITE_COLUMNS.join(', ')})
    SELECT * FROM unnest(${LISTS.join(', ')}) ON CONFLICT (${KEY_COLUMNS.join(', ')})
    DO ${ifExists === 'keep' ? 'NOTHING' : `UPDATE SET ${REPLACED.join(', ')}`})
  SELECT tell($${LISTS.length + 1})`;

type Row = Readonly<Record<string, PgParameter>>;

/** The rows as the lists of `writesSql`; of those with the same key the first is kept, or the last where it replaces. */
export function writeLists(rows: readonly Row[], ifExists: 'keep' | 'replace'): (null | string)[][] {
  const wanted = new Map<string, Row>();
  for (const row of ifExists === 'keep' ? rows.toReversed() : rows)
    wanted.set(JSON.stringify(KEY_COLUMNS.map((name) => String(row[name]))), row);
  return WRITE_COLUMNS.map((name) => Array.from(wanted.values(), (row) => asText(row[name])));
}

const asText = (value: PgParameter | undefined): string | null =>
  value === null || value === undefined ? null : String(value);

/** Writes may come before their checkpoint: they stay where it isn't there. */
export const REMOVE = `WITH gone AS (DELETE FROM checkpoints WHERE ${OF_ROW} RETURNING task, namespace, id),
  written AS (DELETE FROM writes AS w USING gone WHERE (w.task, w.namespace, w.id) = (gone.task, gone.namespace, gone.id))
  SELECT FROM gone`;
export const REMOVE_TASK = `WITH written AS (DELETE FROM writes WHERE task = $1)
  DELETE FROM checkpoints WHERE task = $1 RETURNING 1 AS one`;
