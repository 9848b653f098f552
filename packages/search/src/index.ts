export { createSearch } from './service.ts';
export type { SearchAnswer, SearchItem, SearchOptions, SearchRequest, SearchService } from './service.ts';
export type { SearchCoverage } from './feed/store-indexer.ts';
export { openCache } from './cache/cache.ts';
export type { CacheOptions } from './cache/cache.ts';
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
} from './cache/types.ts';
export { nameFilter } from './find/conditions.ts';
export { TOKEN_NAMES } from './query/tokens.ts';
export { parseQuery } from './query/parse.ts';
export type {
  ParsedQuery,
  QueryProblem,
  SearchFilter,
  SearchNameFilter,
  SearchQuery,
  SearchTerm,
} from './query/types.ts';
