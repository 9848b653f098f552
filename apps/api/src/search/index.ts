export { createSearch } from './service.ts';
export type { SearchAnswer, SearchItem, SearchOptions, SearchRequest, SearchService } from './service.ts';
export type { SearchCoverage } from './store-indexer.ts';
