import {
  bodyOf,
  InspectorError,
  KIND,
  KnownTexts,
  refsIn,
  sharedOf,
  textOf,
  type FreshNode,
  type NodeBody,
  type NodeKind,
  type SharedState,
} from '@checkpoint-inspector/core';
import type { SqliteDatabase } from '../sqlite/index.ts';
import { prepared } from './statements.ts';

/** Ids in one statement. */
const BATCH = 2_000;
/** Up to so many ids a statement for each takes less than a list of them. */
const FEW = 4;
/** Of a state with more nodes that weren't known, somebody is going to see what changed in it. */
const MANY = 32;

/** What is read of nodes, by one id and by many. */
interface Columns {
  readonly one: string;
  readonly many: string;
}

const columnsOf = (names: string): Columns => ({
  one: `SELECT ${names} FROM nodes WHERE id = ?`,
  many: `SELECT ${names} FROM nodes WHERE id IN (SELECT value FROM json_each(?))`,
});
/** A text needs no hashes. */
const BODIES = columnsOf('id, kind, body');
const HASHED = columnsOf('id, kind, body, lower(hex(hash))');
const INSERT = 'INSERT INTO nodes (kind, hash, body) VALUES (?, ?, ?)';

type NodeRow = readonly [id: number, kind: number, body: string, hash?: string];
type Node = NodeBody & { readonly hash: string };

/** Where a checkpoint's state is: its root, and a text that is kept whole because its layout isn't compact. */
export interface StateRow {
  readonly root: number;
  readonly whole: number | null;
  readonly size_bytes: number;
}

/** The text of a state. Call it inside a transaction. @throws InspectorError unreadable where a part is missing */
export function readText(db: SqliteDatabase, { root, whole, size_bytes: bytes }: StateRow): string {
  if (whole === null) return textOf(readAll(db, root, BODIES), root, bytes);
  const text = prepared<{ text: string }>(db, 'SELECT text FROM texts WHERE id = ?').get(whole)?.text;
  if (text !== undefined) return text;
  throw new InspectorError('unreadable', `The text of this state is missing: text ${whole}.`, {
    data: { text: whole },
  });
}

interface Known {
  readonly texts: KnownTexts;
  /** What the newest of them was when they were read. */
  readonly stamp: string;
}
const known = new WeakMap<SqliteDatabase, Known>();
/** Nodes are only ever added until a collection, so those before a node that is still there are there too. */
const STAMP = `SELECT v || (SELECT lower(hex(hash)) FROM nodes WHERE id = ?) FROM store_meta WHERE k = 'gc_epoch'`;

/**
 * The text of a state, of which only the nodes are read that no state had which was read before. Call it inside a
 * transaction that writes nothing: nodes of one that is rolled back are never to be known.
 * @param before the state that is likely to be asked for next, which has most in common with this one
 * @throws InspectorError unreadable where a part is missing
 */
export function readKnownText(db: SqliteDatabase, row: StateRow, before: () => StateRow | undefined): string {
  if (row.whole !== null) return readText(db, row);
  const { texts, stamp } = known.get(db) ?? { texts: new KnownTexts(), stamp: '' };
  if (stamp === '' || stampOf(db, texts) !== stamp) texts.clear();
  const { newest } = texts;
  const { root, size_bytes: bytes } = row;
  const nodes = texts.isExpected(root) ? NONE : readAll(db, root, BODIES, texts);
  const text = texts.textOf(nodes, root, bytes);
  if (nodes.size > MANY) readAhead(db, texts, before());
  if (texts.newest !== newest) known.set(db, { texts, stamp: stampOf(db, texts) });
  return text;
}

const NONE: ReadonlyMap<number, Node> = new Map();

/** The few nodes that only the state before has, in the transaction in which the others were read. */
function readAhead(db: SqliteDatabase, texts: KnownTexts, before: StateRow | undefined): void {
  if (before === undefined || before.whole !== null) return;
  try {
    const nodes = readAll(db, before.root, BODIES, texts, MANY);
    texts.expect(nodes, before.root, before.size_bytes);
  } catch (error) {
    // Whoever asks for it is told why it can't be read.
    if (!InspectorError.is(error)) throw error;
  }
}

const stampOf = (db: SqliteDatabase, { newest }: KnownTexts): string =>
  prepared<[string | null]>(db, STAMP, true).get(newest)?.[0] ?? '';

/** A stored state as the next one is compared with it. @throws InspectorError unreadable */
export const readShared = (db: SqliteDatabase, root: number): SharedState => sharedOf(readAll(db, root, HASHED), root);

/** Nodes by id, without their hashes; those that aren't there are missing. Call it inside a transaction. */
export function readBodies(db: SqliteDatabase, ids: readonly number[]): Map<number, NodeBody> {
  return new Map(Array.from(readRows(db, ids, BODIES), (row) => [row[0], nodeOf(row)]));
}

/** All nodes of a state but those that are known, a level at a time; of one with more than `most` not all of them. */
function readAll(
  db: SqliteDatabase,
  root: number,
  columns: Columns,
  besides: { has(id: number): boolean } = new Set(),
  most = Number.POSITIVE_INFINITY,
): Map<number, Node> {
  const all = new Map<number, Node>();
  let wanted = [root];
  while (wanted.length > 0 && all.size + wanted.length <= most) {
    const next = new Set<number>();
    for (const row of readRows(db, wanted, columns)) {
      all.set(row[0], nodeOf(row));
      for (const ref of refsIn(row[2])) if (!all.has(ref) && !besides.has(ref)) next.add(ref);
    }
    wanted = [...next].filter((id) => !all.has(id));
  }
  return all;
}

function* readRows(db: SqliteDatabase, ids: readonly number[], { one, many }: Columns): Iterable<NodeRow> {
  if (ids.length <= FEW) {
    for (const id of ids) yield* prepared<NodeRow>(db, one, true).all(id);
    return;
  }
  for (let at = 0; at < ids.length; at += BATCH)
    yield* prepared<NodeRow>(db, many, true).all(JSON.stringify(ids.slice(at, at + BATCH)));
}

function nodeOf([id, kind, body, of = '']: NodeRow): Node {
  if (isKind(kind) && typeof body === 'string') return { kind, body, hash: of };
  throw new InspectorError('unreadable', `A part of this state is damaged: node ${id}.`, { data: { node: id } });
}

const KINDS: readonly number[] = Object.values(KIND);
const isKind = (kind: number): kind is NodeKind => KINDS.includes(kind);

/** Writes new nodes and tells them their ids. In the caller's transaction: its rollback makes the ids void. */
export function writeNodes(db: SqliteDatabase, fresh: readonly FreshNode[]): void {
  const insert = prepared(db, INSERT);
  for (const one of fresh) {
    const { lastInsertRowid } = insert.run(one.kind, Buffer.from(one.node.hash, 'hex'), bodyOf(one));
    one.node.id = Number(lastInsertRowid);
  }
}

/** Keeps a text byte for byte; its id. */
export function writeWhole(db: SqliteDatabase, text: string): number {
  return Number(prepared(db, 'INSERT INTO texts (text) VALUES (?)').run(text).lastInsertRowid);
}

/** Several reads of one moment, that of a transaction which is open: nothing that another writer removes is missed. */
export function readTogether<T>(db: SqliteDatabase, read: () => T): T {
  if (db.inTransaction) return read();
  prepared(db, 'BEGIN').run();
  try {
    return read();
  } finally {
    prepared(db, 'COMMIT').run();
  }
}
