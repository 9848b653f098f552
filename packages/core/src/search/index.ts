export { parseQuery } from './parse.ts';
export { TOKEN_NAMES } from './names.ts';
export type { ParsedQuery, QueryProblem, SearchFilter, SearchNameFilter, SearchQuery, SearchTerm } from './types.ts';
