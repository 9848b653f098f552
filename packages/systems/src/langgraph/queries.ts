import type { SqliteDatabase, SqliteStatement } from '@checkpoint-inspector/io';
import { UNFINISHED } from './tasks.ts';

/** Place of one checkpoint within its thread. */
export interface Key {
  readonly ns: string;
  readonly id: string;
}

/** One row without its state: ends of the blob, and what SQLite can say of it. */
export interface RowSummary extends Key {
  readonly parent: string | null;
  readonly type: string | null;
  /** SQLite's storage class of the checkpoint: `blob` or `text` in every sound row. */
  readonly stored: string;
  readonly size: number;
  readonly metadataSize: number;
  /** First and last bytes of the checkpoint; `null` in very large rows. */
  readonly start: Uint8Array | null;
  readonly end: Uint8Array | null;
  /** Type of `channel_values`, `null` where there is none, `bad` for text that SQLite does not take; `unseen` in large rows. */
  readonly shape: string | null;
  /** As text; `null` where it is absent or very large. */
  readonly metadata: string | null;
  readonly failed: number;
  readonly interrupted: number;
  /** The newest id of the row's namespace. */
  readonly newest: string;
}

/** A stored row with its blobs. */
export interface FullRow extends Key {
  readonly parent: string | null;
  readonly type: string | null;
  readonly stored: string;
  readonly checkpoint: Uint8Array | null;
  readonly metadata: Uint8Array | null;
  readonly metadataStored: string;
}

export interface WriteRow {
  readonly task: string;
  readonly type: string | null;
  readonly stored: string;
  readonly value: Uint8Array | null;
}

export interface PendingRow extends WriteRow {
  readonly channel: string;
  readonly size: number;
}

export interface ThreadRow {
  readonly id: string;
  readonly count: number;
  /** Greatest checkpoint id of any namespace. */
  readonly newest: string;
}

/** Larger rows are checked when they are opened, not in lists. */
const CHECKED = 256 * 1024;
/** In lists, nothing is read from rows larger than this. */
const PEEKED = 4 * 1024 * 1024;

const KEY = 'thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?';
const CHILD = 'thread_id = ? AND checkpoint_ns = ? AND parent_checkpoint_id = ?';
const TEXT = 'CAST(c.checkpoint AS TEXT)';
const SUMMARY = `SELECT c.checkpoint_ns AS ns, c.checkpoint_id AS id, c.parent_checkpoint_id AS parent, c.type AS type,
  typeof(c.checkpoint) AS stored, coalesce(octet_length(c.checkpoint), 0) AS size,
  coalesce(octet_length(c.metadata), 0) AS metadataSize,
  CASE WHEN octet_length(c.checkpoint) <= ${PEEKED} THEN CAST(substr(c.checkpoint, 1, 512) AS BLOB) END AS start,
  CASE WHEN octet_length(c.checkpoint) <= ${PEEKED} THEN CAST(substr(c.checkpoint, -16384) AS BLOB) END AS end,
  CASE WHEN typeof(c.checkpoint) NOT IN ('blob', 'text') OR coalesce(c.type, 'json') <> 'json' OR octet_length(c.checkpoint) > ${CHECKED}
    THEN 'unseen' WHEN json_valid(${TEXT}) THEN json_type(${TEXT}, '$.channel_values') ELSE 'bad' END AS shape,
  CASE WHEN octet_length(c.metadata) <= ${PEEKED} THEN CAST(c.metadata AS TEXT) END AS metadata,
  EXISTS (${marked('__error__')}) AS failed, EXISTS (${marked('__interrupt__')}) AS interrupted,
  (SELECT max(n.checkpoint_id) FROM checkpoints n
    WHERE n.thread_id = c.thread_id AND n.checkpoint_ns = c.checkpoint_ns) AS newest
  FROM checkpoints c WHERE c.thread_id = ? AND c.checkpoint_ns = ? AND c.checkpoint_id = ?`;

const FULL = `SELECT checkpoint_ns AS ns, checkpoint_id AS id, parent_checkpoint_id AS parent, type,
  typeof(checkpoint) AS stored, CAST(checkpoint AS BLOB) AS checkpoint,
  typeof(metadata) AS metadataStored, CAST(metadata AS BLOB) AS metadata
  FROM checkpoints`;

function marked(channel: string): string {
  return `SELECT 1 FROM writes w WHERE w.thread_id = c.thread_id AND w.checkpoint_ns = c.checkpoint_ns
    AND w.checkpoint_id = c.checkpoint_id AND w.channel = '${channel}'`;
}

const keys = 'SELECT checkpoint_ns AS ns, checkpoint_id AS id FROM checkpoints c WHERE thread_id = ?';
const after = 'AND (checkpoint_id, checkpoint_ns)';
const descending = 'ORDER BY checkpoint_id DESC, checkpoint_ns DESC LIMIT ?';
const ascending = 'ORDER BY checkpoint_id, checkpoint_ns';

/** Every statement that reads a LangGraph database. Ids are bound and matched with `=` only. */
export class Queries {
  readonly #database: SqliteDatabase;
  readonly #prepared = new Map<string, SqliteStatement<unknown>>();

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** Another value than before: some other connection has committed. */
  version(): unknown {
    return this.#database.pragma('data_version');
  }

  /** Those that have only writes are among them, with no checkpoints. */
  threads(): ThreadRow[] {
    // From one thread of the writes to the next: DISTINCT reads the whole index, and most writes are of few threads.
    const sql = `WITH RECURSIVE t(id) AS (SELECT min(thread_id) FROM writes UNION ALL
        SELECT (SELECT min(w.thread_id) FROM writes w WHERE w.thread_id > t.id) FROM t WHERE t.id IS NOT NULL)
      SELECT thread_id AS id, count(*) AS count, max(checkpoint_id) AS newest FROM checkpoints GROUP BY thread_id
      UNION ALL SELECT t.id, 0, (SELECT max(w.checkpoint_id) FROM writes w WHERE w.thread_id = t.id) FROM t
      WHERE t.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM checkpoints c WHERE c.thread_id = t.id)`;
    return this.#sql<ThreadRow>(sql).all();
  }

  /** The payload types of rows that were inserted after `from`, and the last of them; JSON is one type, named or not. */
  typesSince(from: number): { types: readonly string[]; last: number } {
    const last = this.#sql<{ last: number | null }>('SELECT max(rowid) AS last FROM checkpoints').get()?.last ?? 0;
    if (last <= from) return { types: [], last };
    const sql = "SELECT DISTINCT coalesce(type, 'json') AS type FROM checkpoints WHERE rowid > ? ORDER BY 1";
    const types = this.#sql<{ type: string }>(sql).all(from);
    return { types: types.map(({ type }) => type), last };
  }

  thread(thread: string): ThreadRow | undefined {
    const sql =
      'SELECT thread_id AS id, count(*) AS count, max(checkpoint_id) AS newest FROM checkpoints WHERE thread_id = ? GROUP BY 1';
    return this.#sql<ThreadRow>(sql).get(thread);
  }

  /** Bytes of a thread's rows in both tables; row heads are read, not the values. */
  bytes(thread: string): number {
    const sql = `SELECT (SELECT coalesce(sum(coalesce(octet_length(checkpoint), 0) + coalesce(octet_length(metadata), 0)), 0)
      FROM checkpoints WHERE thread_id = ?) + (SELECT coalesce(sum(octet_length(value)), 0) FROM writes WHERE thread_id = ?) AS bytes`;
    return this.#sql<{ bytes: number }>(sql).get(thread, thread)?.bytes ?? 0;
  }

  /** Rows whose payload is of another type than JSON. */
  otherTypes(thread: string): number {
    const sql = "SELECT count(*) AS n FROM checkpoints WHERE thread_id = ? AND coalesce(type, 'json') <> 'json'";
    return this.#sql<{ n: number }>(sql).get(thread)?.n ?? 0;
  }

  /** JSON rows that look damaged, or are large and the newest; other large ones are not looked into. */
  suspects(thread: string): Key[] {
    const sql = `${keys} AND coalesce(type, 'json') = 'json' AND (typeof(checkpoint) NOT IN ('blob', 'text') OR metadata IS NULL
      OR NOT json_valid(CAST(metadata AS TEXT)) OR CASE WHEN octet_length(checkpoint) > ${CHECKED}
      THEN checkpoint_id = (SELECT max(n.checkpoint_id) FROM checkpoints n
        WHERE n.thread_id = c.thread_id AND n.checkpoint_ns = c.checkpoint_ns)
      WHEN json_valid(${TEXT}) THEN json_type(${TEXT}, '$.channel_values') IS NOT 'object' ELSE 1 END)`;
    return this.#sql<Key>(sql).all(thread);
  }

  /** Newest first, ties by namespace; from `from` on, itself left out. */
  older(thread: string, from: Key | undefined, limit: number): Key[] {
    const ns = this.#onlyNamespace(thread);
    if (ns !== undefined) {
      const sql = `${keys} AND checkpoint_ns = ? ${from ? 'AND checkpoint_id < ?' : ''} ORDER BY checkpoint_id DESC LIMIT ?`;
      return this.#sql<Key>(sql).all(thread, ns, ...(from ? [from.id] : []), limit);
    }
    if (from === undefined) return this.#sql<Key>(`${keys} ${descending}`).all(thread, limit);
    return this.#sql<Key>(`${keys} ${after} < (?, ?) ${descending}`).all(thread, from.id, from.ns, limit);
  }

  /** Next newer ones, oldest first. */
  newer(thread: string, from: Key, limit: number): Key[] {
    return this.#sql<Key>(`${keys} ${after} > (?, ?) ${ascending} LIMIT ?`).all(thread, from.id, from.ns, limit);
  }

  /** Every checkpoint of a thread, oldest first. */
  keys(thread: string): Key[] {
    return this.#sql<Key>(`${keys} ${ascending}`).all(thread);
  }

  /** Ids of one namespace, newest first; stops when the caller does. */
  *newestIds(thread: string, ns: string): Iterable<string> {
    const statement = this.#sql<Key>(
      `${keys} AND checkpoint_ns = ? AND checkpoint_id < ? ORDER BY checkpoint_id DESC LIMIT 1`,
    );
    let key = this.#sql<Key>(`${keys} AND checkpoint_ns = ? ORDER BY checkpoint_id DESC LIMIT 1`).get(thread, ns);
    for (; key; key = statement.get(thread, ns, key.id)) yield key.id;
  }

  /** How many checkpoints of the thread are as old as `key` or older. */
  place(thread: string, key: Key): number {
    const sql = `SELECT count(*) AS n FROM checkpoints WHERE thread_id = ? ${after} <= (?, ?)`;
    return this.#sql<{ n: number }>(sql).get(thread, key.id, key.ns)?.n ?? 0;
  }

  summary(thread: string, key: Key): RowSummary | undefined {
    return this.#sql<RowSummary>(SUMMARY).get(thread, key.ns, key.id);
  }

  row(thread: string, key: Key): FullRow | undefined {
    return this.#sql<FullRow>(`${FULL} WHERE ${KEY}`).get(thread, key.ns, key.id);
  }

  /** Last bytes of a checkpoint, where `versions_seen` stands. */
  end(thread: string, key: Key): Uint8Array | undefined {
    const sql = `SELECT CAST(substr(checkpoint, -16384) AS BLOB) AS end FROM checkpoints
      WHERE ${KEY} AND octet_length(checkpoint) <= ${PEEKED}`;
    return this.#sql<{ end: Uint8Array | null }>(sql).get(thread, key.ns, key.id)?.end ?? undefined;
  }

  /** Writes to one channel, in the order in which LangGraph applies them. */
  writes(thread: string, key: Key, channel: string): WriteRow[] {
    const sql = `SELECT task_id AS task, type, typeof(value) AS stored, CAST(value AS BLOB) AS value FROM writes
      WHERE ${KEY} AND channel = ? ORDER BY task_id, idx`;
    return this.#sql<WriteRow>(sql).all(thread, key.ns, key.id, channel);
  }

  /** Every write on a checkpoint, by task; values larger than `largest` bytes are left where they are. */
  allWrites(thread: string, key: Key, largest: number, limit: number): PendingRow[] {
    const sql = `SELECT task_id AS task, channel, type, typeof(value) AS stored, coalesce(octet_length(value), 0) AS size,
      CASE WHEN octet_length(value) <= ? THEN CAST(value AS BLOB) END AS value FROM writes
      WHERE ${KEY} AND channel NOT IN ('__error__', '__interrupt__') ORDER BY task_id, idx LIMIT ?`;
    return this.#sql<PendingRow>(sql).all(largest, thread, key.ns, key.id, limit);
  }

  /** How many writes `allWrites` has without its limit. */
  plainWrites(thread: string, key: Key): number {
    const sql = `SELECT count(*) AS n FROM writes WHERE ${KEY} AND channel NOT IN ('__error__', '__interrupt__')`;
    return this.#sql<{ n: number }>(sql).get(thread, key.ns, key.id)?.n ?? 0;
  }

  /** The tasks with writes on a checkpoint, and whether one of these finishes its task. */
  tasksOf(thread: string, key: Key): { task: string; finished: number }[] {
    const sql = `SELECT task_id AS task, max(channel NOT IN (${UNFINISHED.map((name) => `'${name}'`).join(', ')})) AS finished
      FROM writes WHERE ${KEY} GROUP BY task_id`;
    return this.#sql<{ task: string; finished: number }>(sql).all(thread, key.ns, key.id);
  }

  /** Number and bytes of the writes on a checkpoint. */
  writesOf(thread: string, key: Key): { count: number; bytes: number } {
    const sql = `SELECT count(*) AS count, coalesce(sum(octet_length(value)), 0) AS bytes FROM writes WHERE ${KEY}`;
    return this.#sql<{ count: number; bytes: number }>(sql).get(thread, key.ns, key.id) ?? { count: 0, bytes: 0 };
  }

  /** Checkpoints of the thread that have writes, with their number. */
  writeCounts(thread: string): (Key & { readonly count: number })[] {
    const sql = `SELECT checkpoint_ns AS ns, checkpoint_id AS id, count(*) AS count FROM writes WHERE thread_id = ? GROUP BY 1, 2`;
    return this.#sql<Key & { count: number }>(sql).all(thread);
  }

  /** Subgraph rows whose metadata names this checkpoint somewhere. */
  mentions(thread: string, id: string): (Key & { readonly metadata: string })[] {
    const sql = `SELECT checkpoint_ns AS ns, checkpoint_id AS id, CAST(metadata AS TEXT) AS metadata FROM checkpoints
      WHERE thread_id = ? AND checkpoint_ns > '' AND instr(CAST(metadata AS TEXT), ?) > 0`;
    return this.#sql<Key & { metadata: string }>(sql).all(thread, id);
  }

  /** True when some checkpoint of the thread counts changes of delta channels. */
  hasDeltas(thread: string): boolean {
    const sql = `SELECT 1 FROM checkpoints WHERE thread_id = ?
      AND instr(CAST(metadata AS TEXT), '"counters_since_delta_snapshot"') > 0 LIMIT 1`;
    return this.#sql(sql).get(thread) !== undefined;
  }

  writeCount(thread: string): number {
    return this.#sql<{ n: number }>('SELECT count(*) AS n FROM writes WHERE thread_id = ?').get(thread)?.n ?? 0;
  }

  children(thread: string, key: Key): string[] {
    const sql = `SELECT checkpoint_id AS id FROM checkpoints WHERE ${CHILD}`;
    return this.#sql<{ id: string }>(sql)
      .all(thread, key.ns, key.id)
      .map((row) => row.id);
  }

  childRows(thread: string, key: Key): FullRow[] {
    return this.#sql<FullRow>(`${FULL} WHERE ${CHILD}`).all(thread, key.ns, key.id);
  }

  find(id: string): { thread: string; ns: string }[] {
    const sql =
      'SELECT thread_id AS thread, checkpoint_ns AS ns FROM checkpoints WHERE checkpoint_id = ? ORDER BY 1, 2';
    return this.#sql<{ thread: string; ns: string }>(sql).all(id);
  }

  /** The thread's namespace if it has only one: then the key's order is the index's own. */
  #onlyNamespace(thread: string): string | undefined {
    const sql = `SELECT (SELECT min(checkpoint_ns) FROM checkpoints WHERE thread_id = ?) AS first,
      (SELECT max(checkpoint_ns) FROM checkpoints WHERE thread_id = ?) AS last`;
    const found = this.#sql<{ first: string | null; last: string | null }>(sql).get(thread, thread);
    return found?.first === found?.last ? (found?.first ?? undefined) : undefined;
  }

  /** Prepared once per database. The row type is what the statement's own column list says. */
  #sql<Row>(sql: string): SqliteStatement<Row> {
    const known = this.#prepared.get(sql) ?? this.#database.prepare<unknown>(sql);
    this.#prepared.set(sql, known);
    return known as SqliteStatement<Row>;
  }
}
