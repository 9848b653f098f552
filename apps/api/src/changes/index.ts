export { createChangeService } from './service.ts';
export type { ChangeDeps, ChangeEvent, ChangeService, RecoveredIntent, TrashItem } from './types.ts';
