/** Trees: rows in batches, and where nothing is special about them the columns that SQL writes as JSON. */
import { rowToLineage, type LineagePart, type LineageRow, type NativeRow } from '@checkpoint-inspector/core';
import type { PostgresReader } from '@checkpoint-inspector/io';
import { idBefore, isWhole, OPEN_ENDED, partOf, STATUS_LETTER } from '../lineage-columns.ts';
import { Newest, readRows, seqIn } from './rows.ts';

const BATCH = 1_000;
const OLDEST_FIRST = 'WHERE task = $1 AND seq > $2 ORDER BY seq LIMIT $3';
const LAST = 'WHERE task = $1 AND seq <= $2 ORDER BY seq DESC LIMIT 1';

/** A framework's rows, other namespaces, parents elsewhere, and errors that steps wrote, if the task has any: asked once. */
const SPECIAL = `beside IS NOT NULL OR namespace <> '' OR parent_namespace <> ''
  OR (parent_task IS DISTINCT FROM $1 AND (parent_id IS NOT NULL OR parent_task IS NOT NULL))
  OR (${OPEN_ENDED} AND EXISTS (SELECT FROM writes WHERE task = $1 AND channel = '__error__')
    AND EXISTS (SELECT FROM writes AS w WHERE w.task = $1 AND w.namespace = '' AND w.id = r.id
      AND w.channel = '__error__'))`;
const list = (column: string): string => `'[' || string_agg(coalesce(to_json(${column})::text, 'null'), ',') || ']'`;
const RUN = `SELECT count(*)::int AS count, max(seq)::float8 AS last, (count(*) FILTER (WHERE ${SPECIAL}))::int AS special,
    (count(*) FILTER (WHERE seq < $4))::int AS older, ${list('id')} AS ids, ${list('parent_id')} AS parents,
    string_agg(${STATUS_LETTER}, '') AS statuses, ${list('created_at')} AS times, ${list('step_index')} AS steps,
    ${list('description')} AS descriptions
  FROM (SELECT seq, namespace, id, parent_task, parent_namespace, parent_id, beside, status, created_at, step_index,
    description FROM checkpoints ${OLDEST_FIRST}) AS r`;

interface RunRow {
  readonly count: number;
  readonly last: number | null;
  readonly special: number;
  /** Rows before the latest. */
  readonly older: number;
  readonly ids: string;
  readonly parents: string;
  readonly statuses: string;
  readonly times: string;
  readonly steps: string;
  readonly descriptions: string;
  readonly [column: string]: unknown;
}

/** Oldest first. */
export async function* readLineage(reader: PostgresReader, task: string): AsyncIterable<LineageRow> {
  const marks = new Newest(reader, task);
  let previous: NativeRow | undefined;
  let place = 0;
  for (;;) {
    const found = await readRows(reader, OLDEST_FIRST, [task, previous ? seqIn(previous) : 0, BATCH]);
    yield* await toLines(found, marks, previous, place);
    previous = found.at(-1);
    place += found.length;
    if (found.length < BATCH) return;
  }
}

/** Rows of a tree of which nothing is special come as the text of their columns. No transaction is held meanwhile. */
export async function* readLineageParts(reader: PostgresReader, task: string): AsyncIterable<LineagePart> {
  const marks = new Newest(reader, task);
  const latest = (await marks.of('')) ?? 0;
  let [seq, place, before] = [0, 0, idBefore(undefined)];
  for (;;) {
    const [run] = await reader.query<RunRow>(RUN, [task, seq, BATCH, latest]);
    if (run === undefined || run.last === null) return;
    let { count, last } = run;
    if (run.special > 0 || !isWhole(run.steps)) {
      // What a framework's rows say depends on what else there is.
      const [previous] = await readRows(reader, LAST, [task, seq]);
      const found = await readRows(reader, OLDEST_FIRST, [task, seq, BATCH]);
      const rows = await toLines(found, marks, previous, place);
      yield { rows };
      before = idBefore(rows.at(-1));
      [count, last] = [found.length, seqIn(found.at(-1) ?? { seq: last })];
    } else {
      const { ids, parents, statuses, times, steps, descriptions, older } = run;
      const isHere = latest > seq && latest <= last;
      const columns = { count, ids, parents, statuses, times, steps, descriptions };
      const made = partOf({ ...columns, latest: isHere ? older : undefined }, before);
      yield made.part;
      before = made.last;
    }
    if (count < BATCH) return;
    [seq, place] = [last, place + count];
  }
}

async function toLines(
  found: readonly NativeRow[],
  marks: Newest,
  previous: NativeRow | undefined,
  place: number,
): Promise<LineageRow[]> {
  const rows: LineageRow[] = [];
  for (const [at, row] of found.entries()) {
    rows.push(rowToLineage(await marks.placed(row, at === 0 ? previous : found[at - 1], place + at + 1)));
  }
  return rows;
}
