import type {
  ChangeRequest,
  Eviction,
  Plan,
  PlanItem,
  PlanTarget,
  PlanWarning,
  Precondition,
  RowOp,
} from '../change.ts';
import { assertRoomRequest, emptyPlanLists, planList } from '../change.ts';
import { InspectorError } from '../errors.ts';
import { refKey } from '../ids.ts';
import type { CheckpointRef, Latest, StoreId } from '../model.ts';
import { copyId } from './copyId.ts';

/** What the rules need to know about a row; no state. */
export interface PlanRow {
  readonly ref: CheckpointRef;
  readonly seq: number;
  readonly sizeBytes: number;
  readonly stateHash: string;
  readonly parent?: CheckpointRef;
}

/** A native store as the rules see it: a table `checkpoints` unique by (task, id), latest = greatest `seq`. */
export interface RuleView {
  readonly store: StoreId;
  readonly target: PlanTarget;
  readonly maxPerTask: number | undefined;
  readonly now: () => Date;
  /** Oldest first. */
  rows(task: string): readonly PlanRow[];
  row(ref: CheckpointRef): PlanRow | undefined;
  /** True if any task holds this id. */
  taken(id: string): boolean;
}

type CopyRequest = Extract<ChangeRequest, { kind: 'restore' | 'fork' }>;
/** Rows of our own stores always know their size. */
type Sized<T> = T & { readonly sizeBytes: number };
type DeleteRequest = Extract<ChangeRequest, { kind: 'delete' }>;

/**
 * The rules of our own stores: what a request will write, remove and evict.
 * Reads only. @throws InspectorError not_found | invalid_input | unsupported
 */
export function planRows(view: RuleView, request: ChangeRequest): Plan {
  assertRoomRequest(request);
  if (request.kind === 'edit') throw new InspectorError('unsupported', 'This version does not edit states.');
  return request.kind === 'delete' ? planDelete(view, request) : planCopy(view, request);
}

function planCopy(view: RuleView, request: CopyRequest): Plan {
  const source = existing(view, request.ref);
  const task = request.targetTask ?? source.ref.task;
  const own = task === source.ref.task;
  const siblings = view.rows(task);
  if (!own) checkNewTask(task, siblings);
  const copy = { task, id: newId(view, request, task) };
  const evicts = evictions(view, siblings, source, copy);
  const head = siblings.at(-1);
  const item = { ref: copy, reason: copyReason(request, source), sizeBytes: source.sizeBytes };
  return {
    ...frame(view, request, source.ref.task, latestOf(siblings)),
    ...(own ? {} : { targetTask: task }),
    preconditions: [headOf(task, head), unchanged(source), { kind: 'absent', ref: copy }],
    writes: planList<PlanItem>([item]),
    evicts: planList(evicts),
    warnings: evictionWarnings(evicts, source),
    latestAfter: copy,
    proofHash: source.stateHash,
    bytesFreed: bytes(evicts),
    next: `await manager.restore(${JSON.stringify(task)})`,
    ops: [copyOp(view, request, source, copy), ...evicts.map((item) => deleteOp(item.ref))],
    checks: [
      rowCheck(source),
      { check: 'absent', table: 'checkpoints', key: keyOf(copy) },
      { check: 'max', table: 'checkpoints', key: { task }, column: 'seq', value: head?.seq },
    ],
  };
}

function planDelete(view: RuleView, request: DeleteRequest): Plan {
  const wanted = new Map(request.refs.map((ref) => [refKey(ref), existing(view, ref)]));
  const [first] = wanted.values();
  if (!first) throw new InspectorError('invalid_input', 'Name at least one checkpoint to delete.');
  const { task } = first.ref;
  const removed = [...wanted.values()];
  if (removed.some((row) => row.ref.task !== task)) {
    throw new InspectorError('invalid_input', 'One request deletes checkpoints of one task; make one per task.');
  }
  const rows = view.rows(task);
  const kept = rows.filter((row) => !wanted.has(refKey(row.ref)));
  const latestAfter = kept.at(-1)?.ref;
  const items = removed.map((row) => ({ ref: row.ref, reason: 'asked for', sizeBytes: row.sizeBytes }));
  return {
    ...frame(view, request, task, latestOf(rows)),
    preconditions: removed.map(unchanged),
    removes: planList<PlanItem>(items),
    warnings: deleteWarnings(rows, kept, wanted),
    ...(latestAfter ? { latestAfter } : {}),
    bytesFreed: bytes(items),
    ops: removed.map((row) => deleteOp(row.ref)),
    checks: removed.map(rowCheck),
  };
}

/** The parts that all plans share, with empty lists. */
function frame(view: RuleView, request: ChangeRequest, task: string, latestBefore: Latest) {
  return {
    request,
    store: view.store,
    task,
    latestBefore,
    ...emptyPlanLists(),
    target: view.target,
  };
}

function existing(view: RuleView, ref: CheckpointRef): PlanRow {
  const row = view.row(ref);
  if (row) return row;
  throw new InspectorError('not_found', `No checkpoint "${ref.id}" in task "${ref.task}".`, { data: { ...ref } });
}

function checkNewTask(task: string, rows: readonly PlanRow[]): void {
  if (rows.length === 0) return;
  throw new InspectorError('invalid_input', `Task "${task}" already has checkpoints; give the copy a new task name.`, {
    data: { targetTask: task },
  });
}

function newId(view: RuleView, request: CopyRequest, task: string): string {
  const given = request.kind === 'fork' ? request.id : undefined;
  if (given === undefined)
    return copyId(request.ref.id, request.kind === 'fork' ? 'fork' : 'restored', (id) => view.taken(id));
  if (!view.row({ task, id: given })) return given;
  throw new InspectorError('invalid_input', `Task "${task}" already has a checkpoint "${given}".`, {
    data: { id: given },
  });
}

function copyReason(request: CopyRequest, source: PlanRow): string {
  const verb = request.kind === 'fork' ? 'fork' : 'copy';
  return `${verb} of "${source.ref.id}", saved last, so it is what resumes`;
}

/** First saved, first out: the store keeps `maxPerTask`, the copy included. */
function evictions(view: RuleView, rows: readonly PlanRow[], source: PlanRow, copy: CheckpointRef): Sized<Eviction>[] {
  if (view.maxPerTask === undefined) return [];
  const over = Math.max(0, rows.length + 1 - view.maxPerTask);
  return rows.slice(0, over).map((row) => ({
    ref: row.ref,
    reason: `oldest of more than ${view.maxPerTask}${refKey(row.ref) === refKey(source.ref) ? `; its state lives on in "${copy.id}"` : ''}`,
    sizeBytes: row.sizeBytes,
    when: 'now',
  }));
}

function evictionWarnings(evicts: readonly Eviction[], source: PlanRow): PlanWarning[] {
  if (evicts.length === 0) return [];
  const self = evicts.some((item) => refKey(item.ref) === refKey(source.ref));
  const message = `The task is full: ${count(evicts.length)} will be evicted.`;
  return [
    { code: 'evicts', message },
    ...(self
      ? [{ code: 'source_evicted', message: 'The restored checkpoint is the oldest one: only its copy stays.' }]
      : []),
  ];
}

function deleteWarnings(
  rows: readonly PlanRow[],
  kept: readonly PlanRow[],
  removed: ReadonlyMap<string, PlanRow>,
): PlanWarning[] {
  const warnings: PlanWarning[] = [];
  const next = kept.at(-1);
  if (!next) {
    warnings.push({ code: 'task_emptied', message: 'The task has no checkpoint left afterwards and cannot resume.' });
  } else if (next !== rows.at(-1)) {
    warnings.push({
      code: 'latest_deleted',
      message: `The latest is deleted: the task will resume from "${next.ref.id}".`,
    });
  }
  const orphans = kept.filter((row) => row.parent && removed.has(refKey(row.parent)));
  if (orphans.length > 0) {
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

function copyOp(view: RuleView, request: CopyRequest, source: PlanRow, copy: CheckpointRef): RowOp {
  return {
    op: 'row.copy',
    table: 'checkpoints',
    key: keyOf(source.ref),
    set: {
      ...keyOf(copy),
      seq: null,
      parent_task: source.ref.task,
      parent_id: source.ref.id,
      trigger: request.kind,
      created_at: view.now().toISOString(),
    },
  };
}

function deleteOp(ref: CheckpointRef): RowOp {
  return { op: 'row.delete', table: 'checkpoints', key: keyOf(ref) };
}

function rowCheck(row: PlanRow) {
  return { check: 'row', table: 'checkpoints', key: keyOf(row.ref), equals: { state_hash: row.stateHash } } as const;
}

function keyOf(ref: CheckpointRef) {
  return { task: ref.task, id: ref.id };
}

function latestOf(rows: readonly PlanRow[]): Latest {
  const head = rows.at(-1);
  return head ? { ref: head.ref, basis: 'rule' } : { basis: 'none' };
}

function headOf(task: string, head: PlanRow | undefined): Precondition {
  return { kind: 'head', task, ...(head ? { ref: head.ref } : {}) };
}

function unchanged(row: PlanRow): Precondition {
  return { kind: 'hash', ref: row.ref, sha256: row.stateHash };
}

function bytes(items: readonly { readonly sizeBytes: number }[]): number {
  return items.reduce((sum, item) => sum + item.sizeBytes, 0);
}
