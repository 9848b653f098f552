/** The child or copy of a checkpoint that LangGraph continues from: what a restore and an edit write. */
import {
  editWarnings,
  InspectorError,
  memberOf,
  newerId,
  planList,
  quoteJson,
  readEdit,
  setMember,
  sha256Hex,
  sourceOf,
  type EditRequest,
  type Plan,
  type PlanItem,
  type PlannedView,
  type PlanWarning,
  type SystemRequest,
} from '@checkpoint-inspector/core';
import type { RowsJob, SqlRow } from '@checkpoint-inspector/io';
import { frame } from '../folder/index.ts';
import { changedChannels, editedMetadata, refuseEnvelopes } from './edited.ts';
import { refOf } from './meta.ts';
import { RESTORED_FROM } from './metadata.ts';
import { parseCheckpoint, payloadText } from './payload.ts';
import { planCopy } from './plan-copy.ts';
import {
  activeWarning,
  attached,
  deltaReason,
  hashOf,
  hasNext,
  headCondition,
  invokeCall,
  jobForChild,
  keyColumns,
  newestRoot,
  rootRow,
  type PlanContext,
} from './plan-parts.ts';
import type { FullRow, Queries } from './queries.ts';
import { nextNodes, readShape } from './shape.ts';
import { timeIn, timeLike } from './stamped.ts';
import { DECODED_NOTE, readState, soundMetadata } from './state.ts';

type RestoreRequest = Extract<SystemRequest, { kind: 'restore' }>;

/** The row that is written. */
interface NewRow {
  readonly id: string;
  readonly checkpoint: Uint8Array;
  readonly metadata: Uint8Array;
  /** Absent for a copy, which hangs where its original does. */
  readonly parent?: string;
  readonly reason: string;
  readonly proofHash: string;
  readonly hasNext: boolean;
  readonly warnings: readonly PlanWarning[];
  /** Values that are in a table of their own. */
  readonly addValues: (job: RowsJob, thread: string) => void | Promise<void>;
}

/**
 * A copy of the row with an id that LangGraph takes for the newest, under the target's own parent and without its
 * writes: what `updateState(config, null, "__copy__")` makes. Under the target itself, delta channels would gain the
 * target's own writes.
 */
export async function planRestore(context: PlanContext, request: RestoreRequest): Promise<Plan> {
  const { task } = request.ref;
  const { queries } = context;
  const row = await rootRow(context, request.ref);
  const state = await readState(queries, task, row);
  const { text: stored, step, id, ticks } = await newStamp(context, task, row);
  // Only the tokens of id, time, source and step change, and one key is added to the metadata.
  const marks = { source: '"fork"', step: String(step), [RESTORED_FROM]: quoteJson(row.id) };
  const marked = Object.entries(marks).reduce((json, [key, value]) => setMember(json, [], key, value), stored);
  return planNewest(context, request, row, {
    id,
    checkpoint: await context.ops.stamped(task, row, id, ticks),
    metadata: utf8(marked),
    reason: `copy of ${row.id} with a newer id, so LangGraph resumes from it`,
    proofHash: await sha256Hex(state.text),
    hasNext: hasNext(row),
    warnings: await restoreWarnings(queries, task, row, (await context.head(task)).latest.ref?.id),
    addValues: (job, thread) => context.ops.addValues(job, thread, row),
  });
}

/**
 * A child of the checkpoint with other channel values, without writes: what `updateState` makes, only that no reducer
 * comes between. Its id is the newest, so LangGraph continues from it.
 */
export async function planEdit(context: PlanContext, request: EditRequest): Promise<Plan> {
  const { ref, targetTask } = request;
  const { queries } = context;
  const row = await rootRow(context, ref);
  const child = await childOf(context, request, row, await plainState(queries, ref.task, row));
  if (targetTask !== undefined && targetTask !== ref.task) return inNewThread(context, request, row, child, targetTask);
  const warnings = [...child.warnings, ...(await runWarnings(queries, ref.task, row))];
  return planNewest(context, request, row, { ...child, warnings });
}

/** One more row, which is the newest of its thread. */
async function planNewest(
  context: PlanContext,
  request: RestoreRequest | EditRequest,
  row: FullRow,
  made: NewRow,
): Promise<Plan> {
  const { ref } = request;
  const { task } = ref;
  const newest = await newestRoot(context.queries, task);
  const written = refOf(task, { ns: '', id: made.id });
  const { latest } = await context.head(task);
  const stays = latest.ref ? [{ ref: latest.ref, reason: 'stays in the history, on its own branch' }] : [];
  return {
    view: {
      ...frame(context, request, task, latest),
      preconditions: [headCondition(task, latest.ref), await hashOf(ref, row), { kind: 'absent', ref: written }],
      writes: planList<PlanItem>([itemOf(written, made)]),
      protected: planList<PlanItem>(stays),
      warnings: [
        ...made.warnings,
        ...(await context.ops.warnings('newest', task, [row])),
        ...(await activeWarning(context, task)),
      ],
      latestAfter: written,
      proofHash: made.proofHash,
      next: invokeCall(task, made.hasNext, row),
    },
    job: await addRow(jobForChild(context, task, row, { id: made.id, newest }), context, { thread: task, row, made }),
  };
}

/** The thread up to the checkpoint under another id, and the child on top of it. */
async function inNewThread(
  context: PlanContext,
  request: EditRequest,
  row: FullRow,
  child: NewRow,
  targetTask: string,
): Promise<Plan> {
  const { view: copy, job } = await planCopy(context, { kind: 'fork', ref: request.ref }, targetTask);
  const written = refOf(targetTask, { ns: '', id: child.id });
  const items = [itemOf(written, child), ...copy.writes.items];
  const view: PlannedView = {
    ...copy,
    request,
    preconditions: [...copy.preconditions, { kind: 'absent', ref: written }],
    writes: { count: copy.writes.count + 1, items: planList(items).items },
    warnings: [...child.warnings, ...copy.warnings],
    latestAfter: written,
    proofHash: child.proofHash,
    next: invokeCall(targetTask, child.hasNext, row),
  };
  return { view, job: await addRow(job, context, { thread: targetTask, row, made: child, from: request.ref.task }) };
}

interface Added {
  readonly thread: string;
  readonly row: FullRow;
  readonly made: NewRow;
  /** The thread that the row is in; the same where absent. */
  readonly from?: string;
}

async function addRow(
  job: RowsJob,
  { ops }: PlanContext,
  { thread, row, made, from = thread }: Added,
): Promise<RowsJob> {
  const parent: SqlRow = made.parent === undefined ? {} : { parent_checkpoint_id: made.parent };
  const set = { thread_id: thread, checkpoint_id: made.id, ...parent, ...ops.columnsOf(row, made) };
  job.copy('checkpoints', keyColumns(from, row), set);
  await made.addValues(job, thread);
  return job;
}

function itemOf(ref: PlanItem['ref'], { checkpoint, metadata, reason }: NewRow): PlanItem {
  return { ref, reason, sizeBytes: checkpoint.length + metadata.length, where: 'one row of the table checkpoints' };
}

/** Id, time and step of the newest row, with the metadata that it is made from. */
async function newStamp({ queries, now }: PlanContext, task: string, row: FullRow) {
  const { text, metadata } = soundMetadata(row);
  const step = (metadata.step ?? -1) + 1;
  const { id, ticks } = newerId(await newestRoot(queries, task), step, now);
  return { text, step, id, ticks };
}

/** @throws InspectorError unsupported for states that are not stored as they are shown */
async function plainState(queries: Queries, thread: string, row: FullRow): Promise<string> {
  const { text, derived } = await stateOf(queries, thread, row);
  const { metadata } = soundMetadata(row);
  const asStored = row.joined ?? (row.type === 'msgpack' ? DECODED_NOTE : undefined);
  if (derived !== asStored || metadata.deltaChannels.length > 0) {
    throw new InspectorError('unsupported', deltaReason(metadata.deltaChannels), {
      remedy: "Change it with the graph's own updateState.",
    });
  }
  const shape = readShape(payloadText({ ...row, bytes: row.checkpoint }));
  if (shape && shape.version < 4 && (await hasSends(queries, thread, row))) {
    throw new InspectorError(
      'unsupported',
      `It has format ${shape.version}, which stores pending sends with the parent, so a child of it would run different ones.`,
    );
  }
  return text;
}

async function hasSends(queries: Queries, thread: string, { ns, id, parent }: FullRow): Promise<boolean> {
  for (const one of [id, parent])
    if (one !== null && (await queries.writes(thread, { ns, id: one }, '__pregel_tasks')).length > 0) return true;
  return false;
}

async function stateOf(queries: Queries, thread: string, row: FullRow): Promise<{ text: string; derived?: string }> {
  try {
    return await readState(queries, thread, row);
  } catch (cause) {
    if (InspectorError.from(cause).code !== 'unsupported_version') throw cause;
    throw cannotRewrite(row, cause);
  }
}

function cannotRewrite({ type, refused }: FullRow, cause?: unknown): InspectorError {
  const why = `The state is stored as ${type}, which this version can't rewrite.`;
  return new InspectorError('unsupported', refused?.message ?? why, {
    cause,
    remedy: "Change it with the graph's own update_state.",
  });
}

async function childOf(context: PlanContext, request: EditRequest, row: FullRow, original: string): Promise<NewRow> {
  const { text } = request;
  const { ops } = context;
  const { task } = request.ref;
  const strictFor = ops.strictFor(row);
  readEdit(text, strictFor === undefined ? {} : { strictFor });
  refuseEnvelopes(original, text);
  const changed = changedChannels(original, text);
  const source = payloadText({ ...row, bytes: row.checkpoint });
  const { text: stored, step, id, ticks } = await newStamp(context, task, row);
  const stamp = { id, ts: timeLike(timeIn(source), ticks) };
  const edited = await ops.edited(task, row, { source, values: text, changed, stamp });
  const readBack = edited.text;
  const next = nodesAfter(readBack);
  return {
    id,
    checkpoint: edited.checkpoint,
    addValues: edited.addValues,
    metadata: utf8(editedMetadata(stored, request, step)),
    parent: row.id,
    reason: `edit of ${row.id} with the newest id, so LangGraph resumes from it`,
    proofHash: await sha256Hex(sourceOf(readBack, parseCheckpoint(readBack).channelValues)),
    hasNext: next.length > 0,
    warnings: [
      ...editWarnings(original, text),
      ...channelWarnings(source, changed),
      ...nextWarnings(nodesAfter(source), next),
    ],
  };
}

function nodesAfter(checkpoint: string): readonly string[] {
  const shape = readShape(checkpoint);
  return shape ? [...new Set(nextNodes(shape))].toSorted() : [];
}

/** Channels that no version and no value names. */
function channelWarnings(source: string, changed: readonly string[]): PlanWarning[] {
  const { root, channelValues } = parseCheckpoint(source);
  const versions = memberOf(root, 'channel_versions')?.value;
  const unknown = changed.filter((channel) => {
    return !memberOf(channelValues, channel) && !(versions?.kind === 'object' && memberOf(versions, channel));
  });
  if (unknown.length === 0) return [];
  const message = `New: ${unknown.slice(0, 5).join(', ')}. A graph without that channel ignores it.`;
  return [{ code: 'new_channel', message }];
}

function nextWarnings(before: readonly string[], after: readonly string[]): PlanWarning[] {
  if (before.join('\n') === after.join('\n')) return [];
  const words = (nodes: readonly string[]) => (nodes.length === 0 ? 'nothing' : nodes.join(', '));
  return [
    { code: 'next_changed', message: `After the edit ${words(after)} runs next; before it was ${words(before)}.` },
  ];
}

async function restoreWarnings(
  queries: Queries,
  thread: string,
  row: FullRow,
  latest: string | undefined,
): Promise<PlanWarning[]> {
  const message =
    "This is already the latest. The copy doesn't include its stored writes, so nodes that had finished will run again.";
  const already = row.id === latest ? [{ code: 'already_latest', message }] : [];
  return [...already, ...(await askedAgain(queries, thread, row)), ...(await subgraphRestarts(queries, thread, row))];
}

async function runWarnings(queries: Queries, thread: string, row: FullRow): Promise<PlanWarning[]> {
  const asks = (await queries.writes(thread, row, '__interrupt__')).length;
  const message = 'Writes of nodes that had finished stay with the original, so those nodes will run again.';
  const isNewest = row.id === (await newestRoot(queries, thread));
  const isLeft = isNewest && (await queries.writesOf(thread, row)).count > asks;
  return [
    ...(await askedAgain(queries, thread, row)),
    ...(isLeft ? [{ code: 'nodes_run_again', message }] : []),
    ...(await subgraphRestarts(queries, thread, row)),
  ];
}

async function askedAgain(queries: Queries, thread: string, row: FullRow): Promise<PlanWarning[]> {
  if ((await queries.writes(thread, row, '__interrupt__')).length === 0) return [];
  const message = 'It was waiting for an answer. The question will be asked again, with a new id.';
  return [{ code: 'interrupt_asked_again', message }];
}

async function subgraphRestarts(queries: Queries, thread: string, row: FullRow): Promise<PlanWarning[]> {
  if ((await attached(queries, thread, row.id)).length === 0) return [];
  const message = 'A subgraph ran from this checkpoint. It will start again from its first node.';
  return [{ code: 'subgraph_restarts', message }];
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
