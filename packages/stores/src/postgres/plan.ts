/** What the rules of our own stores ask of a schema. */
import { planRows, rowToPlanRow } from '@checkpoint-inspector/core';
import type { CheckpointRef, NativeRow, NativeSteps, Plan, StoreId, SystemRequest } from '@checkpoint-inspector/core';
import { addNative, postgresJob, type PgParameter, type PostgresReader } from '@checkpoint-inspector/io';
import { findRefs, readBesideText, readLatestRow, readState } from './read.ts';
import { newestOf, readRows, stored } from './rows.ts';
import { checkTexts } from './save.ts';
import { amongKeys, together } from './together.ts';

const BEYOND = `WHERE task = $1 AND seq <= (SELECT seq FROM checkpoints WHERE task = $1 ORDER BY seq DESC LIMIT 1 OFFSET $2)
  ORDER BY seq`;

const CHILDREN = `WHERE ${amongKeys("parent_task, coalesce(parent_namespace, ''), parent_id")} AND task = parent_task
  ORDER BY seq`;
const WRITES = `SELECT task, namespace, id, count(*) AS n FROM writes WHERE ${amongKeys('task, namespace, id')} GROUP BY 1, 2, 3`;

export interface PlannedStore {
  readonly store: StoreId;
  /** The identity of the opened database. */
  readonly place: string;
  readonly maxPerTask: number | undefined;
}

/** What the next save to the task would evict. */
export async function evictedNextIn(reader: PostgresReader, task: string, keep: number): Promise<CheckpointRef[]> {
  return (await readRows(reader, BEYOND, [task, keep - 1])).map((row) => toPlanRow(row).ref);
}

/** Call it in one snapshot. @throws InspectorError not_found | invalid_input | too_large | unsupported */
export function planIn(reader: PostgresReader, to: PlannedStore, request: SystemRequest): Promise<Plan> {
  const many = async (rest: string, values: readonly PgParameter[]) =>
    (await readRows(reader, rest, values)).map(toPlanRow);
  const rows = together(
    (keys) => many(`WHERE ${amongKeys('task, namespace, id')}`, keys),
    ({ ref }) => ref,
  );
  const children = together(
    (keys) => many(CHILDREN, keys),
    ({ ref, parent = ref }) => parent,
  );
  const writes = together(
    (keys) => reader.query<Counted>(WRITES, keys),
    (counted) => counted,
  );
  const newest = async (task: string) => {
    const seq = await newestOf(reader, task);
    return seq === undefined ? undefined : (await many('WHERE seq = $1', [seq]))[0];
  };
  return planRows(
    {
      store: to.store,
      job: (steps) => addNative(postgresJob(to.place, tasksIn(steps)), checked(steps)),
      maxPerTask: to.maxPerTask,
      now: () => new Date(),
      rows: (task) => many('WHERE task = $1 ORDER BY seq', [task]),
      head: async (task, before) => planRowOf(await readLatestRow(reader, task, before)),
      newest,
      beyond: (task, kept) => many(BEYOND, [task, kept]),
      row: async (ref) => (await rows(ref))[0],
      children,
      text: async (ref) => (await readState(reader, ref))?.text ?? '',
      beside: (ref) => readBesideText(reader, ref),
      writes: async (ref) => Number((await writes(ref))[0]?.n ?? 0),
      loose: (task) => hasWrites(reader, task),
      taken: async (id) => (await findRefs(reader, id)).length > 0,
    },
    request,
  );
}

const toPlanRow = (row: NativeRow) => rowToPlanRow(stored(row));
const planRowOf = (row: NativeRow | undefined) => row && toPlanRow(row);

/** How many writes a checkpoint has, where it has some. */
interface Counted extends CheckpointRef {
  readonly n: string;
  readonly [column: string]: unknown;
}

async function hasWrites(reader: PostgresReader, task: string): Promise<boolean> {
  return (await reader.query('SELECT FROM writes WHERE task = $1 LIMIT 1', [task])).length > 0;
}

/** Every task that the steps look at or change. */
function tasksIn({
  unchanged,
  copy,
  newest = [],
  taken = [],
  moves = [],
  removes,
  clears = [],
}: NativeSteps): string[] {
  const refs = [
    ...[...unchanged, ...moves, ...clears].map(({ ref }) => ref),
    ...taken.flatMap(({ from, to }) => [from, to]),
    ...(copy ? [copy.from, copy.to] : []),
    ...removes,
    ...newest,
  ];
  return [...new Set(refs.map(({ task }) => task))];
}

/** @throws InspectorError invalid_input for what a database can't keep */
function checked(steps: NativeSteps): NativeSteps {
  const { copy, taken = [] } = steps;
  for (const { to, set } of copy ? [copy, ...taken] : taken) checkTexts({ ...set, ...to });
  return steps;
}
