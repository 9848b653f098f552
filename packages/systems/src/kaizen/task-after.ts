import type { InSteps } from '@checkpoint-inspector/core';
import { inOrder } from '../folder/index.ts';
import type { Row, StoredFile } from './files.ts';
import { latestOf } from './latest.ts';
import { fileKaizenLoads, idsLoadedFrom } from './names.ts';
import { rowsOfAgent, snapshotInSteps, sortTime, type Snapshot, type TaskRows } from './rows.ts';
import { addTotals, totalsOf } from './totals.ts';

/** Files that come to a task or leave it. */
interface TaskChange {
  readonly add?: StoredFile;
  readonly remove?: ReadonlySet<StoredFile>;
}

/** A task as it will be; without rows when the change empties it. */
export interface TaskAfter extends Pick<TaskRows, 'latest' | 'totals'> {
  /** Oldest first. */
  readonly rows: Iterable<Row>;
}

const NOTHING: TaskAfter = { rows: [], latest: { basis: 'none' }, totals: totalsOf([]) };

/**
 * The task's rules asked about the folder after the change. One file is put into, or taken out of, the order that
 * the rows have; for more, or where copies are involved, all the task's own files are sorted, never those of others.
 */
export function* taskAfterInSteps(snapshot: Snapshot, task: string, change: TaskChange): InSteps<TaskAfter> {
  const known = snapshot.tasks.get(task);
  const { add, remove } = change;
  // Only an empty agent id, and files without an agent, stand for more than their own.
  if (task === '' || known?.unassigned) {
    const kept = snapshot.folder.files.filter((file) => !remove?.has(file));
    const files = add ? [...kept, add] : kept;
    return (yield* snapshotInSteps({ ...snapshot.folder, files }, snapshot)).tasks.get(task) ?? NOTHING;
  }
  const gone = new Set([...(remove ?? [])].map((file) => file.name));
  const names = yield* snapshot.names();
  const has = (name: string): boolean => name === add?.name || (names.has(name) && !gone.has(name));
  const rowsOf: RowsOf = (files) => rowsOfAgent(task, files, (id) => fileKaizenLoads(id, has));
  const after =
    (known && (yield* oneChanged(snapshot, known, change, rowsOf))) ?? (yield* wholeTask(known, change, rowsOf));
  const { parts, totals } = after;
  if (parts.every(({ from, to }) => from === to)) return NOTHING;
  const newestFirst = { [Symbol.iterator]: () => backwards(parts) };
  const latest = latestOf({ task, newestFirst, totals, all: () => [], unassigned: false });
  return { rows: { [Symbol.iterator]: () => forwards(parts) }, totals, latest };
}

/** The rows of `of` at `from` and behind it, before `to`: what stays in its place is not copied. */
interface Part {
  readonly of: readonly Row[];
  readonly from: number;
  readonly to: number;
}

/** Oldest first. */
interface Rows extends Pick<TaskAfter, 'totals'> {
  readonly parts: readonly Part[];
}

type RowsOf = (files: readonly StoredFile[]) => InSteps<Row[]>;

const wholeOf = (rows: readonly Row[]): Part => ({ of: rows, from: 0, to: rows.length });

function* forwards(parts: readonly Part[]): Generator<Row> {
  for (const { of, from, to } of parts) {
    for (let at = from; at < to; at++) {
      const row = of[at];
      if (row) yield row;
    }
  }
}

function* backwards(parts: readonly Part[]): Generator<Row> {
  for (const { of, from, to } of parts.toReversed()) {
    for (let at = to - 1; at >= from; at--) {
      const row = of[at];
      if (row) yield row;
    }
  }
}

function* wholeTask(known: TaskRows | undefined, { add, remove }: TaskChange, rowsOf: RowsOf): InSteps<Rows> {
  const kept = (known?.rows ?? []).map((row) => row.file).filter((file) => !remove?.has(file));
  const rows = yield* inOrder(yield* rowsOf(add ? [...kept, add] : kept), sortTime);
  return { parts: [wholeOf(rows)], totals: totalsOf(rows) };
}

/** `undefined` where more than one file changes, or one that others of the task depend on. */
function* oneChanged(
  snapshot: Snapshot,
  known: TaskRows,
  change: TaskChange,
  rowsOf: RowsOf,
): InSteps<Rows | undefined> {
  const { add, remove } = change;
  const [file, ...others] = [...(add ? [add] : []), ...(remove ?? [])];
  if (!file || others.length > 0) return undefined;
  const [row] = yield* rowsOf([file]);
  if (!row || isShared(snapshot, known.id, file)) return undefined;
  const own = totalsOf([row]);
  if (known.totals.timedUnreadable + own.timedUnreadable > 0) return undefined;
  const from = firstAt(known.rows, (other) => compareTimes(other, row) >= 0);
  const to = firstAt(known.rows, (other) => compareTimes(other, row) > 0);
  const tied: readonly Row[] = known.rows.slice(from, to);
  // Which of several copies a parent's id finds depends on their order among themselves, which isn't the rows'.
  if (tied.some((other) => other.ref.namespace !== undefined)) return undefined;
  const left = add ? [...tied, row] : tied.filter((other) => other.file !== file);
  const [before, behind] = [
    { ...wholeOf(known.rows), to: from },
    { ...wholeOf(known.rows), from: to },
  ];
  const totals = addTotals(known.totals, own, add ? 1 : -1);
  return { parts: [before, wholeOf(yield* inOrder(left, sortTime)), behind], totals };
}

/** Whether another file of the task has the id of this one, or one that Kaizen would load this one for. */
function isShared({ byId }: Snapshot, task: string, file: StoredFile): boolean {
  const ids = [file.facts?.checkpointId ?? '', ...idsLoadedFrom(file.name)];
  return ids.some((id) => byId.get(id)?.some((row) => row.ref.task === task && row.file !== file));
}

/** In the order of rows, as far as it does not depend on other rows. */
function compareTimes(a: Row, b: Row): number {
  const [timeA, timeB] = [sortTime(a), sortTime(b)];
  return Number(a.readable) - Number(b.readable) || (timeA < timeB ? -1 : Number(timeA > timeB));
}

/** The place of the first row that `isBehind`, as all rows after it are. */
function firstAt(rows: readonly Row[], isBehind: (row: Row) => boolean): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle];
    if (row && isBehind(row)) high = middle;
    else low = middle + 1;
  }
  return low;
}
