export { createChangeService } from './service.ts';
export type { TrashBin, TrashSummary, ChangeService, TrashItem } from './types.ts';
export { isAt, placeOf } from './store.ts';
export { journalFolder } from './journal/schema.ts';
export { openJournal, openJournalWhenNeeded } from './journal/journal.ts';
export { withSidecar, type ParentEdge } from './journal/sidecar.ts';
export type { Annotation, Annotations, Journal, StorePlace } from './journal/types.ts';
