import type { Plan, SystemRequest } from '@checkpoint-inspector/core';
import { freeName } from '../folder/index.ts';
import { planCopy } from './plan-copy.ts';
import { planDelete } from './plan-delete.ts';
import { planEdit, planRestore } from './plan-newest.ts';
import type { PlanContext } from './plan-parts.ts';

/** What a request would do, by LangGraph's rules. Reads only. @throws InspectorError not_found | unsupported | invalid_input | unreadable */
export async function planChange(context: PlanContext, request: SystemRequest): Promise<Plan> {
  const { queries } = context;
  const isTaken = (name: string) => queries.thread(name) !== undefined || queries.writeCount(name) > 0;
  switch (request.kind) {
    case 'restore':
      return request.targetTask === undefined || request.targetTask === request.ref.task
        ? planRestore(context, request)
        : planCopy(context, request, request.targetTask);
    case 'fork':
      return planCopy(context, request, request.targetTask ?? freeName(request.ref.task, isTaken));
    case 'delete':
      return planDelete(context, request);
    case 'edit':
      return planEdit(context, request);
  }
}
