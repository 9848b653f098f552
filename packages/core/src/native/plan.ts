import { emptyPlanLists, planList } from '../change/index.ts';
import type {
  Eviction,
  Job,
  Plan,
  PlanItem,
  PlannedView,
  PlanWarning,
  Precondition,
  SystemRequest,
} from '../change/index.ts';
import { InspectorError } from '../errors.ts';
import { noCheckpoint, refKey } from '../ids.ts';
import type { CheckpointRef, Latest, StoreId } from '../model.ts';
import { copiedRow, copyId, editedRow, type CopyRequest, type NewRow, type PlanRow } from './new-row.ts';
import type { NativeRow } from './tables.ts';

/** What a request does to the rows of a native store; the store's engine makes its own steps of it. */
export interface NativeSteps {
  /** Rows that still are the ones that were looked at. */
  readonly unchanged: readonly { readonly ref: CheckpointRef; readonly revision: string }[];
  readonly copy?: {
    readonly from: CheckpointRef;
    readonly to: CheckpointRef;
    /** Columns that are not the source's. */
    readonly set: NativeRow;
    /** The newest `seq` of the task: nothing was saved in it since. Absent where the task has no row. */
    readonly newest?: number;
  };
  readonly removes: readonly CheckpointRef[];
}

/** A native store as the rules see it: a table `checkpoints` unique by (task, id), latest = greatest `seq`. */
export interface RuleView {
  readonly store: StoreId;
  readonly job: (steps: NativeSteps) => Job;
  readonly maxPerTask: number | undefined;
  readonly now: () => Date;
  /** Oldest first. */
  rows(task: string): readonly PlanRow[];
  /** The one saved last. */
  head(task: string): PlanRow | undefined;
  /** All but the newest so many, oldest first. */
  beyond(task: string, newest: number): readonly PlanRow[];
  row(ref: CheckpointRef): PlanRow | undefined;
  /** The state's text of a row that is there. */
  text(ref: CheckpointRef): string;
  /** True if any task holds this id. */
  taken(id: string): boolean;
}

/** Rows of our own stores always know their size. */
type Sized<T> = T & { readonly sizeBytes: number };
type DeleteRequest = Extract<SystemRequest, { kind: 'delete' }>;

/**
 * The rules of our own stores: what a request will write, remove and evict.
 * Reads only. @throws InspectorError not_found | invalid_input | too_large | unsupported
 */
export async function planRows(view: RuleView, request: SystemRequest): Promise<Plan> {
  if (request.kind === 'delete') return planDelete(view, request);
  const source = existing(view, request.ref);
  if (request.kind !== 'edit') return planCopy(view, request, source, copiedRow(request, source));
  return planCopy(view, request, source, await editedRow(request, view.text(source.ref)));
}

function planCopy(view: RuleView, request: CopyRequest, source: PlanRow, saved: NewRow): Plan {
  const task = request.targetTask ?? source.ref.task;
  const own = task === source.ref.task;
  const head = view.head(task);
  if (!own) checkNewTask(task, head);
  const copy = { task, id: newId(view, request, task, saved) };
  const evicts = evictions(view, task, (row) => evictionReason(request, row, source, copy));
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
      ...activeWarnings(head, view.now()),
    ],
    latestAfter: copy,
    proofHash: saved.revision,
    bytesFreed: bytes(evicts),
    next: `await manager.restore(${JSON.stringify(task)})`,
  };
  const job = view.job({
    unchanged: [seen(source)],
    copy: {
      from: source.ref,
      to: copy,
      set: copiedColumns(view, request, source, saved),
      ...(head ? { newest: head.seq } : {}),
    },
    removes: evicts.map(({ ref }) => ref),
  });
  return { view: planned, job };
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

function planDelete(view: RuleView, request: DeleteRequest): Plan {
  const wanted = new Map(request.refs.map((ref) => [refKey(ref), existing(view, ref)]));
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
  const rows = view.rows(task);
  const kept = rows.filter((row) => !wanted.has(refKey(row.ref)));
  const latestAfter = kept.at(-1)?.ref;
  const items = removed.map((row) => ({ ref: row.ref, reason: 'requested', sizeBytes: row.sizeBytes }));
  const planned: PlannedView = {
    ...frame(view, request, task, latestOf(rows.at(-1))),
    preconditions: removed.map(unchanged),
    removes: planList<PlanItem>(items),
    warnings: deleteWarnings(rows, kept, wanted),
    ...(latestAfter ? { latestAfter } : {}),
    bytesFreed: bytes(items),
  };
  const job = view.job({ unchanged: removed.map(seen), removes: removed.map(({ ref }) => ref) });
  return { view: planned, job };
}

/** The parts that all plans share, with empty lists. */
function frame(view: RuleView, request: SystemRequest, task: string, latestBefore: Latest) {
  return { request, store: view.store, task, latestBefore, ...emptyPlanLists() };
}

function existing(view: RuleView, ref: CheckpointRef): PlanRow {
  const row = view.row(ref);
  if (row) return row;
  throw noCheckpoint(ref);
}

function checkNewTask(task: string, head: PlanRow | undefined): void {
  if (task === '') throw emptyName('targetTask', 'a task name');
  if (!head) return;
  throw new InspectorError(
    'invalid_input',
    `Task "${task}" already has checkpoints. Choose a new task name for the copy.`,
    {
      data: { targetTask: task },
    },
  );
}

function emptyName(key: string, what: string): InspectorError {
  return new InspectorError('invalid_input', `The copy needs ${what}; it cannot be empty.`, { data: { [key]: '' } });
}

function newId(view: RuleView, request: CopyRequest, task: string, { word }: NewRow): string {
  const given = request.kind === 'fork' ? request.id : undefined;
  if (given === undefined) return copyId(request.ref.id, word, (id) => view.taken(id));
  if (given === '') throw emptyName('id', 'an id');
  if (!view.row({ task, id: given })) return given;
  throw new InspectorError('invalid_input', `Task "${task}" already has a checkpoint "${given}".`, {
    data: { id: given },
  });
}

/** First saved, first out: the store keeps `maxPerTask`, the copy included. */
function evictions(view: RuleView, task: string, why: (row: PlanRow) => string): Sized<Eviction>[] {
  const { maxPerTask } = view;
  if (maxPerTask === undefined) return [];
  return view.beyond(task, maxPerTask - 1).map((row) => ({
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

function deleteWarnings(
  rows: readonly PlanRow[],
  kept: readonly PlanRow[],
  removed: ReadonlyMap<string, PlanRow>,
): PlanWarning[] {
  const warnings: PlanWarning[] = [];
  const next = kept.at(-1);
  if (!next) {
    warnings.push({ code: 'task_emptied', message: 'The task will have no checkpoints left, so it cannot resume.' });
  } else if (next !== rows.at(-1)) {
    warnings.push({
      code: 'latest_deleted',
      message: `This deletes the latest checkpoint. The task will resume from "${next.ref.id}".`,
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

function copiedColumns(view: RuleView, request: CopyRequest, { ref }: PlanRow, saved: NewRow): NativeRow {
  return {
    ...saved.set,
    seq: null,
    parent_task: ref.task,
    parent_id: ref.id,
    trigger: request.kind,
    created_at: view.now().toISOString(),
  };
}

function seen({ ref, revision }: PlanRow): NativeSteps['unchanged'][number] {
  return { ref, revision };
}

function latestOf(head: PlanRow | undefined): Latest {
  return head ? { ref: head.ref, basis: 'rule' } : { basis: 'none' };
}

function headOf(task: string, head: PlanRow | undefined): Precondition {
  return { kind: 'head', task, ...(head ? { ref: head.ref } : {}) };
}

function unchanged(row: PlanRow): Precondition {
  return { kind: 'revision', ref: row.ref, revision: row.revision };
}

function bytes(items: readonly { readonly sizeBytes: number }[]): number {
  return items.reduce((sum, item) => sum + item.sizeBytes, 0);
}
