export { journalFolder } from './folder.ts';
export { openJournal } from './journal.ts';
export { openJournalWhenNeeded, type LazyJournalOptions } from './lazy.ts';
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
} from './types.ts';
export { DEFAULT_TRASH_DAYS, type TrashedChange } from './trash.ts';
export { openCache, type CacheOptions } from './cache.ts';
export { nameFilter } from './search/conditions.ts';
export type {
  Candidate,
  Candidates,
  FindOptions,
  Found,
  FoundCheckpoint,
  FoundIn,
  IndexCounts,
  NewText,
  PendingDocument,
  SearchCache,
  Snippet,
  StoreIndex,
  TextMark,
} from './search/types.ts';
