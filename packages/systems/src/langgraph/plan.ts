import { type SystemRequest, type Plan } from '@checkpoint-inspector/core';
import { planCopy } from './plan-copy.ts';
import { planDelete } from './plan-delete.ts';
import { planEdit, planRestore } from './plan-newest.ts';
import type { PlanContext } from './plan-parts.ts';
import type { Queries } from './queries.ts';

/** What a request would do, by LangGraph's rules. Reads only. @throws InspectorError not_found | unsupported | invalid_input | unreadable */
export async function planChange(context: PlanContext, request: SystemRequest): Promise<Plan> {
  switch (request.kind) {
    case 'restore':
      return request.targetTask === undefined || request.targetTask === request.ref.task
        ? planRestore(context, request)
        : planCopy(context, request, request.targetTask);
    case 'fork':
      return planCopy(context, request, request.targetTask ?? freeName(context.queries, request.ref.task));
    case 'delete':
      return planDelete(context, request);
    case 'edit':
      return planEdit(context, request);
  }
}

function freeName(queries: Queries, thread: string): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? `${thread}-fork` : `${thread}-fork-${n}`;
    if (queries.thread(name) === undefined && queries.writeCount(name) === 0) return name;
  }
}
