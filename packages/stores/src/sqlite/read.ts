import { decodeCursor, encodeCursor, pageLimit, rowToLineage, rowToMeta } from '@checkpoint-inspector/core';
import type {
  CheckpointMeta,
  CheckpointRef,
  Latest,
  LineageRow,
  Page,
  PageQuery,
  PlacedRow,
  NativeRow,
  State,
  StoreId,
  TableRow,
  Task,
  TaskQuery,
} from '@checkpoint-inspector/core';
import { metaNumber, NODES_FORMAT, prepared, readText, readTogether } from '@checkpoint-inspector/io';
import type { SqliteDatabase, StateRow } from '@checkpoint-inspector/io';
import { META_COLUMNS, TABLE } from './schema.ts';

interface TaskRow {
  readonly task: string;
  readonly n: number;
  readonly bytes: number;
  readonly latest: number;
  readonly updated: string;
}

/** A few milliseconds of work: between two batches others may have their turn. */
const LINEAGE_BATCH = 1_000;
const LINEAGE_COLUMNS = 'seq, task, id, parent_task, parent_id, step_index, status, description, created_at';
const nodesByOldest = `SELECT ${LINEAGE_COLUMNS} FROM ${TABLE} WHERE task = ? AND seq > ? ORDER BY seq LIMIT ?`;
const byOldest = `SELECT ${META_COLUMNS} FROM ${TABLE} WHERE task = ? AND seq > ? ORDER BY seq LIMIT ?`;
const byNewest = `SELECT ${META_COLUMNS} FROM ${TABLE} WHERE task = ? AND seq <= ? ORDER BY seq DESC LIMIT ?`;

/** By format: the first one has no counts, so it looks at every row. */
const TASKS = {
  first: `SELECT task, count(*) AS n, sum(size_bytes) AS bytes, max(seq) AS latest, max(created_at) AS updated
    FROM ${TABLE} GROUP BY task ORDER BY updated DESC, task`,
  counted: `SELECT task, count AS n, bytes, updated, (SELECT max(seq) FROM ${TABLE} WHERE task = tasks.task) AS latest
    FROM tasks ORDER BY updated DESC, task`,
};

const isCounted = (db: SqliteDatabase): boolean => metaNumber(db, 'format') === NODES_FORMAT;

/** Tasks by the time of their newest checkpoint, ties by id. */
export function readTasks(db: SqliteDatabase, store: StoreId, query: TaskQuery): Page<Task> {
  const limit = pageLimit(query.limit);
  const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor, ['string', 'string']);
  const wanted = query.text?.toLowerCase();
  const rows = prepared<TaskRow>(db, isCounted(db) ? TASKS.counted : TASKS.first)
    .all()
    .filter((row) => wanted === undefined || row.task.toLowerCase().includes(wanted))
    .filter(
      (row) =>
        after === undefined ||
        row.updated < String(after[0]) ||
        (row.updated === after[0] && row.task > String(after[1])),
    );
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const items = shown.map((row) => toTask(db, store, row));
  return rows.length > limit && last ? { items, cursor: encodeCursor([last.updated, last.task]) } : { items };
}

function toTask(db: SqliteDatabase, store: StoreId, { task, n, bytes, latest }: TaskRow): Task {
  const row = prepared<NativeRow>(db, `SELECT ${META_COLUMNS} FROM ${TABLE} WHERE seq = ?`).get(latest) ?? {};
  const meta = rowToMeta(store, { stored: stored(row), place: n, before: undefined, isLatest: true });
  return {
    store,
    id: task,
    title: task,
    system: 'native',
    ...(meta.agentId === undefined ? {} : { agentId: meta.agentId }),
    checkpointCount: n,
    unreadable: 0,
    latestId: meta.id,
    status: meta.status,
    ...(meta.status === 'failed' && meta.description !== undefined ? { lastError: meta.description } : {}),
    ...(meta.createdAt === undefined ? {} : { updatedAt: meta.createdAt }),
    sizeBytes: bytes,
  };
}

/** A row as the rules of all native stores know it. */
export function stored(row: NativeRow): TableRow {
  return { rowid: BigInt(Number(row['seq'] ?? 0)), row };
}

const seqIn = (row: NativeRow): number => Number(row['seq']);

/** The latest first: save order backwards. */
export function readCheckpoints(
  db: SqliteDatabase,
  store: StoreId,
  task: string,
  query: PageQuery,
): Page<CheckpointMeta> {
  const limit = pageLimit(query.limit);
  const start = query.cursor === undefined ? undefined : decodeCursor(query.cursor, ['number', 'number']);
  const from = start ? Number(start[0]) : firstSeq(db, task, query, limit);
  if (from === undefined) return { items: [] };
  // One row more than shown: it tells the parent of the last one and whether there is a next page.
  const rows = prepared<NativeRow>(db, byNewest).all(task, from, limit + 1);
  const shown = rows.slice(0, limit);
  const first = shown[0];
  if (!first) return { items: [] };
  const latest = latestOf(db, task);
  // Counting a million rows takes longer than reading a page, so a cursor brings its place along.
  const place = start ? Number(start[1]) : countUpTo(db, task, seqIn(first));
  const items = shown.map((row, at) => rowToMeta(store, placedRow(row, rows[at + 1], place - at, latest)));
  const next = rows[limit];
  return next ? { items, cursor: encodeCursor([seqIn(next), place - limit]) } : { items };
}

function placedRow(
  row: NativeRow,
  before: NativeRow | undefined,
  place: number,
  latest: number | undefined,
): PlacedRow {
  return { stored: stored(row), place, before: before && stored(before), isLatest: seqIn(row) === latest };
}

function firstSeq(db: SqliteDatabase, task: string, query: PageQuery, limit: number): number | undefined {
  if (query.around === undefined) return latestOf(db, task);
  const seq = seqOf(db, query.around);
  if (seq === undefined) return latestOf(db, task);
  const newer = prepared<NativeRow>(db, byOldest).all(task, seq, Math.floor((limit - 1) / 2));
  const last = newer.at(-1);
  return last ? seqIn(last) : seq;
}

const latestOf = (db: SqliteDatabase, task: string): number | undefined =>
  prepared<{ seq: number | null }>(db, `SELECT max(seq) AS seq FROM ${TABLE} WHERE task = ?`).get(task)?.seq ??
  undefined;

/** Newer rows are counted up to here: most questions are about the newest. */
const NEAR = 2_000;
/** In one statement: a save between two would be counted by half. */
const NEWER = `SELECT (SELECT count FROM tasks WHERE task = :task) AS total,
  (SELECT count(*) FROM (SELECT 1 FROM ${TABLE} WHERE task = :task AND seq > :seq LIMIT ${NEAR})) AS newer`;
const UP_TO = `SELECT count(*) AS n FROM ${TABLE} WHERE task = ? AND seq <= ?`;

/** The place of a row in its task; the store keeps how many there are. */
function countUpTo(db: SqliteDatabase, task: string, seq: number): number {
  const near = isCounted(db)
    ? prepared<{ total: number | null; newer: number }>(db, NEWER).get({ task, seq })
    : undefined;
  if (near && near.newer < NEAR) return (near.total ?? 0) - near.newer;
  return prepared<{ n: number }>(db, UP_TO).get(task, seq)?.n ?? 0;
}

const seqOf = (db: SqliteDatabase, ref: CheckpointRef): number | undefined =>
  prepared<{ seq: number }>(db, `SELECT seq FROM ${TABLE} WHERE task = ? AND id = ?`).get(ref.task, ref.id)?.seq;

/** Oldest first, in batches: no read transaction is held while the caller works. */
export function* readLineage(db: SqliteDatabase, task: string): Iterable<LineageRow> {
  const latest = latestOf(db, task);
  const statement = prepared<NativeRow>(db, nodesByOldest);
  let previous: NativeRow | undefined;
  let place = 0;
  for (;;) {
    const rows = statement.all(task, previous ? seqIn(previous) : 0, LINEAGE_BATCH);
    for (const row of rows) {
      place += 1;
      yield rowToLineage(placedRow(row, previous, place, latest));
      previous = row;
    }
    if (rows.length < LINEAGE_BATCH) return;
  }
}

export function readMeta(db: SqliteDatabase, store: StoreId, ref: CheckpointRef): CheckpointMeta | undefined {
  const row = readRow(db, ref);
  if (row === undefined) return undefined;
  const [, before] = prepared<NativeRow>(db, byNewest).all(ref.task, seqIn(row), 2);
  return rowToMeta(store, placedRow(row, before, countUpTo(db, ref.task, seqIn(row)), latestOf(db, ref.task)));
}

export function readState(db: SqliteDatabase, ref: CheckpointRef): State | undefined {
  if (ref.namespace) return undefined;
  return readTogether(db, () => {
    const columns = isCounted(db) ? 'root, whole, size_bytes' : 'text';
    const row = prepared<{ state_hash: string } & (StateRow | { text: string })>(
      db,
      `SELECT state_hash, ${columns} FROM ${TABLE} WHERE task = ? AND id = ?`,
    ).get(ref.task, ref.id);
    return row && stateOf(row.state_hash, 'text' in row ? row.text : readText(db, row));
  });
}

/** What the revision of a state begins with that was saved as a value: the rest is the hash of its root. */
export const OF_NODES = 'nodes-';

/** The revision of a text is its sha256. */
const stateOf = (revision: string, text: string): State =>
  revision.startsWith(OF_NODES) ? { text, revision } : { text, revision, sha256: revision };

export function readRow(db: SqliteDatabase, ref: CheckpointRef): NativeRow | undefined {
  if (ref.namespace) return undefined;
  return prepared<NativeRow>(db, `SELECT ${META_COLUMNS} FROM ${TABLE} WHERE task = ? AND id = ?`).get(
    ref.task,
    ref.id,
  );
}

export function readLatest(db: SqliteDatabase, task: string): Latest {
  const row = prepared<{ id: string }>(db, `SELECT id FROM ${TABLE} WHERE task = ? ORDER BY seq DESC LIMIT 1`).get(
    task,
  );
  return row ? { ref: { task, id: row.id }, basis: 'rule' } : { basis: 'none' };
}

export function findRefs(db: SqliteDatabase, id: string): CheckpointRef[] {
  return prepared<{ task: string }>(db, `SELECT task FROM ${TABLE} WHERE id = ? ORDER BY seq DESC`)
    .all(id)
    .map(({ task }) => ({ task, id }));
}
