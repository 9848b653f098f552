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
  NativeRow,
  NewWrite,
  Page,
  PageQuery,
  SavedCheckpoint,
  State,
  StoreId,
  Task,
  TaskQuery,
} from '@checkpoint-inspector/core';
import { KnownNodes, type PostgresReader } from '@checkpoint-inspector/io';
import {
  countUpTo,
  Newest,
  newestOf,
  OF_NODES,
  OF_ROW,
  placedIn,
  placedSql,
  readRow,
  readRows,
  type Row,
  seqIn,
  stored,
} from './rows.ts';
import { keyOf } from '../options.ts';

interface TaskRow {
  readonly task: string;
  readonly count: string;
  readonly bytes: string;
  readonly updated: string;
  readonly [column: string]: unknown;
}

const TASK_BATCH = 500;
const TASKS = `SELECT task, count, bytes, updated FROM tasks
  WHERE $1::text IS NULL OR updated < $1 OR (updated = $1 AND task > $2) ORDER BY updated DESC, task LIMIT ${TASK_BATCH}`;

/** Tasks by the time of their newest checkpoint, ties by id. */
export async function readTasks(reader: PostgresReader, store: StoreId, query: TaskQuery): Promise<Page<Task>> {
  const limit = pageLimit(query.limit);
  const wanted = query.text?.toLowerCase();
  const start = query.cursor === undefined ? [] : decodeCursor(query.cursor, ['string', 'string']).map(String);
  const found: TaskRow[] = [];
  let [updated, task]: (string | undefined)[] = start;
  while (found.length <= limit) {
    const rows = await reader.query<TaskRow>(TASKS, [updated ?? null, task ?? null]);
    found.push(...rows.filter((row) => wanted === undefined || row.task.toLowerCase().includes(wanted)));
    const last = rows.at(-1);
    if (!last || rows.length < TASK_BATCH) break;
    [updated, task] = [last.updated, last.task];
  }
  const shown = found.slice(0, limit);
  const items: Task[] = [];
  for (const row of shown) items.push(await toTask(reader, store, row));
  const last = shown.at(-1);
  return found.length > limit && last ? { items, cursor: encodeCursor([last.updated, last.task]) } : { items };
}

async function toTask(reader: PostgresReader, store: StoreId, { task, count, bytes, updated }: TaskRow): Promise<Task> {
  const latest = await readLatestRow(reader, task);
  const row = latest ?? {};
  const found = latest === undefined ? { rowid: 0n, row } : stored(latest);
  const meta = rowToMeta(store, { stored: found, place: Number(count), before: undefined, isLatest: true });
  const lastError = meta.status === 'failed' ? ((await errorBeside(reader, row)) ?? meta.description) : undefined;
  return compact({
    store,
    id: task,
    title: task,
    system: 'native',
    agentId: meta.agentId,
    checkpointCount: Number(count),
    unreadable: 0,
    latestId: latest && meta.id,
    status: meta.status,
    lastError,
    updatedAt: updated,
    sizeBytes: Number(bytes),
  });
}

const LATEST = "WHERE task = $1 AND seq < $2 AND namespace = '' ORDER BY seq DESC LIMIT 1";

/** Of all, or of those saved before a `seq`. */
export async function readLatestRow(
  reader: PostgresReader,
  task: string,
  before = Number.MAX_SAFE_INTEGER,
): Promise<NativeRow | undefined> {
  const [row] = await readRows(reader, LATEST, [task, before]);
  return row;
}

const NEWEST_FIRST = 'WHERE task = $1 AND seq <= $2 ORDER BY seq DESC LIMIT $3';
const OLDEST_FIRST = 'WHERE task = $1 AND seq > $2 ORDER BY seq LIMIT $3';

/** A row with its place and the row saved before it, as a window on the save order has them. */
interface Seen {
  readonly row: NativeRow;
  readonly before: NativeRow | undefined;
  readonly place: number;
}

/** The latest first, then in save order backwards. */
export async function readCheckpoints(
  reader: PostgresReader,
  store: StoreId,
  task: string,
  query: PageQuery,
): Promise<Page<CheckpointMeta>> {
  const limit = pageLimit(query.limit);
  const start = query.cursor === undefined ? undefined : decodeCursor(query.cursor, ['number', 'number', 'number']);
  const marks = new Newest(reader, task);
  const top = await newestOf(reader, task);
  const latest = start ? Number(start[2]) : await marks.of('');
  const from = start ? Number(start[0]) : await firstSeq(reader, task, query, { limit, top, latest });
  if (from === undefined) return { items: [] };
  // Two rows more than shown: the latest may be left out here, and the last one needs the row before it.
  const window = await readRows(reader, NEWEST_FIRST, [task, from, limit + 2]);
  const first = window[0];
  if (!first) return { items: [] };
  // Counting a million rows takes longer than reading a page, so a cursor brings its place along.
  const place = start ? Number(start[1]) : await countUpTo(reader, task, seqIn(first));
  const seen = window.map((row, at): Seen => ({ row, before: window[at + 1], place: place - at }));
  const head = latest === top ? undefined : latest;
  const listed = head === undefined ? seen : seen.filter(({ row }) => seqIn(row) !== head);
  const isTop = start === undefined && head !== undefined && from === top;
  const all = isTop ? [...(await seenAt(reader, task, head)), ...listed] : listed;
  const items: CheckpointMeta[] = [];
  for (const { row, before, place: at } of all.slice(0, limit))
    items.push(rowToMeta(store, await marks.placed(row, before, at)));
  const next = all[limit];
  return next ? { items, cursor: encodeCursor([seqIn(next.row), next.place, latest ?? 0]) } : { items };
}

async function seenAt(reader: PostgresReader, task: string, seq: number): Promise<Seen[]> {
  const [row, before] = await readRows(reader, NEWEST_FIRST, [task, seq, 2]);
  return row ? [{ row, before, place: await countUpTo(reader, task, seq) }] : [];
}

interface Around {
  readonly limit: number;
  readonly top: number | undefined;
  readonly latest: number | undefined;
}

async function firstSeq(
  reader: PostgresReader,
  task: string,
  query: PageQuery,
  { limit, top, latest }: Around,
): Promise<number | undefined> {
  const { around } = query;
  if (!around) return top;
  const row = await readRow(reader, refIn(task, around));
  if (row === undefined || around.task !== task) throw noCheckpoint(refIn(task, around));
  const seq = seqIn(row);
  if (seq === latest) return top;
  const newer = await readRows(reader, OLDEST_FIRST, [task, seq, Math.floor((limit - 1) / 2)]);
  const last = newer.at(-1);
  return last ? seqIn(last) : seq;
}

export async function readMeta(
  reader: PostgresReader,
  store: StoreId,
  ref: CheckpointRef,
): Promise<CheckpointMeta | undefined> {
  const placed = placedIn(await reader.query<Row>(placedSql(['$1', '$2', '$3']), keyOf(ref)));
  return placed && rowToMeta(store, placed);
}

interface RootRow {
  readonly state_hash: string;
  readonly root: string;
  readonly whole: string | null;
  readonly size_bytes: string;
  readonly beside: string | null;
  readonly [column: string]: unknown;
}

export async function rootOf(reader: PostgresReader, ref: CheckpointRef): Promise<RootRow | undefined> {
  const sql = `SELECT state_hash, root, whole, size_bytes, beside FROM checkpoints WHERE ${OF_ROW}`;
  const [row] = await reader.query<RootRow>(sql, keyOf(ref));
  return row;
}

/** Call it in one snapshot. @throws InspectorError unreadable */
export async function readState(
  reader: PostgresReader,
  ref: CheckpointRef,
  known = new KnownNodes(),
): Promise<State | undefined> {
  const row = await rootOf(reader, ref);
  if (!row) return undefined;
  const text = await known.textOf(reader, {
    root: Number(row.root),
    whole: row.whole === null ? null : Number(row.whole),
    size_bytes: Number(row.size_bytes),
  });
  // The revision of a text is its sha256.
  const revision = row.state_hash;
  return revision.startsWith(OF_NODES) ? { text, revision } : { text, revision, sha256: revision };
}

/** What steps wrote from a checkpoint. */
async function readWrites(reader: PostgresReader, ref: CheckpointRef): Promise<NewWrite[]> {
  const sql = `SELECT run, idx, path, node, channel, text FROM writes WHERE ${OF_ROW} ORDER BY path, run, idx`;
  const rows = await reader.query<{ [column: string]: null | string }>(sql, keyOf(ref));
  return rows.map((row) => rowToWrite({ ...row, idx: Number(row['idx']) }));
}

/** The text that a framework keeps beside a state. */
export async function readBesideText(reader: PostgresReader, ref: CheckpointRef): Promise<string | undefined> {
  return (await rootOf(reader, ref))?.beside ?? undefined;
}

/** A checkpoint with all that is kept with it. Call it in one snapshot. */
export async function readSaved(
  reader: PostgresReader,
  ref: CheckpointRef,
  known: KnownNodes,
): Promise<SavedCheckpoint | undefined> {
  const [state, row] = [await readState(reader, ref, known), await readRow(reader, ref)];
  if (!state || !row) return undefined;
  const createdAt = row['created_at'];
  return compact({
    ...state,
    ref: rowToPlanRow(stored(row)).ref,
    parent: rowParent(row),
    createdAt: typeof createdAt === 'string' ? createdAt : undefined,
    beside: await readBesideText(reader, ref),
    writes: await readWrites(reader, ref),
  });
}

/** What people see of that. */
export async function readBeside(reader: PostgresReader, ref: CheckpointRef): Promise<Beside | undefined> {
  const row = await readRow(reader, ref);
  if (!row) return undefined;
  const writes = await readWrites(reader, ref);
  if (row['framed'] !== 1) return besideOfWrites(writes, { beside: undefined, isNewest: false, status: row['status'] });
  const { isNewest = false } = await new Newest(reader, ref.task).placed(row, undefined, 0);
  return besideOfWrites(writes, { beside: await readBesideText(reader, ref), isNewest });
}

async function errorBeside(reader: PostgresReader, row: NativeRow): Promise<string | undefined> {
  const { ref } = rowToPlanRow(stored(row));
  return besideOfWrites(await readWrites(reader, ref), { beside: undefined, isNewest: true })?.error;
}

export async function findRefs(reader: PostgresReader, id: string): Promise<CheckpointRef[]> {
  const rows = await readRows(reader, 'WHERE id = $1 ORDER BY seq DESC', [id]);
  return rows.map((row) => rowToPlanRow(stored(row)).ref);
}
