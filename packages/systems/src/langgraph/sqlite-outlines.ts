/** What a tree is drawn from, of many rows of a SQLite file at once. */
import type { SqliteDatabase, SqliteStatement } from '@checkpoint-inspector/io';
import { NAMED } from './odd-rows.ts';
import type { Key, Outlines, PackedOutlines, Packing, RowOutline, RowsMark, StoredOutline } from './queries.ts';

export const KEY = 'thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?';
export const keys = `SELECT checkpoint_ns AS ns, checkpoint_id AS id FROM checkpoints c WHERE thread_id = ? AND ${NAMED}`;
export const after = 'AND (checkpoint_id, checkpoint_ns)';
export const ascending = 'ORDER BY checkpoint_id, checkpoint_ns';
/** In lists, nothing is read from rows larger than this. */
export const PEEKED = 4 * 1024 * 1024;
/** Rows that are read at once. */
const OUTLINES = 250;
/** Bytes of the end of a checkpoint that an outline has: as few as do for most rows of its thread. */
const WIDEST = 1024;
const WINDOWS = [128, 256, 512, WIDEST];

/** Texts as text: bytes cost a tree of many rows more than their reading. */
const cut = (from: string): string => `CASE WHEN octet_length(checkpoint) > ${PEEKED} THEN NULL
  WHEN type = 'msgpack' THEN CAST(substr(checkpoint, ${from}) AS BLOB) ELSE CAST(substr(checkpoint, ${from}) AS TEXT) END`;
/** Before the end of `ts` there is little but the id. What a tree keeps of a longer start would stay in memory with it. */
const OUTLINE_START = '1, 100 + octet_length(checkpoint_id)';
const outline = (
  window: number,
): string => `SELECT checkpoint_ns, checkpoint_id, CAST(parent_checkpoint_id AS TEXT), type,
  ${cut(OUTLINE_START)}, ${cut(`-${window}`)},
  CASE WHEN octet_length(metadata) <= ${PEEKED} THEN CAST(metadata AS TEXT) END, ${window}, rowid,
  coalesce(octet_length(checkpoint), 0) + coalesce(octet_length(metadata), 0) FROM checkpoints`;
type OutlineColumns = readonly [
  ns: string,
  id: string,
  parent: string | null,
  type: string | null,
  start: RowOutline['start'],
  end: RowOutline['end'],
  metadata: string | null,
  window: number,
  row: number,
  size: number,
];

const outlineOf = (columns: OutlineColumns): StoredOutline => {
  const [ns, id, parent, type, start, end, metadata, window, row, size] = columns;
  return { ns, id, parent, type, start, end, metadata, window, row, size };
};

/** Twice what the newest row needs, of which this is the end: others have other numbers, and some a node more. */
function windowFor(endOfNewest: Uint8Array | undefined): number {
  const end = Buffer.from(endOfNewest ?? []);
  const at = end.lastIndexOf('versions_seen');
  return WINDOWS.find((window) => at >= 0 && window >= 2 * (end.length - at)) ?? WIDEST;
}

/** How LangGraph for JavaScript writes the beginning of a checkpoint: its version, an id of its kind, the time. */
const ID_LENGTH = 36;
const TIME_AT = '{"v":4,"id":"","ts":"'.length + ID_LENGTH + 1;
const TIME_LENGTH = 'yyyy-mm-ddThh:mm:ss.mmmZ'.length;
/** Larger metadata is somebody's own. */
const MOST_METADATA = 4096;
const AFTER = "FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = '' AND checkpoint_id > ?";
/** The last of so many rows. */
const PACKED_END = `SELECT checkpoint_id ${AFTER} AND checkpoint_id < ? ORDER BY checkpoint_id LIMIT 1 OFFSET +?`;
/** Along the index of the key, which is the order of the rows. */
const packed = (window: number, version: string): string => `SELECT count(*), total(rowid), max(rowid),
  json_group_array(checkpoint_id), json_group_array(CAST(parent_checkpoint_id AS TEXT)),
  '["' || group_concat(CAST(substr(checkpoint, ${TIME_AT}, ${TIME_LENGTH + 1}) AS TEXT), ',"') || ']',
  CAST(group_concat(CAST(metadata AS TEXT), '\n') AS BLOB),
  CAST(group_concat(CAST(substr(checkpoint, -${window}) AS TEXT), '\n') AS BLOB)
  ${AFTER} AND checkpoint_id <= ? AND typeof(checkpoint_id) = 'text' AND type = 'json' AND octet_length(checkpoint) <= ${PEEKED}
  AND substr(checkpoint, 1, ${TIME_AT - 1}) = CAST('{"v":${version},"id":"' || checkpoint_id || '","ts":"' AS BLOB)
  AND octet_length(metadata) <= ${MOST_METADATA}`;
/** One thread is written by one version, mostly. */
const VERSION_OF_NEWEST = `SELECT CASE WHEN octet_length(checkpoint) <= ${PEEKED} THEN CAST(substr(checkpoint, 6, 1) AS TEXT) END
  FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = '' ORDER BY checkpoint_id DESC LIMIT 1`;
type PackedColumns = readonly [
  count: number,
  sum: number,
  newest: number | null,
  ids: string,
  parents: string,
  times: string | null,
  metadata: Buffer | null,
  ends: Buffer | null,
];

/** `undefined` where some row of these is not as it is taken to be. */
function packedOf(columns: PackedColumns, count: number, window: number): PackedOutlines | undefined {
  const [found, sum, newest, ids, parents, times, metadata, ends] = columns;
  // An escape would make its id longer.
  if (found !== count || newest === null || ids.length !== count * (ID_LENGTH + 3) + 1) return undefined;
  if (times === null || metadata === null || ends === null) return undefined;
  const idAt = (place: number): string => ids.substr(2 + place * (ID_LENGTH + 3), ID_LENGTH);
  return { count, sum, newest, ids, parents, idAt, times, metadata, ends, window };
}

/** Statements of one database, each prepared once. */
class SqliteStatements {
  protected readonly database: SqliteDatabase;
  readonly #prepared = new Map<string, SqliteStatement<unknown>>();

  constructor(database: SqliteDatabase) {
    this.database = database;
  }

  /** Prepared once per database. The row type is what the statement's own column list says. */
  protected sql<Row>(sql: string, options?: { readonly arrays: true }): SqliteStatement<Row> {
    const known = this.#prepared.get(sql) ?? this.database.prepare<unknown>(sql, options);
    this.#prepared.set(sql, known);
    return known as SqliteStatement<Row>;
  }

  /** For many rows at once: an object with named columns costs half as much again. No other statement has this text. */
  protected arrays<Row extends readonly unknown[]>(sql: string): SqliteStatement<Row> {
    return this.sql<Row>(sql, { arrays: true });
  }
}

/** What a tree is drawn from, and how its rows are found. */
export class SqliteOutlines extends SqliteStatements implements Outlines {
  keys(thread: string, from?: Key): Key[] {
    if (from === undefined) return this.sql<Key>(`${keys} ${ascending}`).all(thread);
    return this.sql<Key>(`${keys} ${after} > (?, ?) ${ascending}`).all(thread, from.id, from.ns);
  }

  rowsUpTo(thread: string, { id, ns }: Key): RowsMark {
    const sql = `SELECT count(*), total(rowid), max(rowid) FROM checkpoints WHERE thread_id = ? AND ${NAMED} ${after} <= (?, ?)`;
    const [count, sum, newest] = this.arrays<readonly [number, number, number | null]>(sql).get(thread, id, ns) ?? [
      0, 0,
    ];
    return { count, sum, newest: newest ?? 0 };
  }

  *newestIds(thread: string, ns: string): Iterable<string> {
    const statement = this.sql<Key>(
      `${keys} AND checkpoint_ns = ? AND checkpoint_id < ? ORDER BY checkpoint_id DESC LIMIT 1`,
    );
    let key = this.sql<Key>(`${keys} AND checkpoint_ns = ? ORDER BY checkpoint_id DESC LIMIT 1`).get(thread, ns);
    for (; key; key = statement.get(thread, ns, key.id)) yield key.id;
  }

  *outlines(thread: string, from?: Key): Iterable<StoredOutline> {
    const ns = this.onlyNamespace(thread);
    if (ns === undefined) {
      // One by one: sorting rows of several namespaces would copy them all.
      const statement = this.arrays<OutlineColumns>(`${outline(WIDEST)} WHERE ${KEY}`);
      for (const key of this.keys(thread, from)) {
        const row = statement.get(thread, key.ns, key.id);
        if (row) yield outlineOf(row);
      }
      return;
    }
    const window = this.#windowOf(thread, ns);
    const rows = (after: string): SqliteStatement<OutlineColumns> =>
      this.arrays(
        `${outline(window)} WHERE thread_id = ? AND checkpoint_ns = ? ${after} AND ${NAMED} ORDER BY checkpoint_id LIMIT ${OUTLINES}`,
      );
    // A few at a time: nothing may hold the file while others get their turn.
    let found = from ? rows('AND checkpoint_id > ?').all(thread, ns, from.id) : rows('').all(thread, ns);
    for (;;) {
      for (const row of found) yield outlineOf(row);
      const last = found.at(-1);
      if (last === undefined || found.length < OUTLINES) return;
      found = rows('AND checkpoint_id > ?').all(thread, ns, last[1]);
    }
  }

  packing(thread: string): Packing | undefined {
    if (this.onlyNamespace(thread) !== '') return undefined;
    const version = this.arrays<readonly [string | null]>(VERSION_OF_NEWEST).get(thread)?.[0] ?? null;
    if (version === null || !/^\d$/.test(version)) return undefined;
    const window = this.#windowOf(thread, '');
    const end = this.arrays<readonly [string]>(PACKED_END);
    const rows = this.arrays<PackedColumns>(packed(window, version));
    return (after, until, count) => {
      const [last] = end.get(thread, after, until, count - 1) ?? [];
      if (last === undefined) return 'few';
      const columns = rows.get(thread, after, last);
      return columns && packedOf(columns, count, window);
    };
  }

  /** Bytes that do for the ends of most rows. */
  #windowOf(thread: string, ns: string): number {
    const [tip] = this.newestIds(thread, ns);
    return windowFor(tip === undefined ? undefined : this.end(thread, { ns, id: tip }));
  }

  tips(thread: string): Key[] {
    // From one namespace to the next: a group would go through all rows.
    const sql = `WITH RECURSIVE n(ns) AS (SELECT min(checkpoint_ns) FROM checkpoints WHERE thread_id = :thread AND ${NAMED} UNION ALL
        SELECT (SELECT min(checkpoint_ns) FROM checkpoints WHERE thread_id = :thread AND checkpoint_ns > n.ns AND ${NAMED})
        FROM n WHERE n.ns IS NOT NULL)
      SELECT ns, (SELECT max(checkpoint_id) FROM checkpoints WHERE thread_id = :thread AND checkpoint_ns = ns AND ${NAMED}) AS id
      FROM n WHERE ns IS NOT NULL`;
    return this.sql<Key>(sql).all({ thread });
  }

  marked(thread: string, channel: string, upTo?: Key): Key[] {
    const sql = `SELECT DISTINCT checkpoint_ns AS ns, checkpoint_id AS id FROM writes WHERE thread_id = ? AND channel = ? AND ${NAMED}`;
    if (upTo === undefined) return this.sql<Key>(sql).all(thread, channel);
    const here = `EXISTS (SELECT 1 FROM checkpoints c WHERE c.thread_id = writes.thread_id
      AND c.checkpoint_ns = writes.checkpoint_ns AND c.checkpoint_id = writes.checkpoint_id)`;
    return this.sql<Key>(`${sql} ${after} <= (?, ?) AND ${here}`).all(thread, channel, upTo.id, upTo.ns);
  }

  end(thread: string, key: Key): Uint8Array | undefined {
    const sql = `SELECT CAST(substr(checkpoint, -16384) AS BLOB) AS end FROM checkpoints
      WHERE ${KEY} AND octet_length(checkpoint) <= ${PEEKED}`;
    return this.sql<{ end: Uint8Array | null }>(sql).get(thread, key.ns, key.id)?.end ?? undefined;
  }

  /** With only one, the key's order is the index's own. */
  onlyNamespace(thread: string): string | undefined {
    const sql = `SELECT (SELECT min(checkpoint_ns) FROM checkpoints WHERE thread_id = ? AND ${NAMED}) AS first,
      (SELECT max(checkpoint_ns) FROM checkpoints WHERE thread_id = ? AND ${NAMED}) AS last`;
    const found = this.sql<{ first: string | null; last: string | null }>(sql).get(thread, thread);
    return found?.first === found?.last ? (found?.first ?? undefined) : undefined;
  }
}
