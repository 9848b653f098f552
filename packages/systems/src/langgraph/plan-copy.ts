import {
  InspectorError,
  planList,
  sha256Hex,
  type Plan,
  type PlanItem,
  type PlanWarning,
  type SystemRequest,
} from '@checkpoint-inspector/core';
import type { RowsJob } from '@checkpoint-inspector/io';
import { frame } from '../folder/index.ts';
import { refOf } from './meta.ts';
import {
  attached,
  expectNewest,
  hashOf,
  hasNext,
  headCondition,
  invokeCall,
  jobFor,
  keyColumns,
  newestRoot,
  rootRow,
  type PlanContext,
} from './plan-parts.ts';
import type { FullRow, Key, Queries } from './queries.ts';
import { readState } from './state.ts';

type CopyRequest = Extract<SystemRequest, { kind: 'restore' | 'fork' }>;

/**
 * The thread up to a checkpoint, under another thread id. Ids stay, so tasks, interrupts and subgraphs keep theirs; rows
 * are copied byte for byte. Of the head all writes are copied, of an older checkpoint only its question: its other writes
 * are what ran afterwards.
 */
export async function planCopy(
  context: PlanContext,
  request: CopyRequest,
  targetTask: string,
): Promise<Plan & { readonly job: RowsJob }> {
  const { ref } = request;
  const { task } = ref;
  const { queries } = context;
  const row = rootRow(context, ref);
  checkNames(queries, request, targetTask);
  const state = readable(queries, task, row);
  const newest = newestRoot(queries, task);
  const isHead = row.id === newest;
  const keys = queries.keys(task).filter((key) => isHead || key.id <= row.id);
  const target = refOf(targetTask, { ns: '', id: row.id });
  const reason = isHead ? 'copy with all its writes' : `copy of what led to ${row.id}`;
  return {
    view: {
      ...frame(context, request, task, { basis: 'none' }),
      targetTask,
      preconditions: [
        ...(isHead ? [headCondition(task, refOf(task, row))] : []),
        headCondition(targetTask),
        await hashOf(ref, row),
        { kind: 'absent', ref: target },
      ],
      writes: planList<PlanItem>(targetFirst(row, keys).map((key) => ({ ref: refOf(targetTask, key), reason }))),
      warnings: [...copyWarnings(queries, task, row, isHead, state), ...context.ops.warnings('copy', task, keys)],
      latestAfter: target,
      ...(state === undefined ? {} : { proofHash: await sha256Hex(state) }),
      next: invokeCall(targetTask, state === undefined || hasNext(row), row),
    },
    job: copyJob(context, task, { row, keys, targetTask }, isHead),
  };
}

function targetFirst(row: FullRow, keys: readonly Key[]): Key[] {
  return [row, ...keys.filter((key) => key.id !== row.id || key.ns !== row.ns).toReversed()];
}

function checkNames(queries: Queries, request: CopyRequest, targetTask: string): void {
  if (request.kind === 'fork' && request.id !== undefined && request.id !== request.ref.id) {
    throw new InspectorError(
      'invalid_input',
      'A fork of a LangGraph thread keeps its checkpoint ids. Choose a new thread name instead.',
    );
  }
  if (targetTask === '') throw new InspectorError('invalid_input', "LangGraph doesn't accept an empty thread id.");
  if (queries.thread(targetTask) === undefined && queries.writeCount(targetTask) === 0) return;
  throw new InspectorError('invalid_input', `Thread "${targetTask}" already exists. Choose a new name for the copy.`, {
    data: { targetTask },
  });
}

/** `undefined` for payloads of another type: those can be copied all the same. @throws InspectorError unreadable */
function readable(queries: Queries, thread: string, row: FullRow): string | undefined {
  try {
    return readState(queries, thread, row).text;
  } catch (error) {
    if (InspectorError.is(error) && error.code === 'unsupported_version') return undefined;
    throw error;
  }
}

function addWholeThread(job: RowsJob, { queries, ops }: PlanContext, thread: string, targetTask: string): void {
  const [key, set] = [{ thread_id: thread }, { thread_id: targetTask }];
  job.copyAll('checkpoints', key, set);
  if (queries.writeCount(thread) > 0) job.copyAll(ops.writes, key, set);
  ops.copyValues(job, thread, targetTask);
}

function addUpTo(
  job: RowsJob,
  { queries, ops }: PlanContext,
  thread: string,
  { row, keys, targetTask }: { readonly row: FullRow; readonly keys: readonly Key[]; readonly targetTask: string },
): void {
  const set = { thread_id: targetTask };
  const copied = new Set(keys.map((key) => JSON.stringify([key.ns, key.id])));
  for (const key of keys) job.copy('checkpoints', keyColumns(thread, key), set);
  for (const key of queries.writeCounts(thread)) {
    if (!copied.has(JSON.stringify([key.ns, key.id]))) continue;
    const isTarget = key.ns === row.ns && key.id === row.id;
    job.copyAll(ops.writes, { ...keyColumns(thread, key), ...(isTarget ? { channel: '__interrupt__' } : {}) }, set);
  }
  ops.copyValues(job, thread, targetTask, keys);
}

function copyJob(
  context: PlanContext,
  thread: string,
  part: { readonly row: FullRow; readonly keys: readonly Key[]; readonly targetTask: string },
  isHead: boolean,
): RowsJob {
  const { row, targetTask } = part;
  const job = jobFor(context, thread, row)
    .expectAbsent('checkpoints', { thread_id: targetTask })
    .expectAbsent(context.ops.writes, { thread_id: targetTask });
  if (isHead) addWholeThread(expectNewest(job, thread, row.id), context, thread, targetTask);
  else addUpTo(job, context, thread, part);
  return job;
}

function copyWarnings(
  queries: Queries,
  thread: string,
  row: FullRow,
  isHead: boolean,
  state: string | undefined,
): PlanWarning[] {
  const restarts = 'A subgraph ran from this checkpoint. In the copy, it will start again from its first node.';
  const unread = `Its ${row.type} payload is copied byte for byte, but this version can't verify it.`;
  return [
    ...(!isHead && attached(queries, thread, row.id).length > 0
      ? [{ code: 'subgraph_restarts', message: restarts }]
      : []),
    ...(state === undefined ? [{ code: 'not_proven', message: unread }] : []),
  ];
}
