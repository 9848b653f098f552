import {
  editWarnings,
  InspectorError,
  memberOf,
  planList,
  readEdit,
  sha256Hex,
  sourceOf,
  type EditRequest,
  type Plan,
  type PlannedView,
  type PlanItem,
  type PlanWarning,
} from '@checkpoint-inspector/core';
import type { RowsJob } from '@checkpoint-inspector/io';
import { changedChannels, editedCheckpoint, editedMetadata, refuseEnvelopes } from './edited.ts';
import { refOf } from './meta.ts';
import { parseCheckpoint, payloadText } from './payload.ts';
import { planCopy } from './plan-copy.ts';
import {
  activeWarning,
  attached,
  columnsOf,
  deltaReason,
  hashOf,
  headCondition,
  invokeCall,
  jobForChild,
  keyColumns,
  newestRoot,
  planFrame,
  rootRow,
  type PlanContext,
} from './plan-parts.ts';
import type { FullRow, Queries } from './queries.ts';
import { nextNodes, readShape } from './shape.ts';
import { readState, soundMetadata } from './state.ts';
import { newerId, timeOfTicks } from './uuid6.ts';

/** The row that an edit writes. */
interface Child {
  readonly id: string;
  readonly checkpoint: Uint8Array;
  readonly metadata: Uint8Array;
  readonly proofHash: string;
  readonly next: readonly string[];
  readonly warnings: readonly PlanWarning[];
}

/**
 * A child of the checkpoint with other channel values, without writes: what `updateState` makes, only that no reducer
 * comes between. Its id is the newest, so LangGraph goes on from it.
 */
export async function planEdit(context: PlanContext, request: EditRequest): Promise<Plan> {
  const { ref, targetTask } = request;
  const { task } = ref;
  const { queries } = context;
  const row = rootRow(context, ref);
  const original = plainState(queries, task, row);
  const child = await childOf(context, request, row, original);
  if (targetTask !== undefined && targetTask !== task) return inNewThread(context, request, row, child, targetTask);
  const newest = newestRoot(queries, task);
  const written = refOf(task, { ns: '', id: child.id });
  const { latest } = context.head(task);
  const stays = [latest.ref].filter((head) => head !== undefined);
  return {
    view: {
      ...planFrame(context, request, task, latest),
      preconditions: [headCondition(task, latest.ref), await hashOf(ref, row), { kind: 'absent', ref: written }],
      writes: planList<PlanItem>([itemOf(written, row, child)]),
      protected: planList<PlanItem>(
        stays.map((head) => ({ ref: head, reason: 'stays in the history, on its own branch' })),
      ),
      warnings: [...child.warnings, ...runWarnings(queries, task, row), ...activeWarning(context, task)],
      latestAfter: written,
      proofHash: child.proofHash,
      next: invokeCall(task, child.next.length > 0),
    },
    job: addChild(jobForChild(context, task, row, { id: child.id, newest }), task, row, child),
  };
}

/** The thread up to the checkpoint under another id, and the child on top of it. */
async function inNewThread(
  context: PlanContext,
  request: EditRequest,
  row: FullRow,
  child: Child,
  targetTask: string,
): Promise<Plan> {
  const { view: copy, job } = await planCopy(context, { kind: 'fork', ref: request.ref }, targetTask);
  const written = refOf(targetTask, { ns: '', id: child.id });
  const items = [itemOf(written, row, child), ...copy.writes.items];
  const view: PlannedView = {
    ...copy,
    request,
    preconditions: [...copy.preconditions, { kind: 'absent', ref: written }],
    writes: { count: copy.writes.count + 1, items: planList(items).items },
    warnings: [...child.warnings, ...copy.warnings],
    latestAfter: written,
    proofHash: child.proofHash,
    next: invokeCall(targetTask, child.next.length > 0),
  };
  return { view, job: addChild(job, targetTask, row, child, request.ref.task) };
}

function addChild(job: RowsJob, thread: string, row: FullRow, child: Child, from = thread): RowsJob {
  const set = {
    thread_id: thread,
    checkpoint_id: child.id,
    parent_checkpoint_id: row.id,
    ...columnsOf(row, child),
  };
  return job.copy('checkpoints', keyColumns(from, row), set);
}

function itemOf(ref: PlanItem['ref'], row: FullRow, { checkpoint, metadata }: Child): PlanItem {
  const reason = `edit of ${row.id} with the newest id, so LangGraph goes on from it`;
  const sizeBytes = checkpoint.length + metadata.length;
  return { ref, reason, sizeBytes, where: 'one row of the table checkpoints' };
}

/** @throws InspectorError unsupported for states that are not stored as they are shown */
function plainState(queries: Queries, thread: string, row: FullRow): string {
  const { text, derived } = stateOf(queries, thread, row);
  const { metadata } = soundMetadata(row);
  if (derived !== undefined || metadata.deltaChannels.length > 0) {
    throw new InspectorError('unsupported', deltaReason(metadata.deltaChannels), {
      remedy: 'Change it with updateState of the graph itself.',
    });
  }
  const shape = readShape(payloadText({ ...row, bytes: row.checkpoint }));
  const sends = [row.id, row.parent].some(
    (id) => id !== null && queries.writes(thread, { ns: row.ns, id }, '__pregel_tasks').length > 0,
  );
  if (shape && shape.version < 4 && sends) {
    throw new InspectorError(
      'unsupported',
      `It has format ${shape.version}, where sends that are pending stand on the parent: a child of it would run others.`,
    );
  }
  return text;
}

function stateOf(queries: Queries, thread: string, row: FullRow): { text: string; derived?: string } {
  try {
    return readState(queries, thread, row);
  } catch (cause) {
    const { code, message } = InspectorError.from(cause);
    if (code !== 'unsupported_version') throw cause;
    throw new InspectorError(
      'unsupported',
      `The state is stored as ${row.type}, which is not rewritten here. ${message}`,
      {
        cause,
        remedy: 'Change it with update_state of the graph itself.',
      },
    );
  }
}

async function childOf(context: PlanContext, request: EditRequest, row: FullRow, original: string): Promise<Child> {
  const { text } = request;
  readEdit(text, { strictFor: 'LangGraph for JavaScript' });
  refuseEnvelopes(original, text);
  const changed = changedChannels(original, text);
  const source = payloadText({ ...row, bytes: row.checkpoint });
  const { text: storedMetadata, metadata } = soundMetadata(row);
  const step = (metadata.step ?? -1) + 1;
  const { id, ticks } = newerId(newestRoot(context.queries, request.ref.task), step, context.now);
  const checkpoint = editedCheckpoint(source, text, changed, { id, ts: timeOfTicks(ticks) });
  const parsed = parseCheckpoint(checkpoint);
  const next = nodesAfter(checkpoint);
  return {
    id,
    checkpoint: utf8(checkpoint),
    metadata: utf8(editedMetadata(storedMetadata, request, step)),
    proofHash: await sha256Hex(sourceOf(checkpoint, parsed.channelValues)),
    next,
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
  const message = `New here: ${unknown.slice(0, 5).join(', ')}. A graph that has no such channel ignores it.`;
  return [{ code: 'new_channel', message }];
}

function nextWarnings(before: readonly string[], after: readonly string[]): PlanWarning[] {
  if (before.join('\n') === after.join('\n')) return [];
  const words = (nodes: readonly string[]) => (nodes.length === 0 ? 'nothing' : nodes.join(', '));
  return [
    { code: 'next_changed', message: `After the edit ${words(after)} runs next; before it was ${words(before)}.` },
  ];
}

function runWarnings(queries: Queries, thread: string, row: FullRow): PlanWarning[] {
  const warnings: PlanWarning[] = [];
  const asks = queries.writes(thread, row, '__interrupt__').length;
  if (asks > 0) {
    const message = 'It waited for an answer: the question will be asked again, with a new id.';
    warnings.push({ code: 'interrupt_asked_again', message });
  }
  if (row.id === newestRoot(queries, thread) && queries.writesOf(thread, row).count > asks) {
    const message = 'Writes of nodes that had finished stay with the original: those nodes run again.';
    warnings.push({ code: 'nodes_run_again', message });
  }
  if (attached(queries, thread, row.id).length > 0) {
    const message = 'A subgraph ran under this checkpoint: it starts again from its first node.';
    warnings.push({ code: 'subgraph_restarts', message });
  }
  return warnings;
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
