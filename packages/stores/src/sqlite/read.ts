import {
  besideOfWrites,
  compact,
  decodeCursor,
  encodeCursor,
  noCheckpoint,
  pageLimit,
  refIn,
  rowParent,
  rowToMeta,
  rowToPlanRow,
  rowToWrite,
} from '@checkpoint-inspector/core';
import type {
  Beside,
  CheckpointMeta,
  CheckpointRef,
  Latest,
  NewCheckpoint,
  NewValue,
  NewWrite,
  Page,
  PageQuery,
  PlacedRow,
  NativeRow,
  SavedCheckpoint,
  State,
  StoreId,
  Task,
  TaskQuery,
} from '@checkpoint-inspector/core';
import { prepared, readKnownText, readTogether } from '@checkpoint-inspector/io';
import type { SqliteDatabase, StateRow } from '@checkpoint-inspector/io';
import { keyOf } from '../options.ts';
import { placeOf } from './place.ts';
import { isCounted, latestOf, PLAIN, rowsWhere, seqIn, stored } from './rows.ts';
import { TABLE } from './schema.ts';

interface TaskRow {
  readonly task: string;
  readonly n: number;
  readonly bytes: number;
  readonly updated: string;
}

export const OLDEST_FIRST = ' WHERE task = ? AND seq > ? ORDER BY seq LIMIT +?';
export const NEWEST_FIRST = ' WHERE task = ? AND seq <= ? ORDER BY seq DESC LIMIT +?';

/** By format: the first one has no counts, so it looks at every row. */
const TASKS = {
  first: `SELECT task, count(*) AS n, sum(size_bytes) AS bytes, max(created_at) AS updated FROM ${TABLE} GROUP BY task`,
  counted: 'SELECT task, count AS n, bytes, updated FROM tasks',
};
const AFTER = 'WHERE updated < :updated OR (updated = :updated AND task > :task)';

/** Tasks by the time of their newest checkpoint, ties by id. */
export function readTasks(db: SqliteDatabase, store: StoreId, query: TaskQuery): Page<Task> {
  const limit = pageLimit(query.limit);
  const [updated, task] = query.cursor === undefined ? [] : decodeCursor(query.cursor, ['string', 'string']);
  const wanted = query.text?.toLowerCase();
  const sql = `SELECT * FROM (${isCounted(db) ? TASKS.counted : TASKS.first}) ${updated === undefined ? '' : AFTER}
    ORDER BY updated DESC, task LIMIT +:limit`;
  const found = prepared<TaskRow>(db, sql)
    .all({
      ...(updated === undefined ? {} : { updated, task: task ?? '' }),
      limit: wanted === undefined ? limit + 1 : -1,
    })
    .filter((row) => wanted === undefined || row.task.toLowerCase().includes(wanted));
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const items = shown.map((row) => toTask(db, store, row));
  return found.length > limit && last ? { items, cursor: encodeCursor([last.updated, last.task]) } : { items };
}

function toTask(db: SqliteDatabase, store: StoreId, { task, n, bytes, updated }: TaskRow): Task {
  const latest = latestOf(db, task);
  const row = (latest === undefined ? undefined : rowAt(db, latest)) ?? {};
  const meta = rowToMeta(store, { stored: stored(row), place: n, before: undefined, isLatest: true });
  const lastError = meta.status === 'failed' ? (errorBeside(db, row) ?? meta.description) : undefined;
  return {
    store,
    id: task,
    title: task,
    system: 'native',
    ...(meta.agentId === undefined ? {} : { agentId: meta.agentId }),
    checkpointCount: n,
    unreadable: 0,
    ...(latest === undefined ? {} : { latestId: meta.id }),
    status: meta.status,
    ...(lastError === undefined ? {} : { lastError }),
    ...(updated === '' ? {} : { updatedAt: updated }),
    sizeBytes: bytes,
  };
}

/** A row with its place and the row saved before it, as a window on the save order has them. */
interface Seen {
  readonly row: NativeRow;
  readonly before: NativeRow | undefined;
  readonly place: number;
}

/** The latest first, then in save order backwards. */
export function readCheckpoints(
  db: SqliteDatabase,
  store: StoreId,
  task: string,
  query: PageQuery,
): Page<CheckpointMeta> {
  const limit = pageLimit(query.limit);
  const start = query.cursor === undefined ? undefined : decodeCursor(query.cursor, ['number', 'number', 'number']);
  const top = newestOf(db, task);
  const latest = start ? Number(start[2]) : latestOf(db, task);
  const from = start ? Number(start[0]) : firstSeq(db, task, query, { limit, top, latest });
  if (from === undefined) return { items: [] };
  // Two rows more than shown: the latest may be left out here, and the last one needs the row before it.
  const window = rowsWhere(db, 'meta', NEWEST_FIRST, task, from, limit + 2);
  const first = window[0];
  if (!first) return { items: [] };
  // Counting a million rows takes longer than reading a page, so a cursor brings its place along.
  const place = start ? Number(start[1]) : placeOf(db, task, seqIn(first));
  const seen = window.map((row, at): Seen => ({ row, before: window[at + 1], place: place - at }));
  const head = latest === top ? undefined : latest;
  const listed = head === undefined ? seen : seen.filter(({ row }) => seqIn(row) !== head);
  const isTop = start === undefined && head !== undefined && from === top;
  const all = isTop ? [...seenAt(db, task, head), ...listed] : listed;
  const marks = new Newest(db, task, start ? latestOf(db, task) : latest);
  const items = all
    .slice(0, limit)
    .map(({ row, before, place: at }) => rowToMeta(store, marks.placed(row, before, at)));
  const next = all[limit];
  return next ? { items, cursor: encodeCursor([seqIn(next.row), next.place, latest ?? 0]) } : { items };
}

function seenAt(db: SqliteDatabase, task: string, seq: number): Seen[] {
  const [row, before] = rowsWhere(db, 'meta', NEWEST_FIRST, task, seq, 2);
  return row ? [{ row, before, place: placeOf(db, task, seq) }] : [];
}

/** Which rows are the newest of their namespace: each namespace is looked up once. */
export class Newest {
  readonly #db: SqliteDatabase;
  readonly #task: string;
  readonly #latest: number | undefined;
  readonly #known = new Map<string, number | undefined>();

  constructor(db: SqliteDatabase, task: string, latest = latestOf(db, task)) {
    this.#db = db;
    this.#task = task;
    this.#latest = latest;
  }

  placed(row: NativeRow, before: NativeRow | undefined, place: number): PlacedRow {
    const isLatest = seqIn(row) === this.#latest;
    const isNewest =
      row['namespace'] && row['framed'] === 1 ? this.#in(String(row['namespace'])) === seqIn(row) : isLatest;
    return { stored: stored(row), place, before: before && stored(before), isLatest, isNewest };
  }

  #in(namespace: string): number | undefined {
    if (!this.#known.has(namespace)) {
      const sql = `SELECT max(seq) AS seq FROM ${TABLE} WHERE task = ? AND namespace = ?`;
      this.#known.set(namespace, prepared<{ seq: number }>(this.#db, sql).get(this.#task, namespace)?.seq);
    }
    return this.#known.get(namespace);
  }
}

interface Around {
  readonly limit: number;
  readonly top: number | undefined;
  readonly latest: number | undefined;
}

function firstSeq(
  db: SqliteDatabase,
  task: string,
  query: PageQuery,
  { limit, top, latest }: Around,
): number | undefined {
  const { around } = query;
  if (!around) return top;
  const seq = seqOf(db, refIn(task, around));
  if (seq === undefined || around.task !== task) throw noCheckpoint(refIn(task, around));
  if (seq === latest) return top;
  const newer = rowsWhere(db, 'lineage', OLDEST_FIRST, task, seq, Math.floor((limit - 1) / 2));
  const last = newer.at(-1);
  return last ? seqIn(last) : seq;
}

/** The one saved last. */
const newestOf = (db: SqliteDatabase, task: string): number | undefined =>
  prepared<{ seq: number | null }>(db, `SELECT max(seq) AS seq FROM ${TABLE} WHERE task = ?`).get(task)?.seq ??
  undefined;

const OF_ROW = 'WHERE task = ? AND namespace = ? AND id = ?';

/** By format. */
const SEQ_OF = { first: `SELECT seq FROM ${PLAIN} ${OF_ROW}`, nodes: `SELECT seq FROM ${TABLE} ${OF_ROW}` };
const STATE_OF = {
  first: `SELECT state_hash, text FROM ${PLAIN} ${OF_ROW}`,
  nodes: `SELECT state_hash, root, whole, size_bytes FROM ${TABLE} ${OF_ROW}`,
};

const seqOf = (db: SqliteDatabase, ref: CheckpointRef): number | undefined =>
  prepared<{ seq: number }>(db, SEQ_OF[isCounted(db) ? 'nodes' : 'first']).get(...keyOf(ref))?.seq;

/** One row, and what its neighbours tell of it, of one moment; a lock for each of them would cost more than they do. */
export function readMeta(db: SqliteDatabase, store: StoreId, ref: CheckpointRef): CheckpointMeta | undefined {
  return readTogether(db, () => {
    const row = readRow(db, ref);
    if (row === undefined) return undefined;
    const [, before] = rowsWhere(db, 'lineage', NEWEST_FIRST, ref.task, seqIn(row), 2);
    return rowToMeta(store, new Newest(db, ref.task).placed(row, before, placeOf(db, ref.task, seqIn(row))));
  });
}

/** Checkpoints of a task, where the store counts them. */
const countOf = (db: SqliteDatabase, task: string): number =>
  prepared<{ count: number }>(db, 'SELECT count FROM tasks WHERE task = ?').get(task)?.count ?? 0;

/** The same for one that was just saved under a new id: nothing has to be looked for that comes after it. */
export function readNewest(
  db: SqliteDatabase,
  store: StoreId,
  { task, namespace, parent }: NewCheckpoint | NewValue,
  seq: number,
): CheckpointMeta | undefined {
  // The one before is the parent of a checkpoint that names none.
  const [row, before] = rowsWhere(db, 'meta', NEWEST_FIRST, task, seq, parent === undefined ? 2 : 1);
  // It may be evicted already.
  if (row === undefined || seqIn(row) !== seq) return undefined;
  const place = countOf(db, task);
  const isLatest = namespace === undefined || namespace === '';
  return rowToMeta(store, { stored: stored(row), place, before: before && stored(before), isLatest, isNewest: true });
}

export function readState(db: SqliteDatabase, ref: CheckpointRef): State | undefined {
  return readTogether(db, () => stateIn(db, ref));
}

function stateIn(db: SqliteDatabase, ref: CheckpointRef): State | undefined {
  const sql = STATE_OF[isCounted(db) ? 'nodes' : 'first'];
  const row = prepared<{ state_hash: string } & (StateRow | { text: string })>(db, sql).get(...keyOf(ref));
  return row && stateOf(row.state_hash, 'text' in row ? row.text : readKnownText(db, row, () => stateBefore(db, ref)));
}

const BEFORE = `SELECT parent.root, parent.whole, parent.size_bytes FROM ${TABLE} AS own JOIN ${TABLE} AS parent
  ON parent.task = own.parent_task AND parent.namespace = coalesce(own.parent_namespace, '') AND parent.id = own.parent_id
  WHERE own.task = ? AND own.namespace = ? AND own.id = ?`;

/** Where the state of the parent is, with which a state is compared. */
const stateBefore = (db: SqliteDatabase, ref: CheckpointRef): StateRow | undefined =>
  prepared<StateRow>(db, BEFORE).get(...keyOf(ref));

const WRITES_OF = `SELECT run, idx, path, node, channel, text FROM writes ${OF_ROW} ORDER BY path, run, idx`;

/** What steps wrote from a checkpoint. */
export function readWrites(db: SqliteDatabase, ref: CheckpointRef): NewWrite[] {
  return isCounted(db)
    ? prepared<NativeRow>(db, WRITES_OF)
        .all(...keyOf(ref))
        .map(rowToWrite)
    : [];
}

export const countWrites = (db: SqliteDatabase, ref: CheckpointRef): number =>
  isCounted(db) ? prepared(db, `SELECT 1 FROM writes ${OF_ROW}`).all(...keyOf(ref)).length : 0;

export const hasWrites = (db: SqliteDatabase, task: string): boolean =>
  isCounted(db) && prepared(db, 'SELECT 1 FROM writes WHERE task = ? LIMIT 1').get(task) !== undefined;

/** The text that a framework keeps beside a state. */
export function readBesideText(db: SqliteDatabase, ref: CheckpointRef): string | undefined {
  if (!isCounted(db)) return undefined;
  const sql = `SELECT beside FROM ${TABLE} ${OF_ROW}`;
  return prepared<{ beside: string | null }>(db, sql).get(...keyOf(ref))?.beside ?? undefined;
}

/** A checkpoint with all that is kept with it, of one moment. */
export function readSaved(db: SqliteDatabase, ref: CheckpointRef): SavedCheckpoint | undefined {
  return readTogether(db, () => {
    const state = stateIn(db, ref);
    const row = readRow(db, ref);
    if (!state || !row) return undefined;
    const createdAt = row['created_at'];
    return compact({
      ...state,
      ref: rowToPlanRow(stored(row)).ref,
      parent: rowParent(row),
      createdAt: typeof createdAt === 'string' ? createdAt : undefined,
      beside: readBesideText(db, ref),
      writes: readWrites(db, ref),
    });
  });
}

/** What people see of that. */
export function readBeside(db: SqliteDatabase, ref: CheckpointRef): Beside | undefined {
  return readTogether(db, () => {
    const row = readRow(db, ref);
    if (!row || row['framed'] !== 1)
      return row && besideOfWrites(readWrites(db, ref), { beside: undefined, isNewest: false, status: row['status'] });
    const { isNewest = false } = new Newest(db, ref.task).placed(row, undefined, 0);
    return besideOfWrites(readWrites(db, ref), { beside: readBesideText(db, ref), isNewest });
  });
}

function errorBeside(db: SqliteDatabase, row: NativeRow): string | undefined {
  const { ref } = rowToPlanRow(stored(row));
  return besideOfWrites(readWrites(db, ref), { beside: undefined, isNewest: true })?.error;
}

/** What the revision of a state begins with that was saved as a value: the rest is the hash of its root. */
export const OF_NODES = 'nodes-';

/** The revision of a text is its sha256. */
const stateOf = (revision: string, text: string): State =>
  revision.startsWith(OF_NODES) ? { text, revision } : { text, revision, sha256: revision };

const rowAt = (db: SqliteDatabase, seq: number): NativeRow | undefined =>
  rowsWhere(db, 'meta', 'WHERE seq = ?', seq)[0];

export function readRow(db: SqliteDatabase, ref: CheckpointRef): NativeRow | undefined {
  return rowsWhere(db, 'meta', OF_ROW, ...keyOf(ref))[0];
}

/** Rows of its task that name it as their parent, oldest first. Not by the order of the task, which has all rows. */
export function readChildren(db: SqliteDatabase, { task, namespace = '', id }: CheckpointRef): NativeRow[] {
  const where = `WHERE parent_id = :id AND parent_task = :task AND +task = :task
    AND COALESCE(parent_namespace, '') = :namespace ORDER BY +seq`;
  return rowsWhere(db, 'meta', where, { task, namespace, id });
}

/** Rows for the rules of a plan, oldest first. */
export function readRows(db: SqliteDatabase, task: string): NativeRow[] {
  return rowsWhere(db, 'meta', 'WHERE task = ? ORDER BY seq', task);
}

/** All but the newest so many, oldest first. */
export function readBeyond(db: SqliteDatabase, task: string, newest: number): NativeRow[] {
  const last = `SELECT seq FROM ${TABLE} WHERE task = :task ORDER BY seq DESC LIMIT 1 OFFSET :newest`;
  return rowsWhere(db, 'meta', `WHERE task = :task AND seq <= (${last}) ORDER BY seq`, { task, newest });
}

/** The latest, of all or of those saved before a `seq`, and the one saved last of all namespaces. */
export function readHead(
  db: SqliteDatabase,
  task: string,
  which: 'latest' | 'newest' | { readonly before: number },
): NativeRow | undefined {
  const seq =
    which === 'newest' ? newestOf(db, task) : latestOf(db, task, which === 'latest' ? undefined : which.before);
  return seq === undefined ? undefined : rowAt(db, seq);
}

export function readLatest(db: SqliteDatabase, task: string): Latest {
  const row = readHead(db, task, 'latest');
  return row ? { ref: rowToPlanRow(stored(row)).ref, basis: 'rule' } : { basis: 'none' };
}

export function findRefs(db: SqliteDatabase, id: string): CheckpointRef[] {
  return rowsWhere(db, 'lineage', 'WHERE id = ? ORDER BY seq DESC', id).map((row) => rowToPlanRow(stored(row)).ref);
}
