export { createChangeService } from './service.ts';
export type { Purged, PurgePlan, PurgeRequest, TrashBin, TrashSummary } from './types.ts';
export type { ChangeDeps, ChangeEvent, ChangeService, PlanPart, RecoveredIntent, TrashItem } from './types.ts';
export { isAt, placeOf } from './store.ts';
export { journalFolder } from './journal/schema.ts';
export { openJournal, openJournalWhenNeeded } from './journal/journal.ts';
export { withSidecar, type ParentEdge } from './journal/sidecar.ts';
export { DEFAULT_TRASH_DAYS, type TrashedChange } from './journal/trash.ts';
export type {
  Annotation,
  Annotations,
  Finish,
  Intent,
  Journal,
  JournalQuery,
  NewIntent,
  SidecarEdge,
  StorePlace,
  TrashEntry,
  TrashRow,
} from './journal/types.ts';
