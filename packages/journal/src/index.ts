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
