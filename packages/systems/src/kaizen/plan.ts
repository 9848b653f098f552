import { assertRoomRequest, type ChangeRequest, type Plan } from '@checkpoint-inspector/core';
import { planCopy } from './plan-copy.ts';
import { planDelete } from './plan-delete.ts';
import type { PlanBasis } from './plan-parts.ts';

/**
 * Kaizen's rules for a change: reads and decides, writes nothing.
 * @throws InspectorError unsupported (with the reason) | not_found | invalid_input
 */
export async function planChange(request: ChangeRequest, basis: PlanBasis): Promise<Plan> {
  assertRoomRequest(request);
  return request.kind === 'delete' ? planDelete(request, basis) : planCopy(request, basis);
}
