import type { PostgresReader } from '@checkpoint-inspector/io';
import type { Key, PendingRow, RowSummary, StoredOutline, ThreadRow, WriteRow, WriteTotals } from '../queries.ts';
import { UNFINISHED } from '../tasks.ts';
import { inOrder } from './batched.ts';
import type { Layout } from './tables.ts';

/** One checkpoint: thread, namespace and id. */
export type Asked = readonly [thread: string, ns: string, id: string];

/** In lists, no longer text than this leaves the server. */
const PEEKED = 4 * 1024 * 1024;
/** Stored types that are read; `empty` says that a channel has no value. */
export const READ = quoted(['json', 'msgpack', 'null', 'bytes', 'bytearray', 'empty']);

/** What is asked about, one row each, with its place `n`. */
export const ASKED = 'unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS k(thread, ns, id, n)';
export const OF_ASKED = 'c.thread_id = k.thread AND c.checkpoint_ns = k.ns AND c.checkpoint_id = k.id';
const WRITES_ASKED = 'w.thread_id = k.thread AND w.checkpoint_ns = k.ns AND w.checkpoint_id = k.id';

export function columnsOf(asked: readonly Asked[]): [string[], string[], string[]] {
  return [asked.map(([thread]) => thread), asked.map(([, ns]) => ns), asked.map(([, , id]) => id)];
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}

/** Blobs `b` of a checkpoint `c`, with their channels and versions `e`: each by the key, whatever else a long thread has (OFFSET 0). */
export function blobsOf({ sameVersion }: Layout): string {
  return `jsonb_each_text(CASE jsonb_typeof(c.checkpoint -> 'channel_versions') WHEN 'object'
      THEN c.checkpoint -> 'channel_versions' ELSE '{}'::jsonb END) e
    CROSS JOIN LATERAL (SELECT b.* FROM checkpoint_blobs b WHERE b.thread_id = c.thread_id
      AND b.checkpoint_ns = c.checkpoint_ns AND ${sameVersion} OFFSET 0) b`;
}

export function allThreads(reader: PostgresReader, { checkpoints }: Layout): Promise<ThreadRow[]> {
  // From one thread of the writes to the next, along the index: most writes are of few threads.
  const sql = `WITH RECURSIVE t(id) AS ((SELECT min(thread_id) FROM checkpoint_writes) UNION ALL
      SELECT (SELECT min(w.thread_id) FROM checkpoint_writes w WHERE w.thread_id > t.id) FROM t WHERE t.id IS NOT NULL)
    SELECT thread_id AS id, count(*)::int AS count, coalesce(max(checkpoint_id), '') AS newest FROM ${checkpoints} c
    GROUP BY thread_id
    UNION ALL SELECT t.id, 0, (SELECT max(w.checkpoint_id) FROM checkpoint_writes w WHERE w.thread_id = t.id) FROM t
    WHERE t.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM checkpoints c WHERE c.thread_id = t.id)`;
  return reader.query<{ id: string; count: number; newest: string }>(sql);
}

/** What changes whenever a row of a thread does: each has the number of the transaction that wrote it. No value is read. */
export async function threadPrints(reader: PostgresReader, threads: readonly string[]): Promise<string[]> {
  const own = (table: string): string =>
    `CROSS JOIN LATERAL (SELECT count(*)::int AS count, sum(hashtext(t.xmin::text)) AS print
      FROM ${table} t WHERE t.thread_id = k.thread)`;
  const sql = `SELECT k.n::int AS n, concat_ws(' ', c.count, c.print, b.count, b.print, w.count, w.print) AS print
    FROM unnest($1::text[]) WITH ORDINALITY AS k(thread, n)
    ${own('checkpoints')} c
    ${own('checkpoint_blobs')} b
    ${own('checkpoint_writes')} w`;
  const rows = await reader.query<{ readonly n: number; readonly print: string }>(sql, [threads]);
  return inOrder(threads, rows, ([row]) => row?.print ?? '');
}

/** What is known of a thread as a whole. */
export interface ThreadFacts {
  readonly count: number;
  readonly newest: string;
  readonly bytes: number;
  readonly otherTypes: number;
  readonly writes: number;
}

export async function threadFacts(
  reader: PostgresReader,
  layout: Layout,
  threads: readonly string[],
): Promise<(ThreadFacts | undefined)[]> {
  const sql = `SELECT k.n::int AS n, own.count, coalesce(own.newest, w.newest, '') AS newest, own.bytes + blobs.bytes + w.bytes AS bytes, w.count AS writes,
      CASE WHEN blobs.other THEN (SELECT count(*) FROM ${layout.checkpoints} c WHERE c.thread_id = k.thread AND EXISTS (
        SELECT FROM ${blobsOf(layout)} WHERE b.type NOT IN (${READ}))) ELSE 0 END::int AS "otherTypes"
    FROM unnest($1::text[]) WITH ORDINALITY AS k(thread, n)
    CROSS JOIN LATERAL (SELECT count(*)::int AS count, max(c.checkpoint_id) AS newest,
      coalesce(sum(pg_column_size(c.checkpoint) + pg_column_size(c.metadata)), 0)::float8 AS bytes
      FROM ${layout.checkpoints} c WHERE c.thread_id = k.thread) own
    CROSS JOIN LATERAL (SELECT coalesce(sum(octet_length(b.blob)), 0)::float8 AS bytes,
      coalesce(bool_or(b.type NOT IN (${READ})), false) AS other
      FROM checkpoint_blobs b WHERE b.thread_id = k.thread) blobs
    CROSS JOIN LATERAL (SELECT count(*)::int AS count, max(w.checkpoint_id) AS newest,
      coalesce(sum(octet_length(w.blob)), 0)::float8 AS bytes FROM checkpoint_writes w WHERE w.thread_id = k.thread) w`;
  const rows = await reader.query<ThreadFacts & { readonly n: number }>(sql, [threads]);
  return inOrder(threads, rows, ([row]) => row);
}

/** Rows of each thread that are not what LangGraph writes. */
export async function suspectsOf(
  reader: PostgresReader,
  { checkpoints }: Layout,
  threads: readonly string[],
): Promise<Key[][]> {
  // Thread by thread (OFFSET 0): else the server takes reading the whole table for the cheaper way.
  const sql = `SELECT k.n::int AS n, found.ns, found.id FROM unnest($1::text[]) WITH ORDINALITY AS k(thread, n)
    CROSS JOIN LATERAL (SELECT c.checkpoint_ns AS ns, c.checkpoint_id AS id FROM ${checkpoints} c
      WHERE c.thread_id = k.thread AND (jsonb_typeof(c.checkpoint) <> 'object' OR jsonb_typeof(c.metadata) <> 'object')
      OFFSET 0) found`;
  const rows = await reader.query<Key & { readonly n: number }>(sql, [threads]);
  return inOrder(threads, rows, (own) => own.map(({ ns, id }) => ({ ns, id })));
}

/** The newest id of each namespace, of those older than the one that is given. */
export async function newestOf(
  reader: PostgresReader,
  { checkpoints }: Layout,
  asked: readonly Asked[],
): Promise<string[][]> {
  const sql = `SELECT k.n::int AS n, found.id FROM ${ASKED} CROSS JOIN LATERAL (
      SELECT c.checkpoint_id AS id FROM ${checkpoints} c WHERE c.thread_id = k.thread AND c.checkpoint_ns = k.ns
        AND (k.id = '' OR c.checkpoint_id < k.id) ORDER BY c.checkpoint_id DESC LIMIT 1) found`;
  const rows = await reader.query<{ readonly n: number; readonly id: string }>(sql, columnsOf(asked));
  return inOrder(asked, rows, (own) => own.map(({ id }) => id));
}

const keys = (checkpoints: string): string =>
  `SELECT c.checkpoint_ns AS ns, c.checkpoint_id AS id FROM ${checkpoints} c WHERE c.thread_id = $1`;

/** A thread's checkpoints: newest first and older than `from`, or oldest first and newer. */
export function keysOf(
  reader: PostgresReader,
  { checkpoints }: Layout,
  [thread, order, from, limit]: readonly [string, 'older' | 'newer', Key | null, number | null],
): Promise<Key[]> {
  const [sign, direction] = order === 'older' ? ['<', 'DESC'] : ['>', 'ASC'];
  const after = from === null ? '' : `AND (c.checkpoint_id, c.checkpoint_ns) ${sign} ($2, $3)`;
  const sql = `${keys(checkpoints)} ${after} ORDER BY c.checkpoint_id ${direction}, c.checkpoint_ns ${direction}
    ${limit === null ? '' : `LIMIT ${Math.floor(limit)}`}`;
  return reader.query<{ ns: string; id: string }>(sql, [thread, ...(from === null ? [] : [from.id, from.ns])]);
}

/** How many checkpoints of the thread are as old as this one or older. */
export async function placeOf(
  reader: PostgresReader,
  { checkpoints }: Layout,
  [thread, ns, id]: Asked,
): Promise<number> {
  const sql = `SELECT count(*)::int AS n FROM ${checkpoints} c
    WHERE c.thread_id = $1 AND (c.checkpoint_id, c.checkpoint_ns) <= ($2, $3)`;
  const [row] = await reader.query<{ n: number }>(sql, [thread, id, ns]);
  return row?.n ?? 0;
}

type SummaryRow = Pick<RowSummary, 'ns' | 'id' | 'parent' | 'metadataSize' | 'metadata' | 'failed' | 'interrupted'> & {
  readonly n: number;
  readonly newest: string;
  readonly isObject: boolean;
  readonly size: number;
  readonly other: string | null;
  readonly ts: string | null;
  readonly seen: string | null;
};

const bounded = (json: string): string =>
  `CASE WHEN octet_length((${json})::text) <= ${PEEKED} THEN (${json})::text END`;
const marked = (channel: string): string => `EXISTS (SELECT FROM checkpoint_writes w WHERE w.thread_id = c.thread_id
  AND w.checkpoint_ns = c.checkpoint_ns AND w.checkpoint_id = c.checkpoint_id AND w.channel = '${channel}')::int`;

/** Without a look into a blob: their types and sizes alone. */
export async function summariesOf(
  reader: PostgresReader,
  layout: Layout,
  asked: readonly Asked[],
): Promise<(RowSummary | undefined)[]> {
  const sql = `SELECT k.n::int AS n, c.checkpoint_ns AS ns, c.checkpoint_id AS id, c.parent_checkpoint_id AS parent,
      jsonb_typeof(c.checkpoint) = 'object' AS "isObject", pg_column_size(c.checkpoint) + v.bytes AS size,
      pg_column_size(c.metadata) AS "metadataSize", v.other, ${bounded("c.checkpoint -> 'ts'")} AS ts,
      ${bounded("c.checkpoint -> 'versions_seen'")} AS seen, ${bounded('c.metadata')} AS metadata,
      ${marked('__error__')} AS failed, ${marked('__interrupt__')} AS interrupted,
      (SELECT max(o.checkpoint_id) FROM ${layout.checkpoints} o
        WHERE o.thread_id = c.thread_id AND o.checkpoint_ns = c.checkpoint_ns) AS newest
    FROM ${ASKED} JOIN ${layout.checkpoints} c ON ${OF_ASKED}
    CROSS JOIN LATERAL (SELECT coalesce(sum(octet_length(b.blob)), 0)::float8 AS bytes,
      min(b.type) FILTER (WHERE b.type NOT IN (${READ})) AS other FROM ${blobsOf(layout)}) v`;
  const rows = await reader.query<SummaryRow>(sql, columnsOf(asked));
  return inOrder(asked, rows, ([row]) => row && summaryFrom(row));
}

function summaryFrom({ n: _n, isObject, other, ts, seen, ...row }: SummaryRow): RowSummary {
  return {
    ...row,
    type: other ?? 'json',
    stored: 'blob',
    start: startFrom(ts),
    end: endFrom(seen),
    shape: isObject ? 'object' : 'bad',
  };
}

function startFrom(ts: string | null): Uint8Array | null {
  return ts === null ? null : Buffer.from(startText(ts));
}

/** As the start of a checkpoint that is stored as one text. */
const startText = (ts: string): string => `{"ts":${ts}`;
const endText = (seen: string): string => `"versions_seen":${seen}}`;

/** As it is at the end of a checkpoint that is stored as one text. */
function endFrom(seen: string | null): Uint8Array | null {
  return seen === null ? null : Buffer.from(endText(seen));
}

export async function endsOf(
  reader: PostgresReader,
  { checkpoints }: Layout,
  asked: readonly Asked[],
): Promise<(Uint8Array | undefined)[]> {
  const sql = `SELECT k.n::int AS n, ${bounded("c.checkpoint -> 'versions_seen'")} AS seen
    FROM ${ASKED} JOIN ${checkpoints} c ON ${OF_ASKED}`;
  const rows = await reader.query<{ readonly n: number; readonly seen: string | null }>(sql, columnsOf(asked));
  return inOrder(asked, rows, ([row]) => endFrom(row?.seen ?? null) ?? undefined);
}

type WriteOf = Pick<WriteRow, 'task' | 'type' | 'value'> & { readonly n: number };

/** Writes to one channel of each checkpoint, in the order in which LangGraph applies them. */
export async function writesOf(
  reader: PostgresReader,
  asked: readonly (readonly [Asked, string])[],
): Promise<WriteRow[][]> {
  const sql = `SELECT k.n::int AS n, w.task_id AS task, w.type, w.blob AS value
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS k(thread, ns, id, channel, n)
    JOIN checkpoint_writes w ON ${WRITES_ASKED} AND w.channel = k.channel ORDER BY w.task_id, w.idx`;
  const channels = asked.map(([, channel]) => channel);
  const rows = await reader.query<WriteOf>(sql, [...columnsOf(asked.map(([key]) => key)), channels]);
  return inOrder(asked, rows, (own) => own.map(({ n: _n, ...row }) => ({ ...row, stored: 'blob' })));
}

const PLAIN = "w.channel NOT IN ('__error__', '__interrupt__')";

export async function pendingOf(
  reader: PostgresReader,
  [[thread, ns, id], largest, limit]: readonly [Asked, number, number],
): Promise<PendingRow[]> {
  const sql = `SELECT w.task_id AS task, w.channel, w.type, octet_length(w.blob) AS size,
      CASE WHEN octet_length(w.blob) <= $4::int THEN w.blob END AS value FROM checkpoint_writes w
    WHERE w.thread_id = $1 AND w.checkpoint_ns = $2 AND w.checkpoint_id = $3 AND ${PLAIN}
    ORDER BY w.task_id, w.idx LIMIT $5::int`;
  const rows = await reader.query<Omit<PendingRow, 'stored'>>(sql, [thread, ns, id, largest, limit]);
  return rows.map((row) => ({ ...row, stored: 'blob' }));
}

export async function writeTotals(reader: PostgresReader, asked: readonly Asked[]): Promise<WriteTotals[]> {
  const sql = `SELECT k.n::int AS n, count(*)::int AS count, (count(*) FILTER (WHERE ${PLAIN}))::int AS plain,
      coalesce(sum(octet_length(w.blob)), 0)::float8 AS bytes
    FROM ${ASKED} JOIN checkpoint_writes w ON ${WRITES_ASKED} GROUP BY k.n`;
  const rows = await reader.query<WriteTotals & { readonly n: number }>(sql, columnsOf(asked));
  return inOrder(asked, rows, ([row]) => row ?? { count: 0, plain: 0, bytes: 0 });
}

export interface TaskRow {
  readonly task: string;
  readonly finished: number;
}

export async function tasksOf(reader: PostgresReader, asked: readonly Asked[]): Promise<TaskRow[][]> {
  const sql = `SELECT k.n::int AS n, w.task_id AS task, bool_or(w.channel NOT IN (${quoted(UNFINISHED)}))::int AS finished
    FROM ${ASKED} JOIN checkpoint_writes w ON ${WRITES_ASKED} GROUP BY k.n, w.task_id ORDER BY k.n, w.task_id`;
  const rows = await reader.query<TaskRow & { readonly n: number }>(sql, columnsOf(asked));
  return inOrder(asked, rows, (own) => own.map(({ task, finished }) => ({ task, finished })));
}

export function placesOfId(
  reader: PostgresReader,
  { checkpoints }: Layout,
  id: string,
): Promise<{ thread: string; ns: string }[]> {
  const sql = `SELECT c.thread_id AS thread, c.checkpoint_ns AS ns FROM ${checkpoints} c
    WHERE c.checkpoint_id = $1 ORDER BY 1, 2`;
  return reader.query<{ thread: string; ns: string }>(sql, [id]);
}

type OutlineRow = Pick<SummaryRow, 'ns' | 'id' | 'parent' | 'ts' | 'seen' | 'metadata'>;

const small = (text: string): string => `CASE WHEN octet_length(${text}) <= ${PEEKED} THEN ${text} END AS ${text}`;

/** Along the key, a namespace at a time. A checkpoint is unpacked once, whatever is taken from it (OFFSET 0). */
export async function outlinesOf(
  reader: PostgresReader,
  { checkpoints }: Layout,
  thread: string,
  keys: readonly Key[],
): Promise<StoredOutline[]> {
  const spans = new Map<string, { readonly first: string; last: string }>();
  for (const { ns, id } of keys) {
    const span = spans.get(ns);
    if (span) span.last = id;
    else spans.set(ns, { first: id, last: id });
  }
  const sql = `SELECT ns, id, parent, ${['ts', 'seen', 'metadata'].map(small).join(', ')}
    FROM unnest($2::text[], $3::text[], $4::text[]) AS k(own, first, last) CROSS JOIN LATERAL (
      SELECT c.checkpoint_ns AS ns, c.checkpoint_id AS id, c.parent_checkpoint_id AS parent, x.ts::text AS ts,
        x.versions_seen::text AS seen, c.metadata::text AS metadata
      FROM ${checkpoints} c CROSS JOIN LATERAL jsonb_to_record(CASE jsonb_typeof(c.checkpoint) WHEN 'object'
        THEN c.checkpoint ELSE '{}'::jsonb END) AS x(ts jsonb, versions_seen jsonb)
      WHERE c.thread_id = $1 AND c.checkpoint_ns = k.own AND c.checkpoint_id BETWEEN k.first AND k.last OFFSET 0) c
    ORDER BY id, ns`;
  const values = [...spans.values()];
  const columns = [[...spans.keys()], values.map(({ first }) => first), values.map(({ last }) => last)];
  const rows = await reader.query<OutlineRow>(sql, [thread, ...columns]);
  return rows.map(({ ns, id, parent, ts, seen, metadata }) => ({
    ns,
    id,
    parent,
    metadata,
    type: 'json',
    start: ts === null ? null : startText(ts),
    end: seen === null ? null : endText(seen),
  }));
}

/** Checkpoints with a write that is an error. */
export function failuresOf(reader: PostgresReader, thread: string): Promise<Key[]> {
  const sql = `SELECT DISTINCT checkpoint_ns AS ns, checkpoint_id AS id FROM checkpoint_writes
    WHERE thread_id = $1 AND channel = '__error__'`;
  return reader.query<{ ns: string; id: string }>(sql, [thread]);
}

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
