import {
  InspectorError,
  checkedPolicy,
  createPause,
  emptyPlanLists,
  everyItem,
  everyPage,
  isChangeable,
  paced,
  planRetentionInSteps,
  refKey,
  refOfMeta,
  type ChangeRequest,
  type CheckpointMeta,
  type CheckpointRef,
  type CheckpointSource,
  type Plan,
  type PlanItem,
  type PlanView,
  type PlanWarning,
  type Receipt,
  type RetentionItem,
  type RetentionPlan,
} from '@checkpoint-inspector/core';
import { placeOf } from './store.ts';
import { inFull, type Context, type PlannedChange } from './types.ts';

type PruneRequest = Extract<ChangeRequest, { kind: 'prune' }>;

/** So many checkpoints that a system will not delete alone are moved aside one by one. */
const MAX_REFUSED = 20;
/** So many rows of other tasks are searched for forks from this one. */
const MAX_FOREIGN_ROWS = 50_000;

/**
 * What a policy names in one task, as a delete of exactly these checkpoints. `frame` is the id and end of the plan.
 * @throws InspectorError invalid_input (the policy names nothing) | not_found | unsupported
 */
export async function planPrune(
  context: Context,
  source: CheckpointSource,
  asked: PruneRequest,
  frame: Pick<PlanView, 'id' | 'expiresAt'>,
): Promise<PlannedChange> {
  const request = { ...asked, policy: checkedPolicy(asked.policy) };
  const { retention, warnings } = await retentionOf(context, source, request);
  const { plan, items, refused } = await planDelete(source, retention.drop);
  const keep = [...retention.keep, ...refused];
  const lists = { removes: inFull(items), protected: inFull(keep) };
  const { skipped } = retention;
  const leftOut = { skipped: skipped.length, others: retention.others };
  if (!plan) {
    const view = await emptyView(source, request, frame, lists.protected, warnings);
    return { view: { ...view, leftOut }, skipped };
  }
  const shown = { ...plan.view, ...frame, request, ...lists, leftOut };
  return { view: { ...shown, warnings: [...warnings, ...plan.view.warnings] }, job: plan.job, skipped };
}

/** What of a planned prune has to stay after all: latest, bookmarked or forked from after the preview. */
export async function protectedSince(
  context: Context,
  source: CheckpointSource,
  { request, removes }: PlanView,
): Promise<Receipt['failed']> {
  if (request.kind !== 'prune') return [];
  const { retention } = await retentionOf(context, source, request);
  const reasons = new Map(retention.keep.map(({ ref, reason }) => [refKey(ref), reason]));
  return removes.items.flatMap(({ ref }) => {
    const reason = reasons.get(refKey(ref));
    return reason === undefined ? [] : [{ ref, what: ref.id, reason: `Kept, because it is protected now: ${reason}.` }];
  });
}

async function retentionOf(
  context: Context,
  source: CheckpointSource,
  { task, policy }: PruneRequest,
): Promise<{ retention: RetentionPlan; warnings: PlanWarning[] }> {
  const rows = await rowsOf(source, task);
  if (rows.length === 0)
    throw new InspectorError('not_found', `Task "${task}" has no checkpoints.`, { data: { task } });
  const marked = bookmarked(context, source, task);
  const foreign = await forkedElsewhere(source, task);
  const protectedBy = (row: CheckpointMeta): string | undefined => {
    const key = refKey(refOfMeta(row));
    if (marked.has(key)) return 'bookmarked';
    const other = foreign.from.get(key);
    return other === undefined ? undefined : `a fork in ${JSON.stringify(other)} was made from it`;
  };
  const retention = await paced(planRetentionInSteps(rows, policy, { now: context.now(), protectedBy }));
  return { retention, warnings: [...skippedWarning(retention), ...foreign.warnings] };
}

/** What a person marked to be kept. */
function bookmarked({ journal }: Context, source: CheckpointSource, task: string): ReadonlySet<string> {
  const notes = journal.annotations.ofTask(placeOf(source), task);
  return new Set(notes.flatMap(({ ref, labels }) => (labels.includes('bookmark') ? [refKey(ref)] : [])));
}

/** Every row of a task, the latest first. */
async function rowsOf(source: CheckpointSource, task: string): Promise<CheckpointMeta[]> {
  const pause = createPause();
  const rows: CheckpointMeta[] = [];
  for await (const { items } of everyPage((at) => source.checkpoints(task, at))) {
    rows.push(...items);
    await pause();
  }
  return rows;
}

/** Checkpoints of this task that others in the store were made from: their keys, and one such task each. */
async function forkedElsewhere(
  source: CheckpointSource,
  task: string,
): Promise<{ from: ReadonlyMap<string, string>; warnings: PlanWarning[] }> {
  const pause = createPause();
  const from = new Map<string, string>();
  let left = MAX_FOREIGN_ROWS;
  for await (const { id, checkpointCount } of everyItem((at) => source.tasks(at))) {
    if (id === task) continue;
    left -= checkpointCount;
    if (left < 0) return { from, warnings: [FOREIGN_UNKNOWN] };
    for await (const { parent } of source.lineage(id)) {
      if (parent?.task === task) from.set(refKey(parent), id);
      await pause();
    }
  }
  return { from, warnings: [] };
}

const FOREIGN_UNKNOWN: PlanWarning = {
  code: 'forks_not_looked_for',
  message: 'The store is too large to check whether every other task was forked from this one.',
};

function skippedWarning({ skipped }: RetentionPlan): PlanWarning[] {
  if (skipped.length === 0) return [];
  const names = skipped.slice(0, 3).map(({ ref }) => ref.id);
  const more = skipped.length > names.length ? ` and ${skipped.length - names.length} more` : '';
  const what = skipped.length === 1 ? '1 unreadable checkpoint is' : `${skipped.length} unreadable checkpoints are`;
  return [{ code: 'unreadable_skipped', message: `${what} skipped and kept: ${names.join(', ')}${more}.` }];
}

interface DeletePlan {
  /** Absent where nothing is left to delete. */
  readonly plan?: Plan;
  readonly items: readonly PlanItem[];
  readonly refused: readonly RetentionItem[];
}

/** The system's plan for these; what it will not delete alone is moved aside with its reason. */
async function planDelete(source: CheckpointSource, drop: readonly RetentionItem[]): Promise<DeletePlan> {
  if (!isChangeable(source)) throw new InspectorError('unsupported', `${source.info.label} is open read-only.`);
  let wanted = drop;
  const refused: RetentionItem[] = [];
  while (wanted.length > 0) {
    try {
      const plan = await source.plan({ kind: 'delete', refs: wanted.map(({ ref }) => ref) });
      const shown = new Map(plan.view.removes.items.map((item) => [refKey(item.ref), item]));
      return { plan, refused, items: wanted.map((item) => ({ ...shown.get(refKey(item.ref)), ...item })) };
    } catch (error) {
      const { code, message, data } = InspectorError.from(error);
      const item = code === 'unsupported' ? wanted.find(({ ref }) => isRef(ref, data)) : undefined;
      if (!item || refused.length >= MAX_REFUSED) throw error;
      refused.push({ ...item, reason: message });
      wanted = wanted.filter((other) => other !== item);
    }
  }
  return { items: [], refused };
}

function isRef(ref: CheckpointRef, data: Record<string, unknown> | undefined): boolean {
  return data?.['task'] === ref.task && data['id'] === ref.id && (data['namespace'] ?? '') === (ref.namespace ?? '');
}

async function emptyView(
  source: CheckpointSource,
  request: PruneRequest,
  frame: Pick<PlanView, 'id' | 'expiresAt'>,
  keep: PlanView['protected'],
  warnings: PlanWarning[],
): Promise<PlanView> {
  const latest = await source.latest(request.task);
  return {
    ...frame,
    ...emptyPlanLists(),
    request,
    store: source.info.id,
    task: request.task,
    preconditions: [],
    protected: keep,
    warnings,
    latestBefore: latest,
    ...(latest.ref ? { latestAfter: latest.ref } : {}),
    bytesFreed: 0,
  };
}
