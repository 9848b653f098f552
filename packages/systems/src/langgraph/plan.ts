import type { Plan, SystemRequest } from '@checkpoint-inspector/core';
import { freeName } from '../folder/index.ts';
import { planCopy } from './plan-copy.ts';
import { planDelete } from './plan-delete.ts';
import { planEdit, planRestore } from './plan-newest.ts';
import { isTaken, type PlanContext } from './plan-parts.ts';
import type { Queries } from './queries.ts';

/** What a request would do, by LangGraph's rules. Reads only. @throws InspectorError not_found | unsupported | invalid_input | unreadable */
export async function planChange(context: PlanContext, request: SystemRequest): Promise<Plan> {
  switch (request.kind) {
    case 'restore':
      return request.targetTask === undefined || request.targetTask === request.ref.task
        ? planRestore(context, request)
        : planCopy(context, request, request.targetTask);
    case 'fork':
      return planCopy(context, request, request.targetTask ?? (await freeThread(context.queries, request.ref.task)));
    case 'delete':
      return planDelete(context, request);
    case 'edit':
      return planEdit(context, request);
  }
}

async function freeThread(queries: Queries, thread: string): Promise<string> {
  const taken = new Set<string>();
  for (;;) {
    const name = freeName(thread, (one) => taken.has(one));
    if (!(await isTaken(queries, name))) return name;
    taken.add(name);
  }
}
