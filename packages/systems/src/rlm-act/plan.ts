import { InspectorError, type SystemRequest, type Plan, type StoreInfo } from '@checkpoint-inspector/core';
import { NO_FORK } from './info.ts';
import { planDelete } from './plan-delete.ts';
import { planRestore } from './plan-restore.ts';
import type { PlanBasis } from './plan-parts.ts';

/**
 * The pipeline's rules for a change: reads and decides, writes nothing.
 * @throws InspectorError unsupported (with the reason) | not_found | invalid_input
 */
export async function planChange(
  request: SystemRequest,
  basis: PlanBasis & { readonly can: StoreInfo['capabilities'] },
): Promise<Plan> {
  if (request.kind === 'fork') throw new InspectorError('unsupported', NO_FORK);
  const can = basis.can[request.kind];
  if (can !== true) throw new InspectorError('unsupported', can);
  return request.kind === 'delete' ? planDelete(request, basis) : planRestore(request, basis);
}
