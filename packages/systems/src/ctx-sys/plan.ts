import { type SystemRequest, type Plan } from '@checkpoint-inspector/core';
import { planCopy } from './plan-copy.ts';
import { planDelete } from './plan-delete.ts';
import { planEdit } from './plan-edit.ts';
import type { PlanContext } from './plan-parts.ts';
import { planRestore } from './plan-restore.ts';

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
