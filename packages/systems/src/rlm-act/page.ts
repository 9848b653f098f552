import { DEFAULT_LIMIT, InspectorError, MAX_LIMIT, type Page, type PageQuery } from '@checkpoint-inspector/core';
import { compareRank, findRow, notFound, type Rank, type Row, type Snapshot } from './rows.ts';

/** A page of a task's rows, the latest first. @throws InspectorError invalid_input | not_found */
export function pageOf(snapshot: Snapshot, query: PageQuery): Page<Row> {
  const limit = limitOf(query.limit);
  const rows = snapshot.rows.toReversed();
  const start = startOf(rows, snapshot, query, limit);
  const items = rows.slice(start, start + limit);
  const last = items.at(-1);
  if (last === undefined || start + limit >= rows.length) return { items };
  return { items, cursor: Buffer.from(JSON.stringify(last.rank)).toString('base64url') };
}

/** @throws InspectorError invalid_input */
export function limitOf(limit: number = DEFAULT_LIMIT): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new InspectorError('invalid_input', `A page holds 1 to ${MAX_LIMIT} items, not ${limit}.`);
}

export function badCursor(): InspectorError {
  return new InspectorError('invalid_input', 'The cursor is not one that this list has given.', {
    remedy: 'Ask for the first page again, without a cursor.',
  });
}

function startOf(rows: readonly Row[], snapshot: Snapshot, query: PageQuery, limit: number): number {
  if (query.around) {
    const row = findRow(snapshot, query.around);
    if (!row) throw notFound(query.around);
    return Math.max(0, rows.indexOf(row) - Math.floor(limit / 2));
  }
  if (query.cursor === undefined) return 0;
  const rank = rankIn(query.cursor);
  const at = rows.findIndex((row) => compareRank(row.rank, rank) < 0);
  return at === -1 ? rows.length : at;
}

function rankIn(cursor: string): Rank {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const [readable, text, id]: unknown[] = Array.isArray(parts) ? parts : [];
    if ((readable === 0 || readable === 1) && typeof text === 'string' && typeof id === 'string') {
      return [readable, text, id];
    }
  } catch {
    // Falls through to the same refusal.
  }
  throw badCursor();
}
