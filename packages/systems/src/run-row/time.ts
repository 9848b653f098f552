/** ISO 8601 UTC of a time as stored; a time without a zone is UTC, as SQLite's own are; `undefined` for what isn't a time. */
export function isoOf(stored: unknown): string | undefined {
  if (typeof stored !== 'string' || !/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(stored)) return undefined;
  const ms = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(stored) ? stored : `${stored.replace(' ', 'T')}Z`);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
