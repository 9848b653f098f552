/** The tree of a thread: every row, read once, and of each only what a tree is drawn from. */
import type { CheckpointRef, LineageRow } from '@checkpoint-inspector/core';
import type { PostgresReader } from '@checkpoint-inspector/io';
import { Describer, toLineage, type Outlined } from '../meta.ts';
import type { Key, RowOutline } from '../queries.ts';
import { PostgresQueries } from './queries.ts';
import { endsOf, endText, PEEKED, startText } from './sql.ts';
import type { Layout } from './tables.ts';

/** So many rows are fetched together: as many as a describer remembers. */
const TOGETHER = 2000;

interface Reading {
  readonly queries: PostgresQueries;
  readonly threads: { readonly head: (thread: string) => { readonly latest: { readonly ref?: CheckpointRef } } };
}

export interface LineageReader {
  readonly ask: <T>(run: (reading: Reading) => T | Promise<T>) => Promise<T>;
  readonly database: PostgresReader;
  readonly layout: Layout;
}

/** Every checkpoint of the thread, oldest first. */
export async function* lineageBy(by: LineageReader, thread: string): AsyncIterable<LineageRow> {
  for await (const rows of batchesBy(by, thread)) yield* rows;
}

/** No snapshot is held while the rows are used. */
async function* batchesBy(by: LineageReader, thread: string): AsyncIterable<readonly LineageRow[]> {
  const { keys, head, suspects } = await by.ask(({ queries, threads }) => {
    return { keys: queries.keys(thread), head: threads.head(thread).latest.ref, suspects: queries.suspects(thread) };
  });
  if (keys.length === 0) return;
  const failed = new Set((await failuresOf(by.database, thread)).map(nameOf));
  const isHead = (row: Key): boolean => row.id === head?.id && row.ns === (head.namespace ?? '');
  const tips = new Map(keys.map(({ ns, id }) => [ns, id]));
  const damaged = new Set(suspects.map(nameOf));
  const readFrom = async (from: number): Promise<Outlined[]> => {
    const part = keys.slice(from, from + TOGETHER);
    const isApart = (key: Key): boolean => tips.get(key.ns) === key.id || damaged.has(nameOf(key));
    const apart = part.filter(isApart);
    const described = apart.length === 0 ? [] : await by.ask(({ queries }) => describedOf(queries, thread, apart));
    const older = part.filter((key) => !isApart(key));
    return [...described, ...(await outlinedOf(by, thread, older, failed))].filter((one) => one !== undefined);
  };
  // The server reads the next rows while these are used.
  let next = readFrom(0);
  for (let from = 0; from < keys.length; from += TOGETHER) {
    const rows = new Map((await next).map((one) => [nameOf(one.row), one]));
    if (from + TOGETHER < keys.length) next = unheard(readFrom(from + TOGETHER));
    yield keys.slice(from, from + TOGETHER).flatMap((key, at) => {
      const row = rows.get(nameOf(key));
      return row ? [toLineage(row, from + at + 1, isHead(row.row))] : [];
    });
  }
}

/** Whoever stops in between doesn't hear of its failure. */
function unheard<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** Different for every place: no text in PostgreSQL holds a NUL. */
const nameOf = ({ ns, id }: Key): string => `${ns}\0${id}`;

function describedOf(queries: PostgresQueries, thread: string, keys: readonly Key[]) {
  const describer = new Describer(queries, thread);
  return keys.map((key): Outlined | undefined => describer.describe(key));
}

async function outlinedOf(
  { database, layout }: LineageReader,
  thread: string,
  keys: readonly Key[],
  failed: ReadonlySet<string>,
): Promise<Outlined[]> {
  const rows = await outlinesOf(database, layout, thread, keys);
  const there = new Set(rows.map(nameOf));
  const parents = rows.flatMap(({ ns, parent }) => (parent === null ? [] : [{ ns, id: parent }]));
  const before = parents.filter((key) => !there.has(nameOf(key)));
  const queries = new PostgresQueries(layout, async () => []);
  const ends = await endsOf(
    database,
    layout,
    before.map(({ ns, id }) => [thread, ns, id] as const),
  );
  for (const [at, key] of before.entries()) queries.learnEnd(thread, key, ends[at]);
  const describer = new Describer(queries, thread);
  return rows.map((row) => describer.outline(row, failed.has(nameOf(row))));
}

interface OutlineRow {
  readonly ns: string;
  readonly id: string;
  readonly parent: string | null;
  readonly ts: string | null;
  readonly seen: string | null;
  readonly metadata: string | null;
}

const bounded = (text: string): string => `CASE WHEN octet_length(${text}) <= ${PEEKED} THEN ${text} END AS ${text}`;

/** Along the key, a namespace at a time. A checkpoint is unpacked once, whatever is taken from it (OFFSET 0). */
async function outlinesOf(
  reader: PostgresReader,
  { checkpoints }: Layout,
  thread: string,
  keys: readonly Key[],
): Promise<RowOutline[]> {
  const spans = new Map<string, { readonly first: string; last: string }>();
  for (const { ns, id } of keys) {
    const span = spans.get(ns);
    if (span) span.last = id;
    else spans.set(ns, { first: id, last: id });
  }
  const sql = `SELECT ns, id, parent, ${['ts', 'seen', 'metadata'].map(bounded).join(', ')}
    FROM unnest($2::text[], $3::text[], $4::text[]) AS k(own, first, last) CROSS JOIN LATERAL (
      SELECT c.checkpoint_ns AS ns, c.checkpoint_id AS id, c.parent_checkpoint_id AS parent, x.ts::text AS ts,
        x.versions_seen::text AS seen, c.metadata::text AS metadata
      FROM ${checkpoints} c CROSS JOIN LATERAL jsonb_to_record(CASE jsonb_typeof(c.checkpoint) WHEN 'object'
        THEN c.checkpoint ELSE '{}'::jsonb END) AS x(ts jsonb, versions_seen jsonb)
      WHERE c.thread_id = $1 AND c.checkpoint_ns = k.own AND c.checkpoint_id BETWEEN k.first AND k.last OFFSET 0) c
    ORDER BY id, ns`;
  const values = [...spans.values()];
  const columns = [[...spans.keys()], values.map(({ first }) => first), values.map(({ last }) => last)];
  const rows = await reader.query<OutlineRow & Record<string, unknown>>(sql, [thread, ...columns]);
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

function failuresOf(reader: PostgresReader, thread: string): Promise<Key[]> {
  const sql = `SELECT DISTINCT checkpoint_ns AS ns, checkpoint_id AS id FROM checkpoint_writes
    WHERE thread_id = $1 AND channel = '__error__'`;
  return reader.query<{ ns: string; id: string }>(sql, [thread]);
}
