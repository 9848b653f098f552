/** The place of a row in the save order of its task: no index knows it, so it is counted. */
import { prepared, readTogether, type SqliteDatabase } from '@checkpoint-inspector/io';
import { isCounted } from './rows.ts';
import { TABLE } from './schema.ts';

/** Newer rows are counted up to here: most questions are about the newest. Further down, every so many rows are marked. */
const NEAR = 2_000;
/** In one statement: a save between two would be counted by half. */
const NEWER = `SELECT COALESCE((SELECT count FROM tasks WHERE task = :task), 0) AS total,
  (SELECT count(*) FROM (SELECT 1 FROM ${TABLE} WHERE task = :task AND seq > :seq LIMIT ${NEAR})) AS newer`;
const LOOK = `SELECT COALESCE((SELECT count FROM tasks WHERE task = :task), 0) AS total,
  COALESCE((SELECT max(seq) FROM ${TABLE} WHERE task = :task), 0) AS newest,
  (SELECT count(*) FROM (SELECT 1 FROM ${TABLE} WHERE task = :task AND seq > :known LIMIT ${NEAR})) AS added,
  (SELECT group_concat(v) FROM store_meta WHERE k IN ('removed', 'gc_epoch')) AS removed`;
const BETWEEN = `SELECT count(*) AS n FROM ${TABLE} WHERE task = ? AND seq > ? AND seq <= ?`;
const NEXT_MARK = `SELECT seq FROM ${TABLE} WHERE task = ? AND seq > ? ORDER BY seq LIMIT 1 OFFSET ${NEAR - 1}`;
/** So many tasks are known at a time. */
const KEPT = 32;

interface Look {
  readonly total: number;
  readonly newest: number;
  /** Rows newer than what was the newest when marks were made. */
  readonly added: number;
  /** Changes when rows go. */
  readonly removed: string;
}

/** The rows at places 2,000, 4,000 … as far as somebody asked, and what the task was like then. */
interface Marks extends Pick<Look, 'total' | 'newest' | 'removed'> {
  readonly seqs: readonly number[];
}

const NONE: Marks = { total: 0, newest: 0, removed: '', seqs: [] };
const known = new WeakMap<SqliteDatabase, Map<string, Marks>>();

/** How many rows the task has up to this one. What was counted once is kept as long as rows are only added at the end. */
export function placeOf(db: SqliteDatabase, task: string, seq: number): number {
  if (!isCounted(db)) return readTogether(db, () => placeInFirst(db, task, seq));
  const near = prepared<{ total: number; newer: number }>(db, NEWER).get({ task, seq });
  if (near && near.newer < NEAR) return near.total - near.newer;
  return readTogether(db, () => placeByMarks(db, task, seq));
}

/** In a file of the first format, which counts nothing: the newest place that was counted, and of which version. */
interface Counted {
  readonly version: unknown;
  readonly seq: number;
  readonly place: number;
}

const counted = new WeakMap<SqliteDatabase, Map<string, Counted>>();

/** Only a newer format is written here, so what was counted is known until another connection commits. */
function placeInFirst(db: SqliteDatabase, task: string, seq: number): number {
  const version = db.pragma('data_version');
  const tasks = counted.get(db) ?? new Map<string, Counted>();
  const known = tasks.get(task);
  const last = known?.version === version ? known : undefined;
  if (last !== undefined && seq === last.seq) return last.place;
  const before = last !== undefined && seq > last.seq ? last : { seq: 0, place: 0 };
  const place = before.place + between(db, task, before.seq, seq);
  if (last === undefined || seq > last.seq) counted.set(db, tasks.set(task, { version, seq, place }));
  const oldest = tasks.size > KEPT ? tasks.keys().next().value : undefined;
  if (oldest !== undefined) tasks.delete(oldest);
  return place;
}

function placeByMarks(db: SqliteDatabase, task: string, seq: number): number {
  const marks = known.get(db)?.get(task) ?? NONE;
  const look = prepared<Look>(db, LOOK).get({ task, known: marks.newest });
  if (look === undefined) return 0;
  const seqs = markedTo(db, task, seq, isStill(marks, look) ? marks.seqs : []);
  keep(db, task, { ...look, seqs });
  const at = countUpTo(seqs, seq);
  return at * NEAR + between(db, task, seqs[at - 1] ?? 0, seq);
}

/** An undo puts rows back where they were: then the task has more rows than came last. */
const isStill = (marks: Marks, { total, removed, added }: Look): boolean =>
  removed === marks.removed && added < NEAR && total - marks.total === added;

function markedTo(db: SqliteDatabase, task: string, seq: number, known: readonly number[]): number[] {
  const seqs = [...known];
  for (let last = seqs.at(-1) ?? 0; last < seq; last = seqs.at(-1) ?? seq) {
    const next = prepared<{ seq: number }>(db, NEXT_MARK).get(task, last);
    if (next === undefined) break;
    seqs.push(next.seq);
  }
  return seqs;
}

/** How many of the ascending numbers are at most that. */
function countUpTo(seqs: readonly number[], seq: number): number {
  let [low, high] = [0, seqs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((seqs[middle] ?? seq) <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

const between = (db: SqliteDatabase, task: string, after: number, upTo: number): number =>
  prepared<{ n: number }>(db, BETWEEN).get(task, after, upTo)?.n ?? 0;

function keep(db: SqliteDatabase, task: string, marks: Marks): void {
  const tasks = known.get(db) ?? new Map<string, Marks>();
  known.set(db, tasks.set(task, marks));
  const oldest = tasks.size > KEPT ? tasks.keys().next().value : undefined;
  if (oldest !== undefined) tasks.delete(oldest);
}
