/** Trees: rows in batches, and where nothing is special about them the columns that SQL writes as JSON. */
import {
  compact,
  rowToLineage,
  type LineagePart,
  type LineageRowWithFacts,
  type NativeRow,
  type RowFacts,
} from '@checkpoint-inspector/core';
import { prepared, readTogether, type SqliteDatabase } from '@checkpoint-inspector/io';
import { idBefore, isWhole, OPEN_ENDED, partOf, STATUS_LETTER } from '../lineage-columns.ts';
import { Newest, NEWEST_FIRST, OLDEST_FIRST } from './read.ts';
import { isCounted, latestOf, rowsWhere, seqIn } from './rows.ts';
import { TABLE } from './schema.ts';

/** A few milliseconds of work: between two batches others may have their turn. */
const BATCH = 2_000;

/** A framework's rows, other namespaces, parents elsewhere, and errors that steps wrote, if the task has any: asked once. */
const SPECIAL = `beside IS NOT NULL OR namespace <> '' OR parent_namespace <> ''
  OR (parent_task IS NOT :task AND (parent_id IS NOT NULL OR parent_task IS NOT NULL))
  OR (${OPEN_ENDED} AND EXISTS (SELECT 1 FROM writes WHERE task = :task AND channel = '__error__')
    AND EXISTS (SELECT 1 FROM writes AS w WHERE w.task = :task AND w.namespace = '' AND w.id = ${TABLE}.id
      AND w.channel = '__error__'))`;
// By the index, and without a subquery, which would copy each value once more.
const ROWS = `FROM ${TABLE} INDEXED BY checkpoints_by_task WHERE task = :task AND seq > :seq`;
const END = `SELECT seq ${ROWS} ORDER BY seq LIMIT 1 OFFSET ${BATCH - 1}`;
/** Only what is needed of a million rows: there are as many as letters of their statuses. */
const RUN = `SELECT count(*) FILTER (WHERE ${SPECIAL}), json_group_array(id), json_group_array(parent_id),
    group_concat(${STATUS_LETTER}, ''), json_group_array(created_at), json_group_array(step_index), json_group_array(description)
  ${ROWS} AND seq <= :end`;
const BEFORE = `SELECT count(*) ${ROWS} AND seq <= :end`;
type RunRow = readonly [
  special: number,
  ids: string,
  parents: string,
  statuses: string | null,
  times: string,
  steps: string,
  descriptions: string,
];

const NO_ROWS: RunRow = [0, '', '', null, '', '', ''];

/** Oldest first. */
export function* readLineage(db: SqliteDatabase, task: string, withFacts = false): Iterable<LineageRowWithFacts> {
  for (const { rows } of batches(db, task, withFacts)) yield* rows;
}

/** Rows of a tree of which nothing is special come as the text of their columns. */
export function* readLineageParts(db: SqliteDatabase, task: string): Iterable<LineagePart> {
  if (!isCounted(db)) return yield* batches(db, task);
  const latest = latestOf(db, task) ?? 0;
  let [seq, place, before] = [0, 0, idBefore(undefined)];
  for (;;) {
    const { end, run, latestAt } = readTogether(db, () => runAfter(db, { task, seq, latest }));
    const [special, ids, parents, statuses, times, steps, descriptions] = run;
    if (statuses === null) return;
    let last = end;
    if (special > 0 || !isWhole(steps)) {
      // What a framework's rows say depends on what else there is.
      const batch = batchAfter(db, new Newest(db, task, latest), { task, seq, place });
      yield { rows: batch.rows };
      before = idBefore(batch.rows.at(-1));
      if (end !== undefined) last = batch.last ?? end;
      place += batch.rows.length;
    } else {
      const count = statuses.length;
      const made = partOf({ count, ids, parents, statuses, times, steps, descriptions, latest: latestAt }, before);
      yield made.part;
      before = made.last;
      place += count;
    }
    if (last === undefined) return;
    seq = last;
  }
}

interface After {
  readonly task: string;
  readonly seq: number;
  readonly latest: number;
}

/** No `end`: there are no more after these. */
function runAfter(db: SqliteDatabase, { task, seq, latest }: After) {
  const end = prepared<readonly [number]>(db, END, true).get({ task, seq })?.[0];
  const to = { task, seq, end: end ?? Number.MAX_SAFE_INTEGER };
  const run = prepared<RunRow>(db, RUN, true).get(to) ?? NO_ROWS;
  const isHere = latest > seq && latest <= to.end;
  const latestAt = isHere
    ? (prepared<readonly [number]>(db, BEFORE, true).get({ ...to, end: latest - 1 })?.[0] ?? 0)
    : undefined;
  return { end, run, latestAt };
}

/** No read transaction is held while the caller works. */
function* batches(
  db: SqliteDatabase,
  task: string,
  withFacts = false,
): Iterable<{ readonly rows: readonly LineageRowWithFacts[] }> {
  const marks = new Newest(db, task);
  let [seq, place] = [0, 0];
  for (;;) {
    const { rows, last } = batchAfter(db, marks, { task, seq, place, withFacts });
    yield { rows };
    if (rows.length < BATCH || last === undefined) return;
    [seq, place] = [last, place + rows.length];
  }
}

interface Batch {
  readonly task: string;
  readonly seq: number;
  readonly place: number;
  readonly withFacts?: boolean;
}

function batchAfter(
  db: SqliteDatabase,
  marks: Newest,
  { task, seq, place, withFacts = false }: Batch,
): { readonly rows: LineageRowWithFacts[]; readonly last: number | undefined } {
  const [found, before] = readTogether(db, () => [
    rowsWhere(db, 'lineage', OLDEST_FIRST, task, seq, BATCH),
    rowsWhere(db, 'lineage', NEWEST_FIRST, task, seq, 1)[0],
  ]);
  const rows = found.map((row: NativeRow, at) => {
    const line = rowToLineage(marks.placed(row, at === 0 ? before : found[at - 1], place + at + 1));
    return withFacts ? { ...line, facts: factsOf(row) } : line;
  });
  const last = found.at(-1);
  return { rows, last: last && seqIn(last) };
}

const factsOf = ({ agent_id: agent, size_bytes: bytes, state_hash: hash }: NativeRow): RowFacts =>
  compact({
    agentId: typeof agent === 'string' ? agent : undefined,
    sizeBytes: Number(bytes ?? 0),
    revision: typeof hash === 'string' ? hash : undefined,
  });
