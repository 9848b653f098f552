/** Changes of rows, as the description says a copy goes in: a restore and an edit add a newest row, a fork the first of a new task. */
import {
  editWarnings,
  InspectorError,
  noCheckpoint,
  planList,
  readEdit,
  type CheckpointRef,
  type Latest,
  type Plan,
  type PlanItem,
  type Precondition,
  type StoreId,
  type SystemRequest,
} from '@checkpoint-inspector/core';
import { sha256, type RowsJob, type SqlRow, type SqlValue } from '@checkpoint-inspector/io';
import { firstOfTask, frame, freeName } from '../folder/plan.ts';
import type { CopyRule, Description } from './description.ts';
import type { Table, TableRow } from './rows.ts';
import { columnPlace, timeLike } from './values.ts';

type CopyRequest = Extract<SystemRequest, { kind: 'restore' | 'fork' | 'edit' }>;

export interface RowChanges {
  readonly store: StoreId;
  readonly table: Table;
  readonly job: (tasks: readonly string[]) => RowsJob;
  readonly latest: (table: Table, task: string) => Latest | Promise<Latest>;
  readonly now: Date;
}

export const NO_COPY = "The description of this format doesn't say how a copy goes in (`copy`), so it is only read.";

/** What the database says of a table, which a copy has to fit into. */
export interface TableFacts {
  /** Rows are in the order in which they were inserted, where the description names no other. */
  readonly isInserted: boolean;
  /** The ids come from a sequence, which a row with an id of its own doesn't move. */
  readonly hasSequence: boolean;
}

/** Whether rows can be copied so that the copy is the latest, or why not. */
export function copyable(
  { copy, values, order, collect }: Description,
  { isInserted, hasSequence }: TableFacts,
): true | string {
  if (copy === undefined) return NO_COPY;
  if (collect !== undefined) return 'A row has only what was added, so the copy of one is not a whole state.';
  const [id, time] = [values.id, values.time].map((where) => (where === undefined ? undefined : columnPlace(where)));
  if (id === undefined || id.path !== undefined)
    return 'The id of a checkpoint is inside its state, so no copy can have another.';
  if (copy.id === 'next' && hasSequence)
    return "The ids come from a sequence of the database: a copy would take the number of the agent's next row.";
  const first = order[0] ?? (isInserted ? 'rowid' : (time?.column ?? id.column));
  if (first === 'rowid' || (first === time?.column && time.path === undefined)) return true;
  return (
    (first === id.column && copy.id === 'next') ||
    `A copy would not be the newest: rows are in the order of "${first}".`
  );
}

/** @throws InspectorError not_found | unsupported | invalid_input */
export async function planRows(changes: RowChanges, request: SystemRequest): Promise<Plan> {
  return request.kind === 'delete' ? planDelete(changes, request) : planCopy(changes, request);
}

/** The columns that name a row; several rows may have one id. */
function keyOf({ table }: RowChanges, task: string, row: TableRow): SqlRow {
  if (row.again > 0)
    throw new InspectorError(
      'unsupported',
      `"${table.idOf(row)}" is the id of several rows, so none of them can be named.`,
    );
  const { values } = table.description;
  return {
    [columnPlace(values.task).column]: task === '' ? null : task,
    [columnPlace(values.id ?? '').column]: row.id,
  };
}

async function rowsOf({ table }: RowChanges, task: string, ids: readonly string[]): Promise<readonly TableRow[]> {
  const rows = await table.rows(task);
  for (const id of ids) {
    const named = rows.find((row) => row.id === id);
    if (named === undefined) throw noCheckpoint({ task, id });
    if (rows.some((row) => row.again > 0 && table.idOf(row) === id))
      throw new InspectorError('unsupported', `"${id}" is the id of several rows, so none of them can be named.`);
  }
  return rows;
}

async function storedAt({ table }: RowChanges, ref: CheckpointRef): Promise<SqlValue> {
  const cell = await table.stored(ref);
  return cell ?? null;
}

async function planDelete(changes: RowChanges, request: Extract<SystemRequest, { kind: 'delete' }>): Promise<Plan> {
  const { table, latest } = changes;
  const { task } = firstOfTask(
    request.refs.map((ref) => ({ ref })),
    'task',
  ).ref;
  const ids = new Set(request.refs.map(({ id }) => id));
  const rows = await rowsOf(changes, task, [...ids]);
  const head = await latest(table, task);
  const left = rows.findLast((row) => !ids.has(row.id) && !row.problem);
  const gone = rows.filter(({ id }) => ids.has(id));
  let job = changes.job([task]);
  const preconditions: Precondition[] = [];
  for (const row of gone) {
    const ref = { task, id: row.id };
    const stored = await storedAt(changes, ref);
    const key = keyOf(changes, task, row);
    job = job
      .expectRow(table.description.table, key, { [columnPlace(table.description.values.state ?? '').column]: stored })
      .delete(table.description.table, key);
    preconditions.push(revisionOf(ref, stored));
  }
  return {
    view: {
      ...frame(changes, request, task, head),
      preconditions,
      warnings: [],
      removes: planList(
        gone.map(({ id, sizeBytes }): PlanItem => ({ ref: { task, id }, reason: 'requested', sizeBytes })),
      ),
      ...(left && { latestAfter: { task, id: left.id } }),
      bytesFreed: gone.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    },
    job,
  };
}

const revisionOf = (ref: CheckpointRef, stored: SqlValue): Precondition => ({
  kind: 'revision',
  ref,
  revision: sha256(stored instanceof Uint8Array ? stored : String(stored ?? '')),
});

async function planCopy(changes: RowChanges, request: CopyRequest): Promise<Plan> {
  const { table, now } = changes;
  const { description } = table;
  const { ref } = request;
  if (description.copy === undefined) throw new InspectorError('unsupported', NO_COPY);
  const rows = await rowsOf(changes, ref.task, [ref.id]);
  const row = rows.find(({ id }) => id === ref.id);
  const state = await table.state(ref);
  if (row === undefined || state === undefined) throw noCheckpoint(ref);
  const tasks = new Set((await table.tasks()).map(({ id }) => id));
  const target =
    request.targetTask ?? (request.kind === 'fork' ? freeName(ref.task, (name) => tasks.has(name)) : ref.task);
  if (target !== ref.task && tasks.has(target))
    throw new InspectorError('invalid_input', `The task "${target}" exists already. Choose a new name.`, {
      data: { targetTask: target },
    });
  const head = await changes.latest(table, target);
  const text = request.kind === 'edit' ? request.text : state.text;
  if (request.kind === 'edit') readEdit(text);
  const fresh = await freshId(table, description.copy, request);
  const { set, parent } = columnsOfCopy(description, row, { ref, target, now, id: fresh.value });
  const written = { task: target, id: String(fresh.value) };
  const stored = await storedAt(changes, ref);
  const { column: stateColumn, path: inColumn } = columnPlace(description.values.state ?? '');
  if (request.kind === 'edit' && inColumn !== undefined)
    throw new InspectorError(
      'unsupported',
      'The state is a part of what its column holds, so it can be copied and not edited.',
    );
  const edited = request.kind === 'edit' ? { [stateColumn]: text } : {};
  const key = keyOf(changes, ref.task, row);
  const job = fresh
    .guard(changes.job([...new Set([ref.task, target])]))
    .expectRow(description.table, key, { [stateColumn]: stored })
    .copy(description.table, key, { ...set, ...edited });
  return {
    view: {
      ...frame(changes, request, ref.task, head),
      ...(target === ref.task ? {} : { targetTask: target }),
      preconditions: [
        { kind: 'head', task: target, ...(head.ref && { ref: head.ref }) },
        revisionOf(ref, stored),
        { kind: 'absent', ref: written },
      ],
      writes: planList([
        {
          ref: written,
          reason: reasonOf(request),
          sizeBytes: Buffer.byteLength(text),
          where: `a row of ${description.table}`,
        },
      ]),
      warnings: request.kind === 'edit' ? editWarnings(state.text, text) : [],
      latestAfter: written,
      proofHash: sha256(text),
      ...(parent ? {} : { sidecar: [{ child: written, parent: ref }] }),
    },
    job,
  };
}

function reasonOf({ kind, ref }: CopyRequest): string {
  if (kind === 'edit') return `the edited state as a child of "${ref.id}", as the newest row`;
  return kind === 'fork' ? `copy of "${ref.id}" in a new task` : `copy of "${ref.id}" as the newest row`;
}

/** A parent in the table is of the same task: a copy in another one is told of by the sidecar. */
function columnsOfCopy(
  { values, utc }: Description,
  { createdAtText }: TableRow,
  {
    ref,
    target,
    now,
    id,
  }: { readonly ref: CheckpointRef; readonly target: string; readonly now: Date; readonly id: SqlValue },
): { readonly set: SqlRow; readonly parent: boolean } {
  const plain = (where: string | undefined): string | undefined => {
    const place = where === undefined ? undefined : columnPlace(where);
    return place?.path === undefined ? place?.column : undefined;
  };
  const [idColumn, task, time, parent] = [values.id, values.task, values.time, values.parent].map(plain);
  const isRecorded = parent !== undefined && target === ref.task;
  return {
    set: {
      ...(idColumn !== undefined && { [idColumn]: id }),
      ...(task !== undefined && target !== ref.task && { [task]: target }),
      ...(time !== undefined && createdAtText !== undefined && { [time]: timeLike(createdAtText, now, utc) }),
      ...(parent !== undefined && { [parent]: isRecorded ? ref.id : null }),
    },
    parent: isRecorded,
  };
}

interface FreshId {
  readonly value: SqlValue;
  /** The job holds only while the id is free. */
  readonly guard: (job: RowsJob) => RowsJob;
}

async function freshId(table: Table, { id }: CopyRule, request: CopyRequest): Promise<FreshId> {
  const { description } = table;
  const column = columnPlace(description.values.id ?? '').column;
  const given = request.kind === 'fork' ? request.id : undefined;
  if (id === 'uuid' || given !== undefined) {
    const value = given ?? globalThis.crypto.randomUUID();
    return { value, guard: (job) => job.expectAbsent(description.table, { [column]: value }) };
  }
  const newest = await table.greatestId();
  return { value: newest + 1n, guard: (job) => job.expectMax(description.table, {}, column, newest) };
}
