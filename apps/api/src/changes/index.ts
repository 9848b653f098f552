export { createChangeService } from './service.ts';
export type { Purged, PurgePlan, PurgeRequest, TrashBin, TrashSummary } from './bin.ts';
export type { ChangeDeps, ChangeEvent, ChangeService, PlanPart, RecoveredIntent, TrashItem } from './types.ts';
