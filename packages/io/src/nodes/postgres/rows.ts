import {
  bodyOf,
  InspectorError,
  KIND,
  KnownTexts,
  refsIn,
  sharedOf,
  type FreshNode,
  type NodeBody,
  type NodeKind,
  type SharedState,
} from '@checkpoint-inspector/core';
import type { PostgresReader } from '../../postgres/open.ts';
import type { StateRow } from '../rows.ts';

/** Ids in one statement. */
const BATCH = 5_000;
/** Characters of the bodies in one statement. */
const BATCH_LENGTH = 16 * 1024 * 1024;
/** A text needs no hashes. */
const BODIES = "SELECT id, kind, body, '' AS hash FROM nodes WHERE id = ANY($1::bigint[])";
const HASHED = "SELECT id, kind, body, encode(hash, 'hex') AS hash FROM nodes WHERE id = ANY($1::bigint[])";

interface NodeRow {
  readonly id: string;
  readonly kind: number;
  readonly body: string;
  readonly hash: string;
}
type Node = NodeBody & { readonly hash: string };

/**
 * The text of a state, of which only the nodes are read that aren't `known`. Call it in one snapshot with what named its
 * root. @throws InspectorError unreadable where a part is missing
 */
export async function readTextFrom(
  reader: PostgresReader,
  { root, whole, size_bytes: bytes }: StateRow,
  known = new KnownTexts(),
): Promise<string> {
  if (whole === null) return known.textOf(await readNodes(reader, root, known), root, bytes);
  const [row] = await reader.query<{ text: string }>('SELECT text FROM texts WHERE id = $1', [whole]);
  if (row !== undefined) return row.text;
  throw new InspectorError('unreadable', `The text of this state is missing: text ${whole}.`, {
    data: { text: whole },
  });
}

/** All nodes of a state but those that are known, without their hashes. */
export const readNodes = (
  reader: PostgresReader,
  root: number,
  known: KnownTexts,
): Promise<ReadonlyMap<number, NodeBody>> => readAll(reader, root, BODIES, known);

/** A stored state as the next one is compared with it. @throws InspectorError unreadable */
export async function readSharedFrom(reader: PostgresReader, root: number): Promise<SharedState> {
  return sharedOf(await readAll(reader, root, HASHED), root);
}

/** All nodes of a state but those that are known, a level at a time. */
async function readAll(
  reader: PostgresReader,
  root: number,
  sql: string,
  besides: { has(id: number): boolean } = new Set(),
): Promise<Map<number, Node>> {
  const all = new Map<number, Node>();
  let wanted = [root];
  while (wanted.length > 0) {
    const next = new Set<number>();
    for await (const rows of batches(reader, wanted, sql)) {
      for (const row of rows) {
        all.set(Number(row.id), nodeOf(row));
        for (const ref of refsIn(row.body)) if (!besides.has(ref)) next.add(ref);
      }
    }
    wanted = [...next].filter((id) => !all.has(id));
  }
  return all;
}

/** Nodes by id, without their hashes; those that aren't there are missing. Call it in one snapshot. */
export async function readBodiesFrom(reader: PostgresReader, ids: readonly number[]): Promise<Map<number, NodeBody>> {
  const bodies = new Map<number, NodeBody>();
  for await (const rows of batches(reader, ids, BODIES))
    for (const row of rows) bodies.set(Number(row.id), nodeOf(row));
  return bodies;
}

async function* batches(reader: PostgresReader, ids: readonly number[], sql: string): AsyncIterable<NodeRow[]> {
  for (let at = 0; at < ids.length; at += BATCH) {
    const batch = ids.slice(at, at + BATCH).map(String);
    yield await reader.query<NodeRow & { [column: string]: unknown }>(sql, [batch]);
  }
}

function nodeOf({ id, kind, body, hash }: NodeRow): Node {
  if (isKind(kind)) return { kind, body, hash };
  throw new InspectorError('unreadable', `A part of this state is damaged: node ${id}.`, {
    data: { node: Number(id) },
  });
}

const KINDS: readonly number[] = Object.values(KIND);
const isKind = (kind: number): kind is NodeKind => KINDS.includes(kind);

/** Nodes of one statement, as the columns that it is given. */
export interface NodeColumns {
  readonly ids: string[];
  readonly kinds: string[];
  readonly hashes: string[];
  readonly bodies: string[];
}

/** Of new nodes whose ids are known; many or long ones in several statements. */
export function columnsOf(fresh: readonly FreshNode[]): NodeColumns[] {
  const all: NodeColumns[] = [];
  let length = 0;
  for (const one of fresh) {
    const body = bodyOf(one);
    length += body.length;
    let last = all.at(-1);
    if (last === undefined || length > BATCH_LENGTH || last.ids.length >= BATCH) {
      last = { ids: [], kinds: [], hashes: [], bodies: [] };
      all.push(last);
      length = body.length;
    }
    last.ids.push(String(one.node.id));
    last.kinds.push(String(one.kind));
    last.hashes.push(one.node.hash);
    last.bodies.push(body);
  }
  return all;
}

/** Its first four parameters are those of a `NodeColumns`. */
export const INSERT_NODES = `INSERT INTO nodes (id, kind, hash, body)
  SELECT id, kind, decode(hash, 'hex'), body
  FROM unnest($1::bigint[], $2::smallint[], $3::text[], $4::text[]) AS fresh (id, kind, hash, body)`;

/** An id that nobody else gets, also where the transaction is rolled back. */
export const NEW_ID = "nextval(pg_get_serial_sequence('nodes', 'id'))";
export const newIds = (count: number): string => `SELECT ${NEW_ID} AS id FROM generate_series(1, ${count})`;

/** In the writer's transaction. */
export async function writeNodesTo(writer: PostgresReader, fresh: readonly FreshNode[]): Promise<void> {
  if (fresh.length === 0) return;
  const rows = await writer.query<{ id: string }>(newIds(fresh.length));
  giveIds(
    fresh,
    rows.map(({ id }) => id),
  );
  for (const { ids, kinds, hashes, bodies } of columnsOf(fresh))
    await writer.query(INSERT_NODES, [ids, kinds, hashes, bodies]);
}

export function giveIds(fresh: readonly FreshNode[], ids: readonly string[]): void {
  for (const [at, { node }] of fresh.entries()) node.id = Number(ids[at]);
}

/** Keeps a text byte for byte; its id. */
export async function writeWholeTo(writer: PostgresReader, text: string): Promise<number> {
  const [row] = await writer.query<{ id: string }>('INSERT INTO texts (text) VALUES ($1) RETURNING id', [text]);
  return Number(row?.id);
}
