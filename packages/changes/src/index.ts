export { createChangeService } from './service.ts';
export type { Purged, PurgePlan, PurgeRequest, TrashBin, TrashSummary } from './bin.ts';
export type { ChangeDeps, ChangeEvent, ChangeService, PlanPart, RecoveredIntent, TrashItem } from './types.ts';
export { locationOf, placeOf } from './location.ts';
export { journalFolder } from './journal/folder.ts';
export { openJournal } from './journal/journal.ts';
export { openJournalWhenNeeded, type LazyJournalOptions } from './journal/lazy.ts';
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
  StoredTarget,
  TrashEntry,
  TrashRow,
} from './journal/types.ts';
