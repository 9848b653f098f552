import type { SqliteDatabase, SqliteStatement } from '@checkpoint-inspector/io';
import { NAMED, OddRows, TEXTS, UP_TO_TEXTS, type OddRow } from './odd-rows.ts';
import type {
  FullRow,
  Key,
  PendingRow,
  Queries,
  RowSummary,
  StoredOutline,
  ThreadRow,
  Version,
  WriteRow,
  WriteTotals,
} from './queries.ts';
import { keyText } from './seen-versions.ts';
import { UNFINISHED } from './tasks.ts';

const KEY = 'thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?';
const keys = `SELECT checkpoint_ns AS ns, checkpoint_id AS id FROM checkpoints c WHERE thread_id = ? AND ${NAMED}`;
const after = 'AND (checkpoint_id, checkpoint_ns)';
const ascending = 'ORDER BY checkpoint_id, checkpoint_ns';
const descending = 'ORDER BY checkpoint_id DESC, checkpoint_ns DESC LIMIT +?';

/** In lists, nothing is read from rows larger than this. */
const PEEKED = 4 * 1024 * 1024;
/** Larger rows are checked when they are opened, not in lists. */
const CHECKED = 256 * 1024;
/** Bytes of the end of a checkpoint that an outline has: enough for most rows. */
const WINDOW = 1024;

/** Texts as text: bytes cost a tree of many rows more than their reading. */
const cut = (from: string): string => `CASE WHEN octet_length(checkpoint) > ${PEEKED} THEN NULL
  WHEN type = 'msgpack' THEN CAST(substr(checkpoint, ${from}) AS BLOB) ELSE CAST(substr(checkpoint, ${from}) AS TEXT) END`;
/** Before the end of `ts` there is little but the id. */
const OUTLINES = `SELECT checkpoint_ns, checkpoint_id, CAST(parent_checkpoint_id AS TEXT), type,
  ${cut('1, 100 + octet_length(checkpoint_id)')}, ${cut(`-${WINDOW}`)},
  CASE WHEN octet_length(metadata) <= ${PEEKED} THEN CAST(metadata AS TEXT) END,
  coalesce(octet_length(checkpoint), 0) + coalesce(octet_length(metadata), 0)
  FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id BETWEEN ? AND ? AND ${NAMED} ORDER BY checkpoint_id`;
type OutlineColumns = readonly [
  ns: string,
  id: string,
  parent: string | null,
  type: string | null,
  start: StoredOutline['start'],
  end: StoredOutline['end'],
  metadata: string | null,
  size: number,
];

const TEXT = 'CAST(c.checkpoint AS TEXT)';
const SUMMARY = `SELECT c.checkpoint_ns AS ns, c.checkpoint_id AS id, CAST(c.parent_checkpoint_id AS TEXT) AS parent, c.type AS type,
  typeof(c.checkpoint) AS stored, coalesce(octet_length(c.checkpoint), 0) AS size,
  coalesce(octet_length(c.metadata), 0) AS metadataSize,
  CASE WHEN octet_length(c.checkpoint) <= ${PEEKED} THEN CAST(substr(c.checkpoint, 1, 512) AS BLOB) END AS start,
  CASE WHEN octet_length(c.checkpoint) <= ${PEEKED} THEN CAST(substr(c.checkpoint, -16384) AS BLOB) END AS end,
  CASE WHEN typeof(c.checkpoint) NOT IN ('blob', 'text') OR coalesce(c.type, 'json') <> 'json' OR octet_length(c.checkpoint) > ${CHECKED}
    THEN 'unseen' WHEN json_valid(${TEXT}) THEN json_type(${TEXT}, '$.channel_values') ELSE 'bad' END AS shape,
  CASE WHEN octet_length(c.metadata) <= ${PEEKED} THEN CAST(c.metadata AS TEXT) END AS metadata,
  EXISTS (${marked('__error__')}) AS failed, EXISTS (${marked('__interrupt__')}) AS interrupted,
  (SELECT max(n.checkpoint_id) FROM checkpoints n WHERE n.thread_id = c.thread_id
    AND n.checkpoint_ns = c.checkpoint_ns AND typeof(n.checkpoint_id) = 'text') AS newest
  FROM checkpoints c WHERE c.thread_id = ? AND c.checkpoint_ns = ? AND c.checkpoint_id = ?`;

const FULL = `SELECT checkpoint_ns AS ns, checkpoint_id AS id, CAST(parent_checkpoint_id AS TEXT) AS parent, type,
  typeof(checkpoint) AS stored, CAST(checkpoint AS BLOB) AS checkpoint,
  typeof(metadata) AS metadataStored, CAST(metadata AS BLOB) AS metadata
  FROM checkpoints`;

function marked(channel: string): string {
  return `SELECT 1 FROM writes w WHERE w.thread_id = c.thread_id AND w.checkpoint_ns = c.checkpoint_ns
    AND w.checkpoint_id = c.checkpoint_id AND w.channel = '${channel}'`;
}

/** Where an id is. No index begins with it: a look into each thread's root, and through its subgraphs' part of the index. */
const FIND = `WITH RECURSIVE t(id) AS (SELECT min(thread_id) FROM checkpoints WHERE ${TEXTS} UNION ALL
    SELECT (SELECT min(thread_id) FROM checkpoints WHERE thread_id > t.id AND ${UP_TO_TEXTS}) FROM t WHERE t.id IS NOT NULL)
  SELECT t.id AS thread, c.checkpoint_ns AS ns FROM t CROSS JOIN checkpoints c
  WHERE c.thread_id = t.id AND c.checkpoint_ns = '' AND c.checkpoint_id = :id UNION ALL
  SELECT t.id, c.checkpoint_ns FROM t CROSS JOIN checkpoints c
  WHERE c.thread_id = t.id AND c.checkpoint_ns > '' AND c.checkpoint_ns < x'' AND c.checkpoint_id = :id ORDER BY 1, 2`;

const HAS_CHECKPOINTS = 'EXISTS (SELECT 1 FROM checkpoints c WHERE c.thread_id = t.id)';
const NEWEST_WRITE = '(SELECT max(w.checkpoint_id) FROM writes w WHERE w.thread_id = t.id)';

/** Every statement that reads a LangGraph SQLite file. Ids are bound and matched with `=` only. */
export class SqliteQueries implements Queries {
  readonly #database: SqliteDatabase;
  readonly #prepared = new Map<string, SqliteStatement<unknown>>();
  readonly #odd = new OddRows(
    (sql) => this.sql(sql),
    () => this.version().commit,
  );

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** Prepared once. The row type is what the statement's own column list says. */
  protected sql<Row>(sql: string, options?: { readonly arrays: true }): SqliteStatement<Row> {
    const known = this.#prepared.get(sql) ?? this.#database.prepare<unknown>(sql, options);
    this.#prepared.set(sql, known);
    return known as SqliteStatement<Row>;
  }

  /** Rows of both tables that no thread lists. */
  odd(): readonly OddRow[] {
    return this.#odd.rows();
  }

  oddNewest(thread: string): number | undefined {
    const sql = `SELECT rowid FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = '' AND checkpoint_id >= x''
      ORDER BY checkpoint_id DESC LIMIT 1`;
    return this.sql<{ rowid: number }>(sql).get(thread)?.rowid;
  }

  oddBytes(row: OddRow): Uint8Array | undefined {
    return this.#odd.bytes(row);
  }

  /** A new row has a greater row id than all before. */
  version(): Version {
    const commit = this.#database.pragma('data_version');
    const sql = 'SELECT coalesce(max(rowid), 0) AS last FROM';
    const last = (table: string) => this.sql<{ last: number }>(`${sql} ${table}`).get()?.last;
    return { commit, saved: `${last('checkpoints')} ${last('writes')}` };
  }

  /** LangGraph saves a row again under another row id. */
  mark(thread: string): string {
    const of = (table: string): string => {
      const sql = `SELECT count(*) || ' ' || total(rowid) AS mark FROM ${table} WHERE thread_id = ?`;
      return this.sql<{ mark: string }>(sql).get(thread)?.mark ?? '';
    };
    return `${of('checkpoints')} ${of('writes')}`;
  }

  threads(): ThreadRow[] {
    // From one thread of the writes to the next: DISTINCT reads the whole index, and most writes are of few threads.
    const sql = `WITH RECURSIVE t(id) AS (SELECT min(thread_id) FROM writes WHERE ${TEXTS} UNION ALL
        SELECT (SELECT min(thread_id) FROM writes WHERE thread_id > t.id AND ${UP_TO_TEXTS}) FROM t WHERE t.id IS NOT NULL)
      SELECT thread_id AS id, count(*) AS count, max(checkpoint_id) AS newest FROM checkpoints WHERE ${TEXTS} GROUP BY thread_id
      UNION ALL SELECT t.id, 0, ${NEWEST_WRITE} FROM t WHERE t.id IS NOT NULL AND NOT ${HAS_CHECKPOINTS}`;
    return this.#withoutOdd(this.sql<ThreadRow>(sql).all());
  }

  #withoutOdd(threads: ThreadRow[]): ThreadRow[] {
    const odd = new Set(this.odd().flatMap(({ thread }) => thread ?? []));
    if (odd.size === 0) return threads;
    return threads.flatMap((row) => (odd.has(row.id) ? (this.thread(row.id) ?? []) : row));
  }

  /** True when some row is of one of these payload types; JSON is one, named or not. Ends at the first. */
  hasType(types: readonly string[]): boolean {
    const marks = types.map(() => '?').join(', ');
    const sql = `SELECT 1 FROM checkpoints NOT INDEXED WHERE coalesce(type, 'json') IN (${marks}) LIMIT 1`;
    return this.sql(sql).get(...types) !== undefined;
  }

  /** The payload types of all rows. */
  types(): readonly string[] {
    const sql = "SELECT DISTINCT coalesce(type, 'json') AS type FROM checkpoints ORDER BY 1";
    return this.sql<{ type: string }>(sql)
      .all()
      .map(({ type }) => type);
  }

  thread(thread: string): ThreadRow | undefined {
    const of = (count: string, table: string): string =>
      `SELECT thread_id AS id, ${count} AS count, max(checkpoint_id) AS newest FROM ${table} WHERE thread_id = ? AND ${NAMED} GROUP BY 1`;
    return (
      this.sql<ThreadRow>(of('count(*)', 'checkpoints')).get(thread) ??
      this.sql<ThreadRow>(of('0', 'writes')).get(thread)
    );
  }

  /** Bytes of a thread's rows in both tables; row heads are read, not the values. */
  bytes(thread: string): number {
    const sql = `SELECT (SELECT coalesce(sum(coalesce(octet_length(checkpoint), 0) + coalesce(octet_length(metadata), 0)), 0)
      FROM checkpoints WHERE thread_id = ? AND ${NAMED}) + (SELECT coalesce(sum(octet_length(value)), 0)
      FROM writes WHERE thread_id = ? AND ${NAMED}) AS bytes`;
    return this.sql<{ bytes: number }>(sql).get(thread, thread)?.bytes ?? 0;
  }

  otherTypes(thread: string): number {
    const sql = `SELECT count(*) AS n FROM checkpoints
      WHERE thread_id = ? AND ${NAMED} AND coalesce(type, 'json') NOT IN ('json', 'msgpack')`;
    return this.sql<{ n: number }>(sql).get(thread)?.n ?? 0;
  }

  /** Rows that look damaged, or are large and the newest; other large ones are not looked into. Of msgpack, the first byte is. */
  suspects(thread: string): Key[] {
    const sql = `${keys} AND (type = 'msgpack' AND (typeof(checkpoint) <> 'blob' OR metadata IS NULL
      OR coalesce(substr(checkpoint, 1, 1), x'') NOT BETWEEN x'80' AND x'8f')
      OR coalesce(type, 'json') = 'json' AND (typeof(checkpoint) NOT IN ('blob', 'text') OR metadata IS NULL
      OR NOT json_valid(CAST(metadata AS TEXT)) OR CASE WHEN octet_length(checkpoint) > ${CHECKED}
      THEN checkpoint_id = (SELECT max(n.checkpoint_id) FROM checkpoints n WHERE n.thread_id = c.thread_id
        AND n.checkpoint_ns = c.checkpoint_ns AND typeof(n.checkpoint_id) = 'text')
      WHEN json_valid(${TEXT}) THEN json_type(${TEXT}, '$.channel_values') IS NOT 'object' ELSE 1 END))`;
    return this.sql<Key>(sql).all(thread);
  }

  older(thread: string, from: Key | undefined, limit: number): Key[] {
    const ns = this.#onlyNamespace(thread);
    if (ns !== undefined) {
      const sql = `${keys} AND checkpoint_ns = ? ${from ? 'AND checkpoint_id < ?' : ''} ORDER BY checkpoint_id DESC LIMIT +?`;
      return this.sql<Key>(sql).all(thread, ns, ...(from ? [from.id] : []), limit);
    }
    if (from === undefined) return this.sql<Key>(`${keys} ${descending}`).all(thread, limit);
    return this.sql<Key>(`${keys} ${after} < (?, ?) ${descending}`).all(thread, from.id, from.ns, limit);
  }

  newer(thread: string, from: Key, limit: number): Key[] {
    const ns = this.#onlyNamespace(thread);
    if (ns === undefined)
      return this.sql<Key>(`${keys} ${after} > (?, ?) ${ascending} LIMIT +?`).all(thread, from.id, from.ns, limit);
    const sql = `${keys} AND checkpoint_ns = ? AND checkpoint_id > ? ORDER BY checkpoint_id LIMIT +?`;
    return this.sql<Key>(sql).all(thread, ns, from.id, limit);
  }

  keys(thread: string): Key[] {
    const ns = this.#onlyNamespace(thread);
    // With only one, the key's order is the index's own.
    if (ns === undefined) return this.sql<Key>(`${keys} ${ascending}`).all(thread);
    return this.sql<Key>(`${keys} AND checkpoint_ns = ? ORDER BY checkpoint_id`).all(thread, ns);
  }

  newest(thread: string, ns: string, before?: string): string | undefined {
    const older = before === undefined ? '' : 'AND checkpoint_id < ?';
    const sql = `${keys} AND checkpoint_ns = ? ${older} ORDER BY checkpoint_id DESC LIMIT 1`;
    return this.sql<Key>(sql).get(thread, ns, ...(before === undefined ? [] : [before]))?.id;
  }

  place(thread: string, { ns, id }: Key): number {
    const isOnly = this.#onlyNamespace(thread) === ns;
    // Along the index alone, where that is possible: a long thread has many.
    const upTo = isOnly
      ? `checkpoint_ns = :ns AND checkpoint_id BETWEEN '' AND :id`
      : `${NAMED} ${after} <= (:id, :ns)`;
    const sql = `SELECT count(*) AS n FROM checkpoints WHERE thread_id = :thread AND ${upTo}`;
    return this.sql<{ n: number }>(sql).get({ thread, ns, id })?.n ?? 0;
  }

  summaries(thread: string, wanted: readonly Key[]): RowSummary[] {
    return wanted.flatMap(({ ns, id }) => this.sql<RowSummary>(SUMMARY).get(thread, ns, id) ?? []);
  }

  /** Along the index, a namespace at a time. */
  outlines(thread: string, wanted: readonly Key[]): StoredOutline[] {
    const spans = new Map<string, { readonly first: string; last: string }>();
    for (const { ns, id } of wanted) {
      const span = spans.get(ns);
      if (span) span.last = id;
      else spans.set(ns, { first: id, last: id });
    }
    // Objects with named columns cost half as much again, and a tree has many rows.
    const statement = this.sql<OutlineColumns>(OUTLINES, { arrays: true });
    const rows = [...spans].flatMap(([own, { first, last }]) =>
      statement
        .all(thread, own, first, last)
        .map(([ns, id, parent, type, start, end, metadata, size]): StoredOutline => {
          return { ns, id, parent, type, start, end, metadata, window: WINDOW, size };
        }),
    );
    if (spans.size < 2) return rows;
    const known = new Map(rows.map((row) => [keyText(row), row]));
    return wanted.flatMap((key) => known.get(keyText(key)) ?? []);
  }

  row(thread: string, key: Key): FullRow | undefined {
    return this.sql<FullRow>(`${FULL} WHERE ${KEY}`).get(thread, key.ns, key.id);
  }

  shapeRow(thread: string, key: Key): FullRow | undefined {
    return this.row(thread, key);
  }

  *ancestors(thread: string, { ns, parent }: FullRow): Iterable<FullRow> {
    for (let id = parent; id !== null;) {
      const row = this.row(thread, { ns, id });
      if (row === undefined) return;
      yield row;
      id = row.parent;
    }
  }

  writes(thread: string, key: Key, channel: string): WriteRow[] {
    const sql = `SELECT task_id AS task, type, typeof(value) AS stored, CAST(value AS BLOB) AS value FROM writes
      WHERE ${KEY} AND channel = ? ORDER BY task_id, idx`;
    return this.sql<WriteRow>(sql).all(thread, key.ns, key.id, channel);
  }

  allWrites(thread: string, key: Key, largest: number, limit: number): PendingRow[] {
    const sql = `SELECT task_id AS task, channel, type, typeof(value) AS stored, coalesce(octet_length(value), 0) AS size,
      CASE WHEN octet_length(value) <= ? THEN CAST(value AS BLOB) END AS value FROM writes
      WHERE ${KEY} AND channel NOT IN ('__error__', '__interrupt__') ORDER BY task_id, idx LIMIT +?`;
    return this.sql<PendingRow>(sql).all(largest, thread, key.ns, key.id, limit);
  }

  tasksOf(thread: string, key: Key): { task: string; finished: number }[] {
    const sql = `SELECT task_id AS task, max(channel NOT IN (${UNFINISHED.map((name) => `'${name}'`).join(', ')})) AS finished
      FROM writes WHERE ${KEY} GROUP BY task_id`;
    return this.sql<{ task: string; finished: number }>(sql).all(thread, key.ns, key.id);
  }

  writesOf(thread: string, key: Key): WriteTotals {
    const sql = `SELECT count(*) AS count, total(channel NOT IN ('__error__', '__interrupt__')) AS plain,
      coalesce(sum(octet_length(value)), 0) AS bytes FROM writes WHERE ${KEY}`;
    return this.sql<WriteTotals>(sql).get(thread, key.ns, key.id) ?? { count: 0, plain: 0, bytes: 0 };
  }

  writeCounts(thread: string): (Key & { readonly count: number })[] {
    const sql = `SELECT checkpoint_ns AS ns, checkpoint_id AS id, count(*) AS count FROM writes WHERE thread_id = ? AND ${NAMED} GROUP BY 1, 2`;
    return this.sql<Key & { count: number }>(sql).all(thread);
  }

  mentions(thread: string, id: string): (Key & { readonly metadata: string })[] {
    const sql = `SELECT checkpoint_ns AS ns, checkpoint_id AS id, CAST(metadata AS TEXT) AS metadata FROM checkpoints
      WHERE thread_id = ? AND checkpoint_ns > '' AND ${NAMED} AND instr(CAST(metadata AS TEXT), ?) > 0`;
    return this.sql<Key & { metadata: string }>(sql).all(thread, id);
  }

  lasting(thread: string, upTo: string | undefined): Key[] {
    const sql = `SELECT checkpoint_ns AS ns, max(checkpoint_id) AS id FROM checkpoints WHERE thread_id = ? AND checkpoint_ns > ''
      AND ${NAMED} AND instr(checkpoint_ns, ':') = 0 ${upTo === undefined ? '' : 'AND checkpoint_id <= ?'} GROUP BY 1`;
    return this.sql<Key>(sql).all(thread, ...(upTo === undefined ? [] : [upTo]));
  }

  hasDeltas(thread: string): boolean {
    const sql = `SELECT 1 FROM checkpoints WHERE thread_id = ?
      AND instr(CAST(metadata AS TEXT), '"counters_since_delta_snapshot"') > 0 LIMIT 1`;
    return this.sql(sql).get(thread) !== undefined;
  }

  failed(thread: string): Key[] {
    const sql = `SELECT DISTINCT checkpoint_ns AS ns, checkpoint_id AS id FROM writes WHERE thread_id = ? AND channel = '__error__' AND ${NAMED}`;
    return this.sql<Key>(sql).all(thread);
  }

  ends(thread: string, wanted: readonly Key[]): (Uint8Array | undefined)[] {
    const sql = `SELECT CAST(substr(checkpoint, -16384) AS BLOB) AS end FROM checkpoints
      WHERE ${KEY} AND octet_length(checkpoint) <= ${PEEKED}`;
    return wanted.map(({ ns, id }) => this.sql<{ end: Uint8Array | null }>(sql).get(thread, ns, id)?.end ?? undefined);
  }

  writeCount(thread: string): number {
    const sql = `SELECT count(*) AS n FROM writes WHERE thread_id = ? AND ${NAMED}`;
    return this.sql<{ n: number }>(sql).get(thread)?.n ?? 0;
  }

  /** No index has the parents: one pass over the thread, whoever is asked about. */
  children(thread: string, wanted: readonly Key[]): (readonly string[])[] {
    const one = wanted.length === 1 ? wanted[0] : undefined;
    const only = one === undefined ? '' : 'AND checkpoint_ns = ? AND parent_checkpoint_id = ?';
    const sql = `SELECT checkpoint_ns AS ns, checkpoint_id AS id, parent_checkpoint_id AS parent FROM checkpoints
      WHERE thread_id = ? AND ${NAMED} AND typeof(parent_checkpoint_id) = 'text' ${only} ORDER BY checkpoint_id`;
    const rows = this.sql<Key & { parent: string }>(sql).all(thread, ...(one === undefined ? [] : [one.ns, one.id]));
    const found = new Map(wanted.map((key): [string, string[]] => [keyText(key), []]));
    for (const { ns, id, parent } of rows) found.get(keyText({ ns, id: parent }))?.push(id);
    return wanted.map((key) => found.get(keyText(key)) ?? []);
  }

  find(id: string): { thread: string; ns: string }[] {
    return this.sql<{ thread: string; ns: string }>(FIND).all({ id });
  }

  #onlyNamespace(thread: string): string | undefined {
    const sql = `SELECT (SELECT min(checkpoint_ns) FROM checkpoints WHERE thread_id = :thread AND ${NAMED}) AS first,
      (SELECT max(checkpoint_ns) FROM checkpoints WHERE thread_id = :thread AND ${NAMED}) AS last`;
    const found = this.sql<{ first: string | null; last: string | null }>(sql).get({ thread });
    return found?.first === found?.last ? (found?.first ?? undefined) : undefined;
  }
}
