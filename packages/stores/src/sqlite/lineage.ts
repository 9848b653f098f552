/** Trees: rows in batches, and where nothing is special about them in columns that SQL writes as JSON. */
import {
  rowToLineage,
  savedStatus,
  type LineagePart,
  type LineageRow,
  type NativeRow,
} from '@checkpoint-inspector/core';
import { prepared, readTogether, type SqliteDatabase } from '@checkpoint-inspector/io';
import { Newest, NEWEST_FIRST, OLDEST_FIRST } from './read.ts';
import { isCounted, latestOf, rowsWhere, seqIn } from './rows.ts';
import { TABLE } from './schema.ts';

/** A few milliseconds of work: between two batches others may have their turn. */
const BATCH = 2_000;

/** A framework's rows, other namespaces, parents elsewhere, and numbers that JSON would round. */
const SPECIAL = `beside IS NOT NULL OR namespace <> '' OR typeof(step_index) = 'real'
  OR (parent_id IS NOT NULL AND (parent_task IS NOT task OR COALESCE(parent_namespace, '') <> ''))`;
const RUN = `SELECT count(*), max(seq), sum(seq < :latest), sum(special), json_group_array(id), json_group_array(parent_id),
    json_group_array(status), json_group_array(created_at), json_group_array(step_index), json_group_array(description)
  FROM (SELECT seq, id, parent_id, status, created_at, step_index, description, ${SPECIAL} AS special
    FROM ${TABLE} WHERE task = :task AND seq > :seq ORDER BY seq LIMIT ${BATCH})`;

type RunRow = readonly [
  count: number,
  last: number,
  older: number,
  special: number,
  ids: string,
  parents: string,
  statuses: string,
  times: string,
  steps: string,
  descriptions: string,
];

/** Oldest first. */
export function* readLineage(db: SqliteDatabase, task: string): Iterable<LineageRow> {
  for (const { rows } of batches(db, task)) yield* rows;
}

/** The rows of a tree of which nothing is special take a quarter of the time as columns. */
export function* readLineageParts(db: SqliteDatabase, task: string): Iterable<LineagePart> {
  if (!isCounted(db)) return yield* batches(db, task);
  const latest = latestOf(db, task) ?? 0;
  let [seq, place, before] = [0, 0, 'null'];
  for (;;) {
    const run = prepared<RunRow>(db, RUN, true).get({ task, seq, latest });
    if (run === undefined || run[0] === 0) return;
    const [count, last, older, special, ids] = run;
    if (special > 0) {
      // What a framework's rows say depends on what else there is.
      const { rows } = batchAfter(db, new Newest(db, task, latest), { task, seq, place });
      const end = rows.at(-1);
      yield { rows };
      before = end === undefined || end.namespace !== undefined ? 'null' : JSON.stringify(end.id);
    } else {
      const isHere = latest > seq && latest <= last;
      const all = parsed<string>(ids);
      const end = JSON.stringify(all.at(-1));
      yield { ...columnsOf(run, all, before, end), ...(isHere ? { latest: older } : {}) };
      before = end;
    }
    [seq, place] = [last, place + count];
    if (count < BATCH) return;
  }
}

function columnsOf(
  [, , , , ids, parents, statuses, times, steps, descriptions]: RunRow,
  all: string[],
  before: string,
  end: string,
) {
  // A list of parents in which each names the row before is the list of ids, one further.
  const isChain =
    ids.endsWith(`${end}]`) &&
    parents === `[${[before, ids.slice(1, -end.length - 2)].filter((part) => part !== '').join(',')}]`;
  return {
    ids: all,
    parents: isChain ? ('before' as const) : parsed<string | null>(parents),
    statuses: parsed<string | null>(statuses).map(savedStatus),
    times: parsed<string | null>(times),
    steps: parsed<number | null>(steps),
    descriptions: parsed<string | null>(descriptions),
  };
}

const parsed = <T>(json: string): T[] => JSON.parse(json) as T[];

/** No read transaction is held while the caller works. */
function* batches(db: SqliteDatabase, task: string): Iterable<{ readonly rows: readonly LineageRow[] }> {
  const marks = new Newest(db, task);
  let [seq, place] = [0, 0];
  for (;;) {
    const { rows, last } = batchAfter(db, marks, { task, seq, place });
    yield { rows };
    if (rows.length < BATCH || last === undefined) return;
    [seq, place] = [last, place + rows.length];
  }
}

function batchAfter(
  db: SqliteDatabase,
  marks: Newest,
  { task, seq, place }: { readonly task: string; readonly seq: number; readonly place: number },
): { readonly rows: LineageRow[]; readonly last: number | undefined } {
  const [found, before] = readTogether(db, () => [
    rowsWhere(db, 'lineage', OLDEST_FIRST, task, seq, BATCH),
    rowsWhere(db, 'lineage', NEWEST_FIRST, task, seq, 1)[0],
  ]);
  const rows = found.map((row: NativeRow, at) =>
    rowToLineage(marks.placed(row, at === 0 ? before : found[at - 1], place + at + 1)),
  );
  const last = found.at(-1);
  return { rows, last: last && seqIn(last) };
}
