import {
  compact,
  InspectorError,
  memberOf,
  planList,
  sha256Hex,
  type Plan,
  type PlanItem,
  type PlanWarning,
  type SystemRequest,
} from '@checkpoint-inspector/core';
import { holdMs, type RowsJob } from '@checkpoint-inspector/io';
import { frame } from '../folder/index.ts';
import { refOf } from './meta.ts';
import { readMetadata } from './metadata.ts';
import { parseCheckpoint, payloadText, type ParsedCheckpoint } from './payload.ts';
import {
  attached,
  expectNewest,
  hashOf,
  hasNext,
  headCondition,
  inParts,
  invokeCall,
  isTaken,
  jobFor,
  keyColumns,
  newestRoot,
  rootRow,
  type PlanContext,
} from './plan-parts.ts';
import type { FullRow, Key, Queries } from './queries.ts';
import { readShape } from './shape.ts';
import { metadataText, readState } from './state.ts';

type CopyRequest = Extract<SystemRequest, { kind: 'restore' | 'fork' }>;

/** What is copied, and under which thread. */
interface Part {
  readonly row: FullRow;
  readonly keys: readonly Key[];
  readonly targetTask: string;
  /** The thread continues from this row. */
  readonly isHead: boolean;
}

/**
 * A checkpoint under another thread id, with what LangGraph resumes it from; with `history` the thread up to it. Ids
 * stay, so tasks, interrupts and subgraphs keep theirs; rows are copied byte for byte. Of the head all writes are copied,
 * of an older checkpoint only its question: its other writes are what ran afterwards.
 */
export async function planCopy(
  context: PlanContext,
  request: CopyRequest,
  targetTask: string,
): Promise<Plan & { readonly job: RowsJob }> {
  const { ref } = request;
  const { task } = ref;
  const { queries } = context;
  const row = await rootRow(context, ref);
  await checkNames(queries, request, targetTask);
  const state = await readable(queries, task, row);
  const newest = await newestRoot(queries, task);
  const isHead = row.id === newest;
  const hasHistory = request.kind === 'fork' && request.history === true;
  const rows = hasHistory ? [] : await neededRows(queries, task, row, isHead);
  const keys = hasHistory ? (await queries.keys(task)).filter((key) => isHead || key.id <= row.id) : rows;
  const part = { row, keys, targetTask, isHead };
  const job = hasHistory ? await historyJob(context, task, part) : await partJob(context, task, part, rows);
  const bytes = hasHistory ? await queries.bytes(task) : rows.reduce((sum, one) => sum + context.ops.sizeOf(one), 0);
  const target = refOf(targetTask, { ns: '', id: row.id });
  const reason = isHead ? 'copy with all its writes' : `copy of ${hasHistory ? 'what led to ' : ''}${row.id}`;
  const oldest = rows.filter(({ ns }) => ns === row.ns).reduce((a, b) => (b.id < a.id ? b : a), row);
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
      warnings: [
        ...(await copyWarnings(queries, task, row, isHead, state)),
        ...(await context.ops.warnings('copy', task, keys)),
      ],
      latestAfter: target,
      ...(state === undefined ? {} : { proofHash: await sha256Hex(state) }),
      ...compact({ holdsMs: holdMs(job, { rows: keys.length, bytes }) }),
      next: invokeCall(targetTask, state === undefined || hasNext(row), row),
      ...(hasHistory ? {} : { sidecar: [{ child: refOf(targetTask, oldest), parent: refOf(task, oldest) }] }),
    },
    job,
  };
}

function targetFirst(row: FullRow, keys: readonly Key[]): Key[] {
  return [row, ...keys.filter((key) => key.id !== row.id || key.ns !== row.ns).toReversed()];
}

async function checkNames(queries: Queries, request: CopyRequest, targetTask: string): Promise<void> {
  if (request.kind === 'fork' && request.id !== undefined && request.id !== request.ref.id) {
    throw new InspectorError(
      'invalid_input',
      'A fork of a LangGraph thread keeps its checkpoint ids. Choose a new thread name instead.',
    );
  }
  if (targetTask === '') throw new InspectorError('invalid_input', "LangGraph doesn't accept an empty thread id.");
  if (!(await isTaken(queries, targetTask))) return;
  throw new InspectorError('invalid_input', `Thread "${targetTask}" already exists. Choose a new name for the copy.`, {
    data: { targetTask },
  });
}

/** `undefined` for payloads of another type: those can be copied all the same. @throws InspectorError unreadable */
async function readable(queries: Queries, thread: string, row: FullRow): Promise<string | undefined> {
  try {
    return (await readState(queries, thread, row)).text;
  } catch (error) {
    if (InspectorError.is(error) && error.code === 'unsupported_version') return undefined;
    throw error;
  }
}

/**
 * The row; the newest row of each subgraph that its resuming continues: those that run from the head, and those that
 * keep their state from one run to the next; and the ancestors that these are read with.
 */
async function neededRows(queries: Queries, thread: string, row: FullRow, isHead: boolean): Promise<FullRow[]> {
  const running = isHead
    ? (await queries.mentions(thread, row.id)).filter(({ metadata }) => readMetadata(metadata)?.parents[''] === row.id)
    : [];
  const tips = new Map<string, Key>([[row.ns, row]]);
  for (const key of [...running, ...(await queries.lasting(thread, isHead ? undefined : row.id))]) {
    const known = tips.get(key.ns);
    if (!known || known.id < key.id) tips.set(key.ns, key);
  }
  const found: FullRow[] = [];
  for (const key of tips.values()) {
    const tip = key === row ? row : await queries.row(thread, key);
    if (tip) found.push(...(await ancestorsRead(queries, thread, tip)), tip);
  }
  return found;
}

/** Those that hold the row's delta channels, and before format 4 the parent, which holds its pending sends. */
async function ancestorsRead(queries: Queries, thread: string, row: FullRow): Promise<FullRow[]> {
  const parsed = parsedOf(row);
  const deltas = readMetadata(metadataText(row))?.deltaChannels ?? [];
  let open = deltas.filter((channel) => !holds(parsed, channel));
  const found: FullRow[] = [];
  const visited = new Set([row.id]);
  for (const ancestor of open.length === 0 ? [] : await queries.ancestors(thread, row, open)) {
    if (visited.has(ancestor.id)) break;
    visited.add(ancestor.id);
    found.unshift(ancestor);
    const held = parsedOf(ancestor);
    open = open.filter((channel) => !holds(held, channel));
    if (open.length === 0) break;
  }
  const { ns, parent } = row;
  if (found.length > 0 || parent === null) return found;
  if (!(await readsSends(queries, thread, { ns, id: parent }, parsed))) return found;
  return [(await queries.row(thread, { ns, id: parent })) ?? []].flat();
}

const holds = (parsed: ParsedCheckpoint | undefined, channel: string): boolean =>
  parsed !== undefined && memberOf(parsed.channelValues, channel) !== undefined;

function parsedOf(row: FullRow): ParsedCheckpoint | undefined {
  try {
    return parseCheckpoint(payloadText({ ...row, bytes: row.checkpoint }));
  } catch {
    return undefined; // its bytes are copied all the same
  }
}

/** Of a row that can't be read it is assumed. */
async function readsSends(
  queries: Queries,
  thread: string,
  parent: Key,
  parsed: ParsedCheckpoint | undefined,
): Promise<boolean> {
  const { version = 0 } = (parsed && readShape(parsed.text)) ?? {};
  return version < 4 && (await queries.writes(thread, parent, '__pregel_tasks')).length > 0;
}

/** What has no parent in the copy is its first checkpoint: LangGraph follows parents only within a thread. */
async function partJob(
  context: PlanContext,
  thread: string,
  { row, keys, targetTask, isHead }: Part,
  rows: readonly FullRow[],
): Promise<RowsJob> {
  const { ops } = context;
  const set = { thread_id: targetTask };
  const job = copyJob(context, thread, { row, targetTask, isHead });
  const copied = new Set(keys.map(({ ns, id }) => JSON.stringify([ns, id])));
  for (const one of rows) {
    const key = keyColumns(thread, one);
    const isFirst = !copied.has(JSON.stringify([one.ns, one.parent]));
    job.copy('checkpoints', key, isFirst ? { ...set, parent_checkpoint_id: null } : set);
    const isOlder = one === row && !isHead;
    job.copyAll(ops.writes, isOlder ? { ...key, channel: '__interrupt__' } : key, set);
  }
  await ops.copyValues(job, thread, targetTask, keys);
  return job;
}

async function historyJob(context: PlanContext, thread: string, part: Part): Promise<RowsJob> {
  const { queries, ops } = context;
  const { row, keys, targetTask, isHead } = part;
  const writes = await queries.writeCount(thread);
  const job = inParts(copyJob(context, thread, part), context, keys.length + writes);
  const set = { thread_id: targetTask };
  if (isHead) {
    job.copyAll('checkpoints', { thread_id: thread }, set);
    if (writes > 0) job.copyAll(ops.writes, { thread_id: thread }, set);
    await ops.copyValues(job, thread, targetTask);
    return job;
  }
  const copied = new Set(keys.map((key) => JSON.stringify([key.ns, key.id])));
  for (const key of keys) job.copy('checkpoints', keyColumns(thread, key), set);
  for (const key of await queries.writeCounts(thread)) {
    if (!copied.has(JSON.stringify([key.ns, key.id]))) continue;
    const isTarget = key.ns === row.ns && key.id === row.id;
    job.copyAll(ops.writes, { ...keyColumns(thread, key), ...(isTarget ? { channel: '__interrupt__' } : {}) }, set);
  }
  await ops.copyValues(job, thread, targetTask, keys);
  return job;
}

function copyJob(
  context: PlanContext,
  thread: string,
  { row, targetTask, isHead }: Pick<Part, 'row' | 'targetTask' | 'isHead'>,
): RowsJob {
  const job = jobFor(context, thread, row)
    .expectAbsent('checkpoints', { thread_id: targetTask })
    .expectAbsent(context.ops.writes, { thread_id: targetTask });
  return isHead ? expectNewest(job, thread, row.id) : job;
}

async function copyWarnings(
  queries: Queries,
  thread: string,
  row: FullRow,
  isHead: boolean,
  state: string | undefined,
): Promise<PlanWarning[]> {
  const restarts = 'A subgraph ran from this checkpoint. In the copy, it will start again from its first node.';
  const unread = `Its ${row.type} payload is copied byte for byte, but this version can't verify it.`;
  return [
    ...(!isHead && (await attached(queries, thread, row.id)).length > 0
      ? [{ code: 'subgraph_restarts', message: restarts }]
      : []),
    ...(state === undefined ? [{ code: 'not_proven', message: unread }] : []),
  ];
}
