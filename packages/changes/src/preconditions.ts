import { InspectorError, isChangeable, refKey, sameRef } from '@checkpoint-inspector/core';
import type { CheckpointRef, CheckpointSource, PlanView, Precondition, Receipt } from '@checkpoint-inspector/core';
import { storedRevision } from './store.ts';
import { inFull, type ReadyChange } from './types.ts';

type Failed = Receipt['failed'][number];

export interface Checked {
  readonly change: ReadyChange;
  /** Items of a delete that are no longer what was shown, and so are left alone. */
  readonly failed: readonly Failed[];
}

/**
 * Whether the store still is what the plan was made from. A delete leaves out the items that changed, and those of
 * `protectedSince`, and continues with the others; everything else refuses.
 * @throws InspectorError head_moved | changed, with data `{ planned, now }`
 */
export async function checkPreconditions(
  source: CheckpointSource,
  change: ReadyChange,
  protectedSince: readonly Failed[] = [],
): Promise<Checked> {
  const { preconditions } = change.view;
  const refs = deletedRefs(change.view);
  const failed = [...protectedSince];
  const known = new Set(failed.map(({ ref }) => ref && refKey(ref)));
  for (const precondition of preconditions) {
    if (precondition.kind === 'revision' && known.has(refKey(precondition.ref))) continue;
    const broken = await check(source, precondition);
    if (!broken) continue;
    if (!refs || precondition.kind !== 'revision') throw broken;
    failed.push({ ref: precondition.ref, what: precondition.ref.id, reason: broken.message });
  }
  if (failed.length === 0 || !refs) return { change, failed };
  return { change: await withoutFailed(source, change, refs, failed), failed };
}

/** What a delete or a prune is to take away, all of it; `undefined` for other changes. */
function deletedRefs({ request, removes }: PlanView): readonly CheckpointRef[] | undefined {
  if (request.kind === 'delete') return request.refs;
  return request.kind === 'prune' ? removes.items.map(({ ref }) => ref) : undefined;
}

async function check(source: CheckpointSource, condition: Precondition): Promise<InspectorError | undefined> {
  if (condition.kind === 'head') return checkHead(source, condition.task, condition.ref);
  const { id } = condition.ref;
  const now = await storedRevision(source, condition.ref);
  if (condition.kind === 'absent') {
    if (now === undefined) return undefined;
    return new InspectorError('changed', `"${id}" was saved after the preview.`, { data: { ref: condition.ref } });
  }
  if (now === condition.revision) return undefined;
  const words = now === undefined ? 'no longer exists' : 'was saved again after the preview';
  return new InspectorError('changed', `"${id}" ${words}.`, {
    data: { ref: condition.ref, planned: condition.revision, now: now ?? null },
  });
}

async function checkHead(
  source: CheckpointSource,
  task: string,
  planned: CheckpointRef | undefined,
): Promise<InspectorError | undefined> {
  const { ref } = await source.latest(task);
  if (ref === undefined ? planned === undefined : planned && sameRef(ref, planned)) return undefined;
  return new InspectorError('head_moved', `The latest checkpoint of "${task}" changed after the preview.`, {
    data: { planned: planned ?? null, now: ref ?? null },
  });
}

/** The same plan for fewer items. It may contain nothing that was not shown, so each part must be one of the first plan. */
async function withoutFailed(
  source: CheckpointSource,
  { view, job }: ReadyChange,
  planned: readonly CheckpointRef[],
  failed: readonly Failed[],
): Promise<ReadyChange> {
  const gone = new Set(failed.map(({ ref }) => ref && refKey(ref)));
  const refs = planned.filter((ref) => !gone.has(refKey(ref)));
  if (refs.length === 0 || !isChangeable(source)) throw allChanged(view, failed);
  const plan = await source.plan({ kind: 'delete', refs });
  const shown = isPart(plan.job, job) && isPart(plan.view.preconditions, view.preconditions);
  if (!shown) throw allChanged(view, failed);
  const own = view.request.kind === 'prune' ? prunedWithout(view, gone) : { removes: asShown(plan.view, view) };
  const { id, expiresAt, request } = view;
  return { view: { ...plan.view, ...own, id, expiresAt, request }, job: plan.job };
}

/** With what the first plan says of them: that of the system has no names. */
function asShown({ removes }: Pick<PlanView, 'removes'>, shown: PlanView): PlanView['removes'] {
  const known = new Map(shown.removes.items.map((item) => [refKey(item.ref), item]));
  return { ...removes, items: removes.items.map((item) => known.get(refKey(item.ref)) ?? item) };
}

/** What a system does not know of a prune. */
function prunedWithout({ removes, protected: kept }: PlanView, gone: ReadonlySet<string | undefined>) {
  return { removes: inFull(removes.items.filter(({ ref }) => !gone.has(refKey(ref)))), protected: kept };
}

function allChanged(view: PlanView, failed: readonly Failed[]): InspectorError {
  const reasons = failed.map(({ reason }) => reason).join(' ');
  return new InspectorError('changed', `Nothing was deleted. ${reasons}`, {
    data: { planned: view.preconditions.filter(({ kind }) => kind === 'revision'), failed },
  });
}

/** True if a job names nothing that the whole one does not; lists may be shorter, the rest must be equal. */
function isPart(part: unknown, whole: unknown): boolean {
  if (Array.isArray(part) && Array.isArray(whole)) {
    const known = new Set(whole.map(spelled));
    return part.every((one) => known.has(spelled(one)));
  }
  if (!isPlain(part) || !isPlain(whole)) return spelled(part) === spelled(whole);
  const names = new Set([...Object.keys(part), ...Object.keys(whole)]);
  return [...names].every((name) => isPart(part[name], whole[name]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}

function spelled(part: unknown): string {
  return JSON.stringify([part], (_name, value: unknown) => {
    if (typeof value === 'bigint') return `${value}n`;
    return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
  });
}
