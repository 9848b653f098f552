import type { CheckpointRef, NativeRow, PlacedRow, TableRow } from '@checkpoint-inspector/core';
import type { PgParameter, PostgresReader } from '@checkpoint-inspector/io';
import { OPEN_ENDED } from '../lineage-columns.ts';
import { keyOf } from '../options.ts';

/** What the revision of a state begins with that was saved as a value: the rest is the hash of its root. */
export const OF_NODES = 'nodes-';

const NAMES = `seq, task, namespace, id, state_hash, size_bytes, parent_task, parent_namespace, parent_id, step_index,
  total_steps, trigger, status, description, agent_id, duration_ms, token_usage, cost_usd, created_at`;
const has = (channel: string): string => `EXISTS (SELECT FROM writes AS w
  WHERE w.task = c.task AND w.namespace = c.namespace AND w.id = c.id AND w.channel = '${channel}')`;
/** What the writes of steps tell is looked up only where they tell something. */
const SIGNED = `${NAMES}, (beside IS NOT NULL)::int AS framed,
  ((beside IS NOT NULL OR ${OPEN_ENDED}) AND ${has('__error__')})::int AS failed,
  (beside IS NOT NULL AND ${has('__interrupt__')})::int AS asked`;
/** Rows without their states. */
const ROWS = `SELECT ${SIGNED} FROM checkpoints AS c`;
export const OF_ROW = 'task = $1 AND namespace = $2 AND id = $3';

/** The driver gives whole numbers of 64 bits as text. */
export type Row = { readonly [column: string]: null | number | string };

export async function readRows(
  reader: PostgresReader,
  rest: string,
  values: readonly PgParameter[],
): Promise<NativeRow[]> {
  return (await reader.query<Row>(`${ROWS} ${rest}`, values)).map(nativeRow);
}

const nativeRow = (row: Row): NativeRow => ({
  ...row,
  seq: Number(row['seq']),
  size_bytes: Number(row['size_bytes']),
});

export async function readRow(reader: PostgresReader, ref: CheckpointRef): Promise<NativeRow | undefined> {
  const [row] = await readRows(reader, `WHERE ${OF_ROW}`, keyOf(ref));
  return row;
}

export const seqIn = (row: NativeRow): number => Number(row['seq']);

/** A row as the rules of all native stores know it. */
export const stored = (row: NativeRow): TableRow => ({ rowid: BigInt(seqIn(row)), row });

/** The one saved last of a namespace; of all of them where none is named. */
export async function newestOf(reader: PostgresReader, task: string, namespace?: string): Promise<number | undefined> {
  const where = namespace === undefined ? 'task = $1' : 'task = $1 AND namespace = $2';
  const sql = `SELECT seq FROM checkpoints WHERE ${where} ORDER BY seq DESC LIMIT 1`;
  const [row] = await reader.query<{ seq: string }>(sql, namespace === undefined ? [task] : [task, namespace]);
  return row && Number(row.seq);
}

/** Newer rows are counted up to here: most questions are about the newest. */
const NEAR = 2_000;
const NEWER = `SELECT (SELECT count FROM tasks WHERE task = $1) AS total,
  (SELECT count(*) FROM (SELECT FROM checkpoints WHERE task = $1 AND seq > $2 LIMIT ${NEAR}) AS newer) AS newer`;

/** The place of a row in its task; the store keeps how many there are. */
export async function countUpTo(reader: PostgresReader, task: string, seq: number): Promise<number> {
  const [near] = await reader.query<{ total: string | null; newer: string }>(NEWER, [task, seq]);
  if (near && Number(near.newer) < NEAR) return Number(near.total ?? 0) - Number(near.newer);
  const sql = 'SELECT count(*) AS n FROM checkpoints WHERE task = $1 AND seq <= $2';
  const [all] = await reader.query<{ n: string }>(sql, [task, seq]);
  return Number(all?.n ?? 0);
}

/** Where a row is: in SQL, parameters or texts. */
export type RowSql = readonly [task: string, namespace: string, id: string];

/** A row and the one saved before it, with its place and the newest row of its namespace, in one statement. */
export function placedSql([task, namespace, id]: RowSql): string {
  const own = `(SELECT seq FROM checkpoints WHERE task = ${task} AND namespace = ${namespace} AND id = ${id})`;
  const newest = `SELECT seq FROM checkpoints WHERE task = ${task} AND namespace = ${namespace} ORDER BY seq DESC LIMIT 1`;
  const newer = `SELECT FROM checkpoints WHERE task = ${task} AND seq > ${own} LIMIT ${NEAR}`;
  const counted = `SELECT count(*) FROM checkpoints WHERE task = ${task} AND seq <= ${own}`;
  return `SELECT ${SIGNED}, (${newest}) AS newest, (SELECT CASE WHEN n = ${NEAR} THEN (${counted})
      ELSE (SELECT count FROM tasks WHERE task = ${task}) - n END FROM (SELECT count(*) AS n FROM (${newer}) AS newer) AS near
    ) AS place FROM checkpoints AS c WHERE task = ${task} AND seq <= ${own} ORDER BY seq DESC LIMIT 2`;
}

/** What `placedSql` answers; `undefined` where the row isn't there. */
export function placedIn([found, previous]: readonly Row[]): PlacedRow | undefined {
  if (!found) return undefined;
  const row = nativeRow(found);
  const isRoot = row['namespace'] === '';
  const isNewest = (isRoot || row['framed'] === 1) && Number(found['newest']) === seqIn(row);
  const before = previous && stored(nativeRow(previous));
  return { stored: stored(row), place: Number(found['place']), before, isLatest: isRoot && isNewest, isNewest };
}

/** Which rows are the newest of their namespace: each namespace is looked up once. */
export class Newest {
  readonly #reader: PostgresReader;
  readonly #task: string;
  readonly #known = new Map<string, Promise<number | undefined>>();

  constructor(reader: PostgresReader, task: string) {
    this.#reader = reader;
    this.#task = task;
  }

  async placed(row: NativeRow, before: NativeRow | undefined, place: number): Promise<PlacedRow> {
    const namespace = String(row['namespace'] ?? '');
    const isLooked = namespace === '' || row['framed'] === 1;
    const isNewest = isLooked && (await this.of(namespace)) === seqIn(row);
    const isLatest = namespace === '' && isNewest;
    return { stored: stored(row), place, before: before && stored(before), isLatest, isNewest };
  }

  of(namespace: string): Promise<number | undefined> {
    const known = this.#known.get(namespace) ?? newestOf(this.#reader, this.#task, namespace);
    this.#known.set(namespace, known);
    return known;
  }
}
