/** What a tree is drawn from, of many rows of a SQLite file at once. */
import type { SqliteDatabase, SqliteStatement } from '@checkpoint-inspector/io';
import { NAMED } from './odd-rows.ts';
import type { Key, Outlines, RowOutline, StoredOutline } from './queries.ts';

export const KEY = 'thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?';
export const keys = `SELECT checkpoint_ns AS ns, checkpoint_id AS id FROM checkpoints c WHERE thread_id = ? AND ${NAMED}`;
export const after = 'AND (checkpoint_id, checkpoint_ns)';
export const ascending = 'ORDER BY checkpoint_id, checkpoint_ns';
/** In lists, nothing is read from rows larger than this. */
export const PEEKED = 4 * 1024 * 1024;
/** Rows that are read at once. */
const OUTLINES = 250;
/** Bytes of the end of a checkpoint that an outline has: enough for most rows. */
const WINDOW = 1024;

/** Texts as text: bytes cost a tree of many rows more than their reading. */
const cut = (from: string): string => `CASE WHEN octet_length(checkpoint) > ${PEEKED} THEN NULL
  WHEN type = 'msgpack' THEN CAST(substr(checkpoint, ${from}) AS BLOB) ELSE CAST(substr(checkpoint, ${from}) AS TEXT) END`;
/** Before the end of `ts` there is little but the id. What a tree keeps of a longer start would stay in memory with it. */
const OUTLINE_START = '1, 100 + octet_length(checkpoint_id)';
const OUTLINE = `SELECT checkpoint_ns, checkpoint_id, CAST(parent_checkpoint_id AS TEXT), type,
  ${cut(OUTLINE_START)}, ${cut(`-${WINDOW}`)},
  CASE WHEN octet_length(metadata) <= ${PEEKED} THEN CAST(metadata AS TEXT) END,
  coalesce(octet_length(checkpoint), 0) + coalesce(octet_length(metadata), 0) FROM checkpoints`;
type OutlineColumns = readonly [
  ns: string,
  id: string,
  parent: string | null,
  type: string | null,
  start: RowOutline['start'],
  end: RowOutline['end'],
  metadata: string | null,
  size: number,
];

const outlineOf = (columns: OutlineColumns): StoredOutline => {
  const [ns, id, parent, type, start, end, metadata, size] = columns;
  return { ns, id, parent, type, start, end, metadata, window: WINDOW, size };
};

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

  newest(thread: string, ns: string, before?: string): string | undefined {
    const older = before === undefined ? '' : 'AND checkpoint_id < ?';
    const sql = `${keys} AND checkpoint_ns = ? ${older} ORDER BY checkpoint_id DESC LIMIT 1`;
    return this.sql<Key>(sql).get(thread, ns, ...(before === undefined ? [] : [before]))?.id;
  }

  *outlines(thread: string, from?: Key): Iterable<StoredOutline> {
    const ns = this.onlyNamespace(thread);
    if (ns === undefined) {
      // One by one: sorting rows of several namespaces would copy them all.
      const statement = this.arrays<OutlineColumns>(`${OUTLINE} WHERE ${KEY}`);
      for (const key of this.keys(thread, from)) {
        const row = statement.get(thread, key.ns, key.id);
        if (row) yield outlineOf(row);
      }
      return;
    }
    const rows = (after: string): SqliteStatement<OutlineColumns> =>
      this.arrays(
        `${OUTLINE} WHERE thread_id = ? AND checkpoint_ns = ? ${after} AND ${NAMED} ORDER BY checkpoint_id LIMIT ${OUTLINES}`,
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

  tips(thread: string): Key[] {
    // From one namespace to the next: a group would go through all rows.
    const sql = `WITH RECURSIVE n(ns) AS (SELECT min(checkpoint_ns) FROM checkpoints WHERE thread_id = :thread AND ${NAMED} UNION ALL
        SELECT (SELECT min(checkpoint_ns) FROM checkpoints WHERE thread_id = :thread AND checkpoint_ns > n.ns AND ${NAMED})
        FROM n WHERE n.ns IS NOT NULL)
      SELECT ns, (SELECT max(checkpoint_id) FROM checkpoints WHERE thread_id = :thread AND checkpoint_ns = ns AND ${NAMED}) AS id
      FROM n WHERE ns IS NOT NULL`;
    return this.sql<Key>(sql).all({ thread });
  }

  failed(thread: string): Key[] {
    const sql = `SELECT DISTINCT checkpoint_ns AS ns, checkpoint_id AS id FROM writes WHERE thread_id = ? AND channel = '__error__' AND ${NAMED}`;
    return this.sql<Key>(sql).all(thread);
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
