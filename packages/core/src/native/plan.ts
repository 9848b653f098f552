import { planList } from '../change/index.ts';
import type { Eviction, Plan, PlanItem, PlannedView, PlanWarning, SystemRequest } from '../change/index.ts';
import { InspectorError } from '../errors.ts';
import { noCheckpoint, refKey } from '../ids.ts';
import { memberOf, parseJson } from '../json/index.ts';
import type { CheckpointRef } from '../model.ts';
import { checkOneOf } from '../options.ts';
import {
  adoptions,
  checkFramed,
  clearing,
  isElsewhere,
  orderedId,
  orphansOf,
  parentColumns,
  planTaken,
  resumeCall,
  writesOf,
  type Owner,
} from './framed.ts';
import { copiedRow, copyId, editedRow, type CopyRequest, type NewRow, type PlanRow } from './new-row.ts';
import {
  checkNewTask,
  emptyName,
  frame,
  headOf,
  latestOf,
  seen,
  unchanged,
  type NativeSteps,
  type RuleView,
  type TakenRow,
} from './parts.ts';
import type { NativeRow } from './tables.ts';

export type { NativeSteps, RuleView, TakenRow };

/** Rows of our own stores always know their size. */
type Sized<T> = T & { readonly sizeBytes: number };
type DeleteRequest = Extract<SystemRequest, { kind: 'delete' }>;

const KINDS: readonly SystemRequest['kind'][] = ['restore', 'fork', 'edit', 'delete'];

/**
 * The rules of our own stores: what a request will write, remove and evict.
 * Reads only. @throws InspectorError not_found | invalid_input | too_large | unsupported
 */
export async function planRows(view: RuleView, request: SystemRequest): Promise<Plan> {
  checkOneOf('kind', String(request.kind), KINDS);
  if (request.kind === 'delete') return planDelete(view, request);
  const source = await existing(view, request.ref);
  if (source.framed || source.ref.namespace) await checkFramed(view, request, source);
  if (source.framed && isElsewhere(request)) return planTaken(view, request, source);
  if (request.kind !== 'edit') return planCopy(view, request, source, copiedRow(request, source));
  return planCopy(view, request, source, await editedRow(request, await view.text(source.ref), source));
}

async function planCopy(view: RuleView, request: CopyRequest, source: PlanRow, saved: NewRow): Promise<Plan> {
  const task = request.targetTask ?? source.ref.task;
  const own = task === source.ref.task;
  const [head, newest] = [await view.head(task), await view.newest(task)];
  if (!own) checkNewTask(task, newest);
  const copy = { task, id: await newId(view, request, task, source, saved) };
  const evicts = await evictions(view, task, (row) => evictionReason(request, row, source, copy));
  const item = { ref: copy, reason: saved.reason, sizeBytes: saved.sizeBytes };
  const planned: PlannedView = {
    ...frame(view, request, source.ref.task, latestOf(head)),
    ...(own ? {} : { targetTask: task }),
    preconditions: [headOf(task, head), unchanged(source), { kind: 'absent', ref: copy }],
    writes: planList<PlanItem>([item]),
    evicts: planList(evicts),
    warnings: [
      ...saved.warnings,
      ...evictionWarnings(evicts, source, request.kind),
      ...activeWarnings(newest, view.now()),
    ],
    latestAfter: copy,
    proofHash: saved.revision,
    bytesFreed: bytes(evicts),
    next: resumeCall(task, await ownerOf(view, request, source)),
  };
  const job = view.job({
    unchanged: [seen(source)],
    copy: {
      from: source.ref,
      to: copy,
      set: copiedColumns(view, request, source, saved),
      ...(newest ? { newest: newest.seq } : {}),
    },
    removes: evicts.map(({ ref }) => ref),
    ...clearing(await writesOf(view, evicts)),
  });
  return { view: planned, job };
}

/** Larger states aren't read for it: what any state is loaded with is right for them too. */
const MOST_READ = 8 * 1024 * 1024;

/** The manager restores its own states only. */
async function ownerOf(view: RuleView, request: CopyRequest, source: PlanRow): Promise<Owner> {
  if (source.framed) return 'graph';
  if (source.sizeBytes > MOST_READ) return 'store';
  try {
    const root = parseJson(request.kind === 'edit' ? request.text : await view.text(source.ref));
    const steps = root.kind === 'object' ? memberOf(root, 'pendingSteps') : undefined;
    return steps?.value.kind === 'array' ? 'manager' : 'store';
  } catch (error) {
    // It can be copied all the same.
    if (InspectorError.is(error) && error.code === 'unreadable') return 'store';
    throw error;
  }
}

const ACTIVE_MS = 60_000;

/** The manager keeps its state in memory: a running agent continues from there, and its next save is the latest. */
function activeWarnings(head: PlanRow | undefined, now: Date): PlanWarning[] {
  const age = head?.createdAt === undefined ? Number.NaN : now.getTime() - Date.parse(head.createdAt);
  if (!(Math.abs(age) < ACTIVE_MS)) return [];
  const message =
    'The newest checkpoint is less than a minute old. A running agent would save over this: stop it first.';
  return [{ code: 'agent_active', message }];
}

async function planDelete(view: RuleView, request: DeleteRequest): Promise<Plan> {
  const found = request.refs.map(async (ref) => [refKey(ref), await existing(view, ref)] as const);
  const wanted = new Map(await Promise.all(found));
  const [first] = wanted.values();
  if (!first) throw new InspectorError('invalid_input', 'Name at least one checkpoint to delete.');
  const { task } = first.ref;
  const removed = [...wanted.values()];
  if (removed.some((row) => row.ref.task !== task)) {
    throw new InspectorError(
      'invalid_input',
      'A request can delete checkpoints from one task only. Send one per task.',
    );
  }
  const before = await view.head(task);
  const after = await headWithout(view, before, wanted);
  const isNewHead = after?.seq !== before?.seq;
  const orphans = await orphansOf(view, wanted);
  const moves = await adoptions(view, orphans, wanted);
  // Its step runs again: what it wrote would be taken for done.
  const again = after?.framed && isNewHead ? [after] : [];
  const clears = await writesOf(view, [...removed, ...again]);
  const items = removed.map((row) => ({ ref: row.ref, reason: 'requested', sizeBytes: row.sizeBytes }));
  const planned: PlannedView = {
    ...frame(view, request, task, latestOf(before)),
    preconditions: removed.map(unchanged),
    removes: planList<PlanItem>(items),
    warnings: deleteWarnings(after, isNewHead, orphans),
    ...(after ? { latestAfter: after.ref } : {}),
    bytesFreed: bytes(items),
  };
  const job = view.job({
    unchanged: removed.map(seen),
    ...(moves.length === 0 ? {} : { moves }),
    removes: removed.map(({ ref }) => ref),
    ...clearing(clears),
  });
  return { view: planned, job };
}

/** Looks only as far as rows go. */
async function headWithout(
  view: RuleView,
  head: PlanRow | undefined,
  gone: ReadonlyMap<string, PlanRow>,
): Promise<PlanRow | undefined> {
  let row = head;
  while (row && gone.has(refKey(row.ref))) row = await view.head(row.ref.task, row.seq);
  return row;
}

async function newId(
  view: RuleView,
  request: CopyRequest,
  task: string,
  source: PlanRow,
  { word }: NewRow,
): Promise<string> {
  const given = request.kind === 'fork' ? request.id : undefined;
  const ordered = source.framed ? orderedId(view, request.ref.id, given, await view.head(task)) : undefined;
  if (ordered !== undefined) return ordered;
  if (given === undefined) return copyId(request.ref.id, word, (id) => view.taken(id));
  if (given === '') throw emptyName('id', 'an id');
  if (!(await view.row({ task, id: given }))) return given;
  throw new InspectorError('invalid_input', `Task "${task}" already has a checkpoint "${given}".`, {
    data: { id: given },
  });
}

async function existing(view: RuleView, ref: CheckpointRef): Promise<PlanRow> {
  const row = await view.row(ref);
  if (row) return row;
  throw noCheckpoint(ref);
}

/** First saved, first out: the store keeps `maxPerTask`, the copy included. */
async function evictions(view: RuleView, task: string, why: (row: PlanRow) => string): Promise<Sized<Eviction>[]> {
  const { maxPerTask } = view;
  if (maxPerTask === undefined) return [];
  return (await view.beyond(task, maxPerTask - 1)).map((row) => ({
    ref: row.ref,
    reason: `oldest; the task keeps ${maxPerTask}${why(row)}`,
    sizeBytes: row.sizeBytes,
    when: 'now',
  }));
}

/** An edit does not keep the state of what it was made from. */
function evictionReason(request: CopyRequest, row: PlanRow, source: PlanRow, copy: CheckpointRef): string {
  const lives = request.kind !== 'edit' && refKey(row.ref) === refKey(source.ref);
  return lives ? `; its state is kept in "${copy.id}"` : '';
}

const SOURCE_EVICTED: Readonly<Record<CopyRequest['kind'], string>> = {
  restore: 'The restored checkpoint is the oldest, so only its copy will remain.',
  fork: 'The forked checkpoint is the oldest, so only its copy will remain.',
  edit: 'The edited checkpoint is the oldest, so it is evicted and only the edit will remain.',
};

function evictionWarnings(evicts: readonly Eviction[], source: PlanRow, kind: CopyRequest['kind']): PlanWarning[] {
  if (evicts.length === 0) return [];
  const self = evicts.some((item) => refKey(item.ref) === refKey(source.ref));
  const message = `The task is full: ${count(evicts.length)} will be evicted.`;
  return [{ code: 'evicts', message }, ...(self ? [{ code: 'source_evicted', message: SOURCE_EVICTED[kind] }] : [])];
}

function deleteWarnings(next: PlanRow | undefined, isNew: boolean, orphans: readonly PlanRow[]): PlanWarning[] {
  const warnings: PlanWarning[] = [];
  if (!next) {
    warnings.push({ code: 'task_emptied', message: 'The task will have no checkpoints left, so it cannot resume.' });
  } else if (isNew) {
    warnings.push({
      code: 'latest_deleted',
      message: `This deletes the latest checkpoint. The task will resume from "${next.ref.id}".`,
    });
  }
  if (orphans.length > 0 && orphans.every((row) => row.framed)) {
    const message = `${count(orphans.length)} will be attached to what came before.`;
    warnings.push({ code: 'children_moved', message });
  } else if (orphans.length > 0) {
    warnings.push({
      code: 'parent_missing',
      message: `The recorded parent of ${count(orphans.length)} will be missing.`,
    });
  }
  return warnings;
}

function count(n: number): string {
  return n === 1 ? '1 checkpoint' : `${n} checkpoints`;
}

function copiedColumns(view: RuleView, request: CopyRequest, source: PlanRow, saved: NewRow): NativeRow {
  return {
    ...saved.set,
    seq: null,
    // A framework applies the writes of a parent to get to its child, so a copy is a child of what its original is of.
    ...parentColumns(source.framed ? source.parent : source.ref),
    trigger: request.kind,
    created_at: view.now().toISOString(),
  };
}

function bytes(items: readonly { readonly sizeBytes: number }[]): number {
  return items.reduce((sum, item) => sum + item.sizeBytes, 0);
}
