import { decodeCursor, encodeCursor } from '@checkpoint-inspector/core';
import { NAMED, OddRows, TEXTS, UP_TO_TEXTS, type OddRow } from './odd-rows.ts';
import {
  type FullRow,
  type Key,
  type PendingRow,
  type Queries,
  type RowSummary,
  type ThreadRow,
  type ThreadsFrom,
  type WriteRow,
} from './queries.ts';
import { after, ascending, KEY, keys, PEEKED, SqliteOutlines } from './sqlite-outlines.ts';
import { Families } from './sqlite-families.ts';
import { FIND, Places } from './sqlite-places.ts';
import { UNFINISHED } from './tasks.ts';

/** Larger rows are checked when they are opened, not in lists. */
const CHECKED = 256 * 1024;

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

const descending = 'ORDER BY checkpoint_id DESC, checkpoint_ns DESC LIMIT +?';

/** Threads that are read at once. */
const THREADS = 250;

interface SomeThread extends ThreadRow {
  /** 1: its row is another one, in the other table. */
  readonly isOther?: number;
}

const HAS_CHECKPOINTS = 'EXISTS (SELECT 1 FROM checkpoints c WHERE c.thread_id = t.id)';
const NEWEST_WRITE = '(SELECT max(w.checkpoint_id) FROM writes w WHERE w.thread_id = t.id)';

interface RowMark {
  readonly row: number;
  readonly key: string;
}

/** What tells a row from another one that gets its row id later. */
const ROW_KEYS = [
  ['checkpoints', 'quote(thread_id) || quote(checkpoint_ns) || quote(checkpoint_id)'],
  ['writes', 'quote(thread_id) || quote(checkpoint_ns) || quote(checkpoint_id) || quote(task_id) || idx'],
] as const;
const MARK = ['number', 'string', 'number', 'string'] as const;

/** Every statement that reads a LangGraph SQLite file. Ids are bound and matched with `=` only. */
export class SqliteQueries extends SqliteOutlines implements Queries {
  readonly #places = new Places(
    (sql) => this.sql(sql),
    () => this.version(),
  );

  readonly #families = new Families(
    (sql) => this.sql(sql),
    () => this.version(),
  );

  readonly #odd = new OddRows(
    (sql) => this.sql(sql),
    () => this.version(),
  );

  /** Rows of both tables that no thread lists. */
  odd(): readonly OddRow[] {
    return this.#odd.rows();
  }

  oddNewest(thread: string): number | undefined {
    const sql = `SELECT rowid FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = '' AND checkpoint_id >= x''
      ORDER BY checkpoint_id DESC LIMIT 1`;
    return this.sql<{ rowid: number }>(sql).get(thread)?.rowid;
  }

  loadOdd(): Promise<void> {
    return this.#odd.load();
  }

  oddBytes(row: OddRow): Uint8Array | undefined {
    return this.#odd.bytes(row);
  }

  version(): unknown {
    return this.database.pragma('data_version');
  }

  threads(): ThreadRow[] {
    // From one thread of the writes to the next: DISTINCT reads the whole index, and most writes are of few threads.
    const sql = `WITH RECURSIVE t(id) AS (SELECT min(thread_id) FROM writes WHERE ${TEXTS} UNION ALL
        SELECT (SELECT min(thread_id) FROM writes WHERE thread_id > t.id AND ${UP_TO_TEXTS}) FROM t WHERE t.id IS NOT NULL)
      SELECT thread_id AS id, count(*) AS count, max(checkpoint_id) AS newest FROM checkpoints WHERE ${TEXTS} GROUP BY thread_id
      UNION ALL SELECT t.id, 0, ${NEWEST_WRITE} FROM t WHERE t.id IS NOT NULL AND NOT ${HAS_CHECKPOINTS}`;
    return this.#withoutOdd(this.sql<ThreadRow>(sql).all());
  }

  /** Odd rows are found in one pass of their own: to look for them here would cost every list of threads. */
  #withoutOdd(threads: ThreadRow[]): ThreadRow[] {
    const odd = new Set((this.#odd.isLoaded ? this.odd() : []).flatMap(({ thread }) => thread ?? []));
    if (odd.size === 0) return threads;
    return threads.flatMap((row) => (odd.has(row.id) ? (this.thread(row.id) ?? []) : row));
  }

  someThreads(from: ThreadsFrom = { table: 'checkpoints' }): { threads: ThreadRow[]; next?: ThreadsFrom } {
    const found = from.table === 'checkpoints' ? this.#threadsAfter(from.after) : this.#writersAfter(from.after);
    const last = found.at(-1);
    const threads = this.#withoutOdd(
      found.filter(({ isOther }) => isOther !== 1).map(({ id, count, newest }) => ({ id, count, newest })),
    );
    if (last !== undefined && found.length === THREADS) return { threads, next: { ...from, after: last.id } };
    return from.table === 'checkpoints' ? { threads, next: { table: 'writes' } } : { threads };
  }

  #threadsAfter(after: string | undefined): SomeThread[] {
    const sql = `SELECT thread_id AS id, count(*) AS count, max(checkpoint_id) AS newest FROM checkpoints
      WHERE ${after === undefined ? TEXTS : `thread_id > ? AND ${UP_TO_TEXTS}`} GROUP BY thread_id LIMIT ${THREADS}`;
    return this.sql<SomeThread>(sql).all(...(after === undefined ? [] : [after]));
  }

  /** Threads with writes, those that have checkpoints marked: from one to the next, as in `threads`. */
  #writersAfter(after: string | undefined): SomeThread[] {
    const sql = `WITH RECURSIVE t(id) AS (SELECT min(thread_id) FROM writes WHERE ${after === undefined ? TEXTS : `thread_id > ? AND ${UP_TO_TEXTS}`}
      UNION ALL SELECT (SELECT min(thread_id) FROM writes WHERE thread_id > t.id AND ${UP_TO_TEXTS}) FROM t WHERE t.id IS NOT NULL LIMIT ${THREADS})
      SELECT t.id, 0 AS count, ${NEWEST_WRITE} AS newest, ${HAS_CHECKPOINTS} AS isOther FROM t WHERE t.id IS NOT NULL`;
    return this.sql<SomeThread>(sql).all(...(after === undefined ? [] : [after]));
  }

  /** True when some row is of one of these payload types; JSON is one, named or not. Ends at the first. */
  hasType(types: readonly string[]): boolean {
    const marks = types.map(() => '?').join(', ');
    const sql = `SELECT 1 FROM checkpoints NOT INDEXED WHERE coalesce(type, 'json') IN (${marks}) LIMIT 1`;
    return this.sql(sql).get(...types) !== undefined;
  }

  /** The payload types of rows that were inserted after `from`, and the last of them. */
  typesSince(from: number): { types: readonly string[]; last: number } {
    const last = this.sql<{ last: number | null }>('SELECT max(rowid) AS last FROM checkpoints').get()?.last ?? 0;
    if (last <= from) return { types: [], last };
    const sql = "SELECT DISTINCT coalesce(type, 'json') AS type FROM checkpoints WHERE rowid > ? ORDER BY 1";
    const types = this.sql<{ type: string }>(sql).all(from);
    return { types: types.map(({ type }) => type), last };
  }

  thread(thread: string): ThreadRow | undefined {
    const of = (count: string, table: string): string =>
      `SELECT thread_id AS id, ${count} AS count, max(checkpoint_id) AS newest FROM ${table} WHERE thread_id = ? AND ${NAMED} GROUP BY 1`;
    return (
      this.sql<ThreadRow>(of('count(*)', 'checkpoints')).get(thread) ??
      this.sql<ThreadRow>(of('0', 'writes')).get(thread)
    );
  }

  /** By row ids: a new row has a greater one than all before, unless the row that had the greatest is gone. */
  savedSince(mark: string | undefined): { mark: string; threads: readonly string[] | undefined } {
    const before = mark === undefined ? [] : decodeCursor(mark, MARK);
    const threads = new Set<string>();
    let isTold = mark !== undefined;
    const ends = ROW_KEYS.flatMap(([table, key], at): [number, string] => {
      const [row = 0, was = ''] = [before[2 * at], before[2 * at + 1]];
      const rows = `SELECT rowid AS row, ${key} AS key FROM ${table}`;
      // In this order: what is committed between two of these is found twice, and never missed.
      const last = this.sql<RowMark>(`${rows} ORDER BY rowid DESC LIMIT 1`).get();
      const saved = `SELECT DISTINCT thread_id AS id FROM ${table} NOT INDEXED WHERE rowid > ? AND typeof(thread_id) = 'text'`;
      if (isTold) for (const { id } of this.sql<{ id: string }>(saved).all(row)) threads.add(id);
      isTold &&= row === 0 || this.sql<RowMark>(`${rows} WHERE rowid = ?`).get(row)?.key === was;
      return [last?.row ?? 0, last?.key ?? ''];
    });
    return { mark: encodeCursor(ends), threads: isTold ? [...threads] : undefined };
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
    const ns = this.onlyNamespace(thread);
    if (ns !== undefined) {
      const sql = `${keys} AND checkpoint_ns = ? ${from ? 'AND checkpoint_id < ?' : ''} ORDER BY checkpoint_id DESC LIMIT +?`;
      return this.sql<Key>(sql).all(thread, ns, ...(from ? [from.id] : []), limit);
    }
    if (from === undefined) return this.sql<Key>(`${keys} ${descending}`).all(thread, limit);
    return this.sql<Key>(`${keys} ${after} < (?, ?) ${descending}`).all(thread, from.id, from.ns, limit);
  }

  newer(thread: string, from: Key, limit: number): Key[] {
    const ns = this.onlyNamespace(thread);
    if (ns === undefined)
      return this.sql<Key>(`${keys} ${after} > (?, ?) ${ascending} LIMIT +?`).all(thread, from.id, from.ns, limit);
    const sql = `${keys} AND checkpoint_ns = ? AND checkpoint_id > ? ORDER BY checkpoint_id LIMIT +?`;
    return this.sql<Key>(sql).all(thread, ns, from.id, limit);
  }

  place(thread: string, key: Key): number {
    if (this.onlyNamespace(thread) === key.ns) return this.#places.place(thread, key.ns, key.id);
    const sql = `SELECT count(*) AS n FROM checkpoints WHERE thread_id = ? AND ${NAMED} ${after} <= (?, ?)`;
    return this.sql<{ n: number }>(sql).get(thread, key.id, key.ns)?.n ?? 0;
  }

  summary(thread: string, key: Key): RowSummary | undefined {
    return this.sql<RowSummary>(SUMMARY).get(thread, key.ns, key.id);
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

  plainWrites(thread: string, key: Key): number {
    const sql = `SELECT count(*) AS n FROM writes WHERE ${KEY} AND channel NOT IN ('__error__', '__interrupt__')`;
    return this.sql<{ n: number }>(sql).get(thread, key.ns, key.id)?.n ?? 0;
  }

  tasksOf(thread: string, key: Key): { task: string; finished: number }[] {
    const sql = `SELECT task_id AS task, max(channel NOT IN (${UNFINISHED.map((name) => `'${name}'`).join(', ')})) AS finished
      FROM writes WHERE ${KEY} GROUP BY task_id`;
    return this.sql<{ task: string; finished: number }>(sql).all(thread, key.ns, key.id);
  }

  writesOf(thread: string, key: Key): { count: number; bytes: number } {
    const sql = `SELECT count(*) AS count, coalesce(sum(octet_length(value)), 0) AS bytes FROM writes WHERE ${KEY}`;
    return this.sql<{ count: number; bytes: number }>(sql).get(thread, key.ns, key.id) ?? { count: 0, bytes: 0 };
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
    return this.#families.hasDeltas(thread);
  }

  writeCount(thread: string): number {
    const sql = `SELECT count(*) AS n FROM writes WHERE thread_id = ? AND ${NAMED}`;
    return this.sql<{ n: number }>(sql).get(thread)?.n ?? 0;
  }

  children(thread: string, keys: readonly Key[]): (readonly string[])[] {
    return keys.map((key) => this.#families.children(thread, key));
  }

  find(id: string): { thread: string; ns: string }[] {
    return this.sql<{ thread: string; ns: string }>(FIND).all({ id });
  }
}
