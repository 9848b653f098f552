import {
  InspectorError,
  planList,
  refKey,
  type Plan,
  type PlanItem,
  type PlanWarning,
  type SystemRequest,
} from '@checkpoint-inspector/core';
import { sqliteJob } from '@checkpoint-inspector/io';
import { firstOfTask, frame } from '../folder/index.ts';
import { planCopy } from './plan-copy.ts';
import { activeWarning, hashOf, wantedRow, type PlanContext, type Wanted } from './plan-parts.ts';
import { planEdit, planRestore } from './plan-restore.ts';

/** What a request would do, by the rules of ctx-sys. Reads only. @throws InspectorError not_found | unsupported | invalid_input | unreadable */
export async function planChange(context: PlanContext, request: SystemRequest): Promise<Plan> {
  switch (request.kind) {
    case 'restore':
      return request.targetTask === undefined || request.targetTask === request.ref.task
        ? planRestore(context, request)
        : planCopy(context, request);
    case 'fork':
      return planCopy(context, request);
    case 'delete':
      return planDelete(context, request);
    case 'edit':
      return planEdit(context, request);
  }
}

type DeleteRequest = Extract<SystemRequest, { kind: 'delete' }>;

/** Any checkpoint may go: none is made of another. */
export async function planDelete(context: PlanContext, request: DeleteRequest): Promise<Plan> {
  const byKey = new Map<string, Wanted>();
  for (const ref of request.refs) byKey.set(refKey(ref), await wantedRow(context, ref));
  const all = [...byKey.values()];
  const { ref, look } = firstOfTask(all, 'session');
  const odd = all.find(({ row }) => row.oddKey !== undefined);
  if (odd)
    throw new InspectorError(
      'unsupported',
      `The ${odd.row.oddKey} of "${odd.row.id}" isn't text, so the row can't be identified.`,
    );
  const gone = new Set(all.map(({ row }) => row.rowid));
  const left = look.seen.filter(({ row }) => !gone.has(row.rowid));
  const next = left.find(({ facts }) => facts.problem === undefined)?.row;
  const latestAfter = next && { task: ref.task, id: next.id };
  const { name } = context.project.table;
  return {
    view: {
      ...frame(context, request, ref.task, look.latest),
      preconditions: await Promise.all(all.map((wanted) => hashOf(context, wanted))),
      removes: planList(all.map(({ ref, row }): PlanItem => ({ ref, reason: 'requested', sizeBytes: row.sizeBytes }))),
      warnings: [...deleteWarnings(look.latest.ref?.id, latestAfter?.id, left.length), ...activeWarning(context, look)],
      ...(latestAfter === undefined ? {} : { latestAfter }),
      bytesFreed: all.reduce((sum, { row }) => sum + row.sizeBytes, 0),
    },
    job: all.reduce(
      (job, { row }) => job.delete(name, { id: row.id, session_id: row.session }),
      sqliteJob(context.path),
    ),
  };
}

function deleteWarnings(before: string | undefined, after: string | undefined, left: number): PlanWarning[] {
  if (left === 0)
    return [
      { code: 'task_emptied', message: 'This deletes the whole session. A resumed run will start from scratch.' },
    ];
  if (before === after) return [];
  const message =
    after === undefined ? 'No readable checkpoint will be left.' : `A resumed run will start from ${after} then.`;
  return [{ code: 'latest_changes', message }];
}
