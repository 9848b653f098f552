export { createSearch, type SearchAnswer, type SearchItem, type SearchOptions, type SearchService } from './service.ts';
