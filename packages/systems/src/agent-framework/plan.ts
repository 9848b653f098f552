import { type SystemRequest, type Plan } from '@checkpoint-inspector/core';
import { planCopy } from './plan-copy.ts';
import { planDelete } from './plan-delete.ts';
import type { PlanBasis } from './plan-parts.ts';

/**
 * The rules for a change: reads and decides, writes nothing.
 * @throws InspectorError unsupported (with the reason) | not_found | invalid_input
 */
export async function planChange(request: SystemRequest, basis: PlanBasis): Promise<Plan> {
  return request.kind === 'delete' ? planDelete(request, basis) : planCopy(request, basis);
}
