/** Rules for checkpoints of a framework that keeps a text beside them: its own copies follow them too. */
import { planList, type EditRequest, type Plan, type PlanItem, type PlannedView } from '../change/index.ts';
import { InspectorError } from '../errors.ts';
import { refIn, refKey } from '../ids.ts';
import type { CheckpointRef } from '../model.ts';
import { newerId, ticksOf } from '../uuid6.ts';
import type { CopyRequest, PlanRow } from './new-row.ts';
import { checkNewTask, frame, headOf, latestOf, seen, unchanged, type NativeSteps, type RuleView } from './parts.ts';
import type { NativeRow } from './tables.ts';

const INNER = 'This checkpoint belongs to a part of the task that starts from the task itself, such as a subgraph.';
const BUILT = 'This state is built from writes that are kept with earlier checkpoints';

export const isElsewhere = ({ ref, targetTask }: CopyRequest): boolean =>
  targetTask !== undefined && targetTask !== ref.task;

/** @throws InspectorError unsupported */
export async function checkFramed(view: RuleView, request: CopyRequest, { ref }: PlanRow): Promise<void> {
  if (ref.namespace) {
    const remedy = 'Use the checkpoint of the root that it belongs to.';
    throw new InspectorError('unsupported', INNER, { data: { ...ref }, remedy });
  }
  if (request.kind !== 'edit') return;
  if (await needsParents(view, ref))
    throw new InspectorError('unsupported', `${BUILT}, so it can't be edited as a whole.`, { data: { ...ref } });
  if (isElsewhere(request)) throw elsewhere(request);
}

function elsewhere({ ref }: EditRequest): InspectorError {
  return new InspectorError('unsupported', "An edit of this checkpoint can't go to another task.", {
    data: { ...ref },
    remedy: 'Copy the task first, then edit the copy.',
  });
}

/** Whether what is beside a state says that it isn't whole without the writes of earlier checkpoints. */
async function needsParents(view: RuleView, ref: CheckpointRef): Promise<boolean> {
  const value: unknown = JSON.parse((await view.beside(ref)) ?? 'null');
  return typeof value === 'object' && value !== null && 'needsParents' in value && value.needsParents === true;
}

/** A framework that sorts its checkpoints by their ids gets one that is newer than all; `undefined` for other ids. */
export function orderedId(
  view: RuleView,
  source: string,
  given: string | undefined,
  head: PlanRow | undefined,
): string | undefined {
  if (ticksOf(source) === undefined) return undefined;
  if (given === undefined) return newerId(head?.ref.id ?? source, 0, view.now()).id;
  if (ticksOf(given) !== undefined && given > (head?.ref.id ?? '')) return undefined;
  throw new InspectorError('invalid_input', 'The id of this fork must be a newer UUID of version 6, or left out.', {
    data: { id: given },
  });
}

export const parentColumns = (parent: CheckpointRef | undefined): NativeRow => ({
  parent_task: parent?.task ?? null,
  parent_id: parent?.id ?? null,
  parent_namespace: parent?.namespace ?? null,
});

/** What saved a state, and so what continues from it. */
export type Owner = 'graph' | 'manager' | 'store';

/** What continues from here, as the program that saved it is called. */
export function resumeCall(task: string, owner: Owner): string {
  const name = JSON.stringify(task);
  if (owner === 'graph') return `await graph.invoke(null, { configurable: { thread_id: ${name} } })`;
  if (owner === 'manager') return `await manager.restore(${name})`;
  return `const { ref } = await store.latest(${name}); const saved = ref && (await store.load(ref));`;
}

/** Writes of these rows, where there are any. */
export async function writesOf(
  view: RuleView,
  rows: readonly { readonly ref: CheckpointRef }[],
): Promise<NonNullable<NativeSteps['clears']>> {
  const counted = await Promise.all(rows.map(async ({ ref }) => ({ ref, count: await view.writes(ref) })));
  return counted.filter(({ count }) => count > 0);
}

export const clearing = (clears: NonNullable<NativeSteps['clears']>): Pick<NativeSteps, 'clears'> =>
  clears.length === 0 ? {} : { clears };

/** Children of rows that go, and stay themselves; oldest first. */
export async function orphansOf(view: RuleView, gone: ReadonlyMap<string, PlanRow>): Promise<PlanRow[]> {
  const found = await Promise.all([...gone.values()].map(async ({ ref }) => view.children(ref)));
  return found
    .flat()
    .filter(({ ref }) => !gone.has(refKey(ref)))
    .sort((a, b) => a.seq - b.seq);
}

/** Children that stay get the nearest ancestor that stays. @throws InspectorError unsupported where that loses a state */
export async function adoptions(
  view: RuleView,
  orphans: readonly PlanRow[],
  gone: ReadonlyMap<string, PlanRow>,
): Promise<NonNullable<NativeSteps['moves']>> {
  const moves = [];
  for (const { ref, parent, framed } of orphans) {
    if (!framed || parent === undefined) continue;
    if (await needsParents(view, ref)) {
      const message = `${parent.id} can't be deleted alone: later states are built from the writes kept with it.`;
      throw new InspectorError('unsupported', message, { data: { ...parent }, remedy: 'Delete the whole task.' });
    }
    const stays = survivor(parent, gone);
    moves.push({ ref, ...(stays === undefined ? {} : { parent: stays }) });
  }
  return moves;
}

function survivor(from: CheckpointRef, gone: ReadonlyMap<string, PlanRow>): CheckpointRef | undefined {
  const visited = new Set<string>();
  let ref: CheckpointRef | undefined = from;
  while (ref !== undefined && gone.has(refKey(ref)) && !visited.has(refKey(ref))) {
    visited.add(refKey(ref));
    ref = gone.get(refKey(ref))?.parent;
  }
  return ref;
}

/**
 * The task up to a checkpoint, under another name: all namespaces, with their writes. Ids stay, so runs and questions
 * keep theirs. Of the latest all writes are taken, of an older checkpoint only its question.
 */
export async function planTaken(view: RuleView, request: CopyRequest, source: PlanRow): Promise<Plan> {
  const { task } = source.ref;
  const target = request.targetTask ?? task;
  checkNewTask(target, await view.newest(target));
  if (await view.loose(target)) throw new InspectorError('invalid_input', `Task "${target}" already has writes.`);
  if (request.kind === 'fork' && request.id !== undefined && request.id !== source.ref.id)
    throw new InspectorError('invalid_input', 'A copy of this task keeps its checkpoint ids: leave the id out.');
  const [head, newest] = [await view.head(task), await view.newest(task)];
  const isHead = head?.ref.id === source.ref.id;
  const rows = (await view.rows(task)).filter(({ seq }) => isHead || seq <= source.seq);
  const here = (ref: CheckpointRef): CheckpointRef => refIn(ref.task === task ? target : ref.task, ref);
  const latest = here(source.ref);
  const reason = isHead ? 'copy with all its writes' : `copy of what led to ${source.ref.id}`;
  const planned: PlannedView = {
    ...frame(view, request, task, latestOf(undefined)),
    targetTask: target,
    preconditions: [
      ...(isHead ? [headOf(task, head)] : []),
      headOf(target, undefined),
      unchanged(source),
      { kind: 'absent' as const, ref: latest },
    ],
    writes: planList<PlanItem>(rows.toReversed().map(({ ref, sizeBytes }) => ({ ref: here(ref), reason, sizeBytes }))),
    warnings: [],
    latestAfter: latest,
    proofHash: source.revision,
    bytesFreed: 0,
    next: resumeCall(target, 'graph'),
  };
  const job = view.job({
    unchanged: [seen(source)],
    newest: [{ task: target }, ...(isHead && newest ? [{ task, seq: newest.seq }] : [])],
    taken: rows.map(({ ref, parent }) => ({
      from: ref,
      to: here(ref),
      set: { seq: null, ...parentColumns(parent && here(parent)) },
      writes: isHead || refKey(ref) !== refKey(source.ref) ? 'all' : 'questions',
    })),
    removes: [],
  });
  return { view: planned, job };
}
