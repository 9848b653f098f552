import {
  InspectorError,
  planList,
  refKey,
  type CheckpointRef,
  type Job,
  type Plan,
  type PlanItem,
  type PlanWarning,
  type SystemRequest,
} from '@checkpoint-inspector/core';
import type { SqlRow } from '@checkpoint-inspector/io';
import { firstOfTask, frame } from '../folder/index.ts';
import { refOf } from './meta.ts';
import { outerParent, readMetadata } from './metadata.ts';
import { payloadText } from './payload.ts';
import { activeWarning, attached, existingRow, hashOf, inParts, keyColumns, type PlanContext } from './plan-parts.ts';
import type { FullRow, Key, Queries } from './queries.ts';
import { readShape } from './shape.ts';
import { metadataText } from './state.ts';

/** A row that gets another parent. */
interface Adoption {
  readonly key: SqlRow;
  readonly parent: string | null;
}

type DeleteRequest = Extract<SystemRequest, { kind: 'delete' }>;
interface Wanted {
  readonly ref: CheckpointRef;
  readonly row: FullRow;
}

/** With the ids of the rows that continue from it. */
interface Family extends Wanted {
  readonly children: readonly string[];
}

/** Whole threads, and single checkpoints that nothing depends on. Children of a deleted one hang under its parent then. */
export async function planDelete(context: PlanContext, request: DeleteRequest): Promise<Plan> {
  const { queries } = context;
  const refs = [...new Map(request.refs.map((ref) => [refKey(ref), ref])).values()];
  const all = await Promise.all(
    refs.map(async (ref): Promise<Wanted> => ({ ref, row: await existingRow(context, ref) })),
  );
  const { task } = firstOfTask(all, 'thread').ref;
  const { latest } = await context.head(task);
  const isWhole = (await queries.older(task, undefined, all.length + 1)).length === all.length;
  const rows = all.map(({ row }) => row);
  const children = isWhole ? [] : await queries.children(task, rows);
  const families = isWhole ? [] : all.map((item, at) => ({ ...item, children: children[at] ?? [] }));
  const moved = adoptions(task, families);
  await refuseNeeded(queries, families, latest.ref);
  const items = await Promise.all(all.map((item) => removal(context, item)));
  const bytesFreed = isWhole ? await queries.bytes(task) : items.reduce((sum, item) => sum + item.sizeBytes, 0);
  return {
    view: {
      ...frame(context, request, task, latest),
      preconditions: await Promise.all(all.map(({ ref, row }) => hashOf(ref, row))),
      removes: planList<PlanItem>(items),
      warnings: [
        ...(await deleteWarnings(queries, all, isWhole, moved.length)),
        ...(isWhole ? [] : await context.ops.warnings('delete', task, rows)),
        ...(await activeWarning(context, task)),
      ],
      // A readable head is never deleted alone, so the rule's answer stays.
      ...(isWhole || latest.ref === undefined ? {} : { latestAfter: latest.ref }),
      bytesFreed,
    },
    job: isWhole ? await threadJob(context, task, all.length) : await rowsJob(context, moved, all),
  };
}

async function removal(
  { queries, ops }: PlanContext,
  { ref, row }: Wanted,
): Promise<PlanItem & { readonly sizeBytes: number }> {
  const { count, bytes } = await queries.writesOf(ref.task, row);
  const where = count === 0 ? 'its row' : `its row and ${count} ${count === 1 ? 'write' : 'writes'}`;
  return {
    ref,
    reason: 'requested',
    sizeBytes: ops.sizeOf(row) + bytes,
    where,
  };
}

/** @throws InspectorError unsupported, when something else is made of one of these rows or continues from it */
async function refuseNeeded(
  queries: Queries,
  families: readonly Family[],
  latest: CheckpointRef | undefined,
): Promise<void> {
  const parent = families.find(({ children }) => children.length > 0);
  const hasDeltas = parent !== undefined && (await queries.hasDeltas(parent.ref.task));
  const reasons = await Promise.all(families.map((family) => whyNeeded(queries, family, latest, hasDeltas)));
  const at = reasons.findIndex((why) => why !== undefined);
  const ref = families[at]?.ref;
  if (ref === undefined) return;
  throw new InspectorError('unsupported', `${ref.id} can't be deleted alone: ${reasons[at]}`, {
    data: { ...ref },
    remedy: 'Restore an older checkpoint, or delete the whole thread.',
  });
}

async function whyNeeded(
  queries: Queries,
  { ref, row, children }: Family,
  latest: CheckpointRef | undefined,
  hasDeltas: boolean,
): Promise<string | undefined> {
  if (latest && refKey(latest) === refKey(ref))
    return 'it is the latest, and the writes that led to it are stored with its parent, so LangGraph would recreate it without running a node.';
  const outer = outerParent(readMetadata(metadataText(row)), row.ns);
  if (outer && outer.id === latest?.id) return 'the subgraph it belongs to runs next.';
  if (children.length === 0) return undefined;
  if (hasDeltas) return 'this thread stores only changes (delta channels), and later states are built from them.';
  if ((await queries.writes(ref.task, row, '__pregel_tasks')).length === 0) return undefined;
  const later = await Promise.all(children.map(async (id) => queries.row(ref.task, { ns: row.ns, id })));
  return later.some((one) => one && readsParentWrites(one))
    ? 'a later checkpoint in an old format reads its pending sends from here.'
    : undefined;
}

/** Before format 4, pending sends stood on the parent. Of rows that cannot be read it is assumed. */
function readsParentWrites(row: FullRow): boolean {
  try {
    const shape = readShape(payloadText({ ...row, bytes: row.checkpoint }));
    return shape === undefined || shape.version < 4;
  } catch {
    return true;
  }
}

/** Children that stay get the nearest ancestor that stays as their parent; only that column changes. */
function adoptions(thread: string, families: readonly Family[]): Adoption[] {
  const gone = new Map(families.map((family): [string, Wanted] => [refKey(family.ref), family]));
  const isGone = (key: Key): Wanted | undefined => gone.get(refKey(refOf(thread, key)));
  return families.flatMap(({ row, children }) => {
    const parent = survivingParent(row, isGone);
    const left = children.filter((id) => !isGone({ ns: row.ns, id }));
    return left.map((id) => ({ key: keyColumns(thread, { ns: row.ns, id }), parent }));
  });
}

function survivingParent(row: FullRow, isGone: (key: Key) => Wanted | undefined): string | null {
  const visited = new Set<string>();
  let id = row.parent;
  while (id !== null && !visited.has(id)) {
    const gone = isGone({ ns: row.ns, id });
    if (!gone) return id;
    visited.add(id);
    id = gone.row.parent;
  }
  return null;
}

async function rowsJob(context: PlanContext, moved: readonly Adoption[], all: readonly Wanted[]): Promise<Job> {
  const { ops, queries } = context;
  const job = ops.job();
  const counts = await Promise.all(all.map(async ({ ref, row }) => queries.writesOf(ref.task, row)));
  for (const { key, parent } of moved) job.update('checkpoints', key, { parent_checkpoint_id: parent });
  for (const [at, { ref, row }] of all.entries()) {
    const key = keyColumns(ref.task, row);
    const { count = 0 } = counts[at] ?? {};
    job.delete('checkpoints', key);
    if (count > 0) job.delete(ops.writes, key, { expect: count });
  }
  const [first] = all;
  const rows = all.map(({ row }) => row);
  if (first) await ops.deleteValues(job, first.ref.task, rows);
  const writes = counts.reduce((sum, { count }) => sum + count, 0);
  return inParts(job, context, moved.length + all.length + writes);
}

async function threadJob(context: PlanContext, thread: string, count: number): Promise<Job> {
  const { ops, queries } = context;
  const key = { thread_id: thread };
  const writes = await queries.writeCount(thread);
  const job = ops.job().delete('checkpoints', key, { expect: count });
  if (writes > 0) job.delete(ops.writes, key, { expect: writes });
  await ops.deleteValues(job, thread);
  return inParts(job, context, count + writes);
}

async function deleteWarnings(
  queries: Queries,
  all: readonly Wanted[],
  isWhole: boolean,
  moved: number,
): Promise<PlanWarning[]> {
  if (isWhole)
    return [{ code: 'task_emptied', message: 'This deletes the whole thread. LangGraph will start it from scratch.' }];
  const warnings: PlanWarning[] = [];
  if (moved > 0) {
    const message = `${moved === 1 ? '1 later checkpoint' : `${moved} later checkpoints`} will be attached to the deleted checkpoint's parent.`;
    warnings.push({ code: 'children_moved', message });
  }
  const subgraphs = await Promise.all(all.map(({ ref, row }) => attached(queries, ref.task, row.id)));
  if (subgraphs.some((keys) => keys.length > 0)) {
    warnings.push({
      code: 'parent_missing',
      message: 'A subgraph ran from a deleted checkpoint. Its own checkpoints are kept, without that parent.',
    });
  }
  return warnings;
}
