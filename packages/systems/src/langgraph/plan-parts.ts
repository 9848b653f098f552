import { sqliteJob, type RowsJob, type SqlRow } from '@checkpoint-inspector/io';
import {
  InspectorError,
  sha256Hex,
  type CheckpointRef,
  type PlanWarning,
  type Precondition,
  type StoreId,
} from '@checkpoint-inspector/core';
import { editedCheckpoint, type Stamp } from './edited.ts';
import { rewritten } from './msgpack/write.ts';
import type { Head } from './threads.ts';
import { isRecent } from './meta.ts';
import { outerParent, readMetadata } from './metadata.ts';
import { inClass, payloadText } from './payload.ts';
import type { FullRow, Key, Queries } from './queries.ts';
import { nextNodes, readShape } from './shape.ts';
import { hasPythonsForm, stampedCopy, timeIn } from './stamped.ts';

/** Other channel values for a row that is read as JSON text. */
export interface ChannelEdit {
  /** The row's checkpoint. */
  readonly source: string;
  readonly values: string;
  /** Channels whose value differs, appears or goes. */
  readonly changed: readonly string[];
  readonly stamp: Stamp;
}

export interface EditedRow {
  readonly checkpoint: Uint8Array;
  /** The checkpoint as it is read back. */
  readonly text: string;
  /** Values that are in a table of their own. */
  readonly addValues: (job: RowsJob, thread: string) => void;
}

type May<T> = T | Promise<T>;

/** How LangGraph's rows are written in one engine. */
export interface RowOps {
  /** The table of the writes. */
  readonly writes: string;
  job(): RowsJob;
  /** The columns that hold a row's checkpoint and metadata, as stored. */
  columnsOf(row: FullRow, values: Pick<FullRow, 'checkpoint' | 'metadata'>): SqlRow;
  /** All columns beside the key, of a row as it was read. */
  contentOf(row: FullRow): SqlRow;
  /** The row under another id and time; its channel values stay. @throws InspectorError unsupported | unreadable */
  stamped(thread: string, row: FullRow, id: string, ticks: bigint): May<Uint8Array>;
  /** Who reads the row's JSON by the letter; absent where Python does, which takes more. */
  strictFor(row: FullRow): string | undefined;
  /** The row with other channel values. @throws InspectorError unsupported where they can't be written back exactly */
  edited(thread: string, row: FullRow, edit: ChannelEdit): May<EditedRow>;
  /** Bytes that a deletion of the row frees, its writes left out. */
  sizeOf(row: FullRow): number;
  /** Values that lie in a table of their own: those of the new newest row, of a copy and of what is deleted. */
  addValues(job: RowsJob, thread: string, row: FullRow): May<void>;
  /** @param keys absent for all of the thread */
  copyValues(job: RowsJob, thread: string, targetTask: string, keys?: readonly Key[]): May<void>;
  deleteValues(job: RowsJob, thread: string, keys?: readonly Key[]): May<void>;
  /** What a person has to know of these values before the change. */
  warnings(kind: 'newest' | 'copy' | 'delete', thread: string, keys: readonly Key[]): May<readonly PlanWarning[]>;
}

export interface PlanContext {
  readonly store: StoreId;
  readonly ops: RowOps;
  readonly queries: Queries;
  readonly now: Date;
  readonly head: (thread: string) => May<Head>;
}

/** @throws InspectorError not_found */
export async function existingRow(context: PlanContext, ref: CheckpointRef): Promise<FullRow> {
  const row = await context.queries.row(ref.task, { ns: ref.namespace ?? '', id: ref.id });
  if (row) return row;
  throw new InspectorError('not_found', `No checkpoint "${ref.id}" in thread "${ref.task}".`, { data: { ...ref } });
}

export const SUBGRAPH_REASON = 'This checkpoint belongs to a subgraph, which LangGraph starts from its parent graph.';

/** Why a state with delta channels is not edited. */
export function deltaReason(channels: readonly string[]): string {
  const names = channels.length === 0 ? '' : ` (${channels.join(', ')})`;
  return `This state is built from changes stored with its ancestors${names}, so a child of it would apply them twice.`;
}

/** Restore, fork and edit go by the graph as a whole. @throws InspectorError unsupported for a subgraph's checkpoint */
export async function rootRow(context: PlanContext, ref: CheckpointRef): Promise<FullRow> {
  const row = await existingRow(context, ref);
  if (row.ns === '') return row;
  throw new InspectorError('unsupported', SUBGRAPH_REASON, {
    remedy: "Use the root graph's checkpoint that it belongs to.",
  });
}

export function keyColumns(thread: string, key: Key): SqlRow {
  return { thread_id: thread, checkpoint_ns: key.ns, checkpoint_id: key.id };
}

export async function hashOf(ref: CheckpointRef, row: FullRow): Promise<Precondition> {
  return { kind: 'revision', ref, revision: await sha256Hex(row.column ?? row.checkpoint ?? new Uint8Array()) };
}

/** The thread still continues from `ref`; without one there is still no such thread. */
export function headCondition(task: string, ref?: CheckpointRef): Precondition {
  return { kind: 'head', task, ...(ref === undefined ? {} : { ref }) };
}

export const JAVASCRIPT = 'LangGraph for JavaScript';

/** A SQLite file: rows hold all of their values. */
export function sqliteOps(path: string): RowOps {
  const columnsOf: RowOps['columnsOf'] = (row, { checkpoint, metadata }) => ({
    checkpoint: inClass(row.stored, checkpoint),
    metadata: inClass(row.metadataStored, metadata),
  });
  return {
    writes: 'writes',
    job: () => sqliteJob(path),
    columnsOf,
    contentOf: (row) => ({ type: row.type, parent_checkpoint_id: row.parent, ...columnsOf(row, row) }),
    stamped: (_thread, row, id, ticks) => stampedCopy(row, id, ticks),
    strictFor: (row) => (row.type === 'msgpack' ? undefined : JAVASCRIPT),
    edited: (_thread, row, { source, values, changed, stamp }) => {
      const text = editedCheckpoint(source, values, changed, stamp);
      const checkpoint =
        row.type === 'msgpack' && row.checkpoint ? rewritten(row.checkpoint, text) : new TextEncoder().encode(text);
      return { checkpoint, text: payloadText({ ...row, bytes: checkpoint }), addValues: () => undefined };
    },
    sizeOf: (row) => (row.checkpoint?.length ?? 0) + (row.metadata?.length ?? 0),
    addValues: () => undefined,
    copyValues: () => undefined,
    deleteValues: () => undefined,
    warnings: () => [],
  };
}

/** A job for as long as the source row is, byte for byte, the one that was looked at. */
export function jobFor({ ops }: PlanContext, thread: string, row: FullRow): RowsJob {
  return ops.job().expectRow('checkpoints', keyColumns(thread, row), ops.contentOf(row));
}

/** The same for a child that becomes the newest of the thread: its id is free, and nothing newer was saved since. */
export function jobForChild(
  context: PlanContext,
  thread: string,
  row: FullRow,
  { id, newest }: { readonly id: string; readonly newest: string | undefined },
): RowsJob {
  const key = keyColumns(thread, { ns: '', id });
  return expectNewest(
    jobFor(context, thread, row).expectAbsent('checkpoints', key).expectAbsent(context.ops.writes, key),
    thread,
    newest,
  );
}

/** A change of more rows is made in parts. */
const MAX_AT_ONCE = 1_000;

/** No thread is resumed from writes alone. Blobs stay with their checkpoints: a saver keeps one that is there already. */
export function inParts(job: RowsJob, { ops }: PlanContext, rows: number): RowsJob {
  return rows > MAX_AT_ONCE ? job.inParts([ops.writes]) : job;
}

export function expectNewest(job: RowsJob, thread: string, id: string | undefined): RowsJob {
  return job.expectMax('checkpoints', { thread_id: thread, checkpoint_ns: '' }, 'checkpoint_id', id);
}

export async function newestRoot(queries: Queries, thread: string): Promise<string | undefined> {
  return queries.newest(thread, '');
}

export async function isTaken(queries: Queries, thread: string): Promise<boolean> {
  return (await queries.thread(thread)) !== undefined || (await queries.writeCount(thread)) > 0;
}

/** Subgraph checkpoints that ran, or wait, under this one. */
export async function attached(queries: Queries, thread: string, id: string): Promise<Key[]> {
  const rows = await queries.mentions(thread, id);
  return rows.filter((row) => outerParent(readMetadata(row.metadata), row.ns)?.id === id);
}

export async function activeWarning(context: PlanContext, thread: string): Promise<PlanWarning[]> {
  const { described } = await context.head(thread);
  if (!isRecent(described?.createdAt, context.now.getTime())) return [];
  const message =
    'The newest checkpoint is less than a minute old. A running agent keeps its own state, and its next save would win: stop it first.';
  return [{ code: 'agent_active', message }];
}

/** The call that continues from the thread's latest, in the language that wrote this row of it. */
export function invokeCall(thread: string, hasNext: boolean, row: FullRow): string {
  const id = JSON.stringify(thread);
  if (isPythons(row)) return `graph.invoke(${hasNext ? 'None' : 'new_input'}, {"configurable": {"thread_id": ${id}}})`;
  return `graph.invoke(${hasNext ? 'null' : '/* new input */ {}'}, { configurable: { thread_id: ${id} } })`;
}

/** JavaScript stores JSON alone; where Python does too, the form of its times tells. */
function isPythons(row: FullRow): boolean {
  if ((row.type ?? 'json') !== 'json') return true;
  try {
    return hasPythonsForm(timeIn(payloadText({ ...row, bytes: row.checkpoint })));
  } catch {
    return false;
  }
}

/** True when nodes remain to be run. @throws InspectorError unreadable | unsupported_version */
export function hasNext(row: FullRow): boolean {
  const shape = readShape(payloadText({ ...row, bytes: row.checkpoint }));
  return shape !== undefined && nextNodes(shape).length > 0;
}
