import { DEFAULT_LIMIT, InspectorError, MAX_LIMIT } from '@checkpoint-inspector/core';

/** @throws InspectorError invalid_input */
export function pageLimit(limit: number | undefined): number {
  if (limit === undefined) return DEFAULT_LIMIT;
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new InspectorError('invalid_input', `A page holds 1 to ${MAX_LIMIT} items, not ${limit}.`, { data: { limit } });
}

/** The cursor for "after this row". */
export function encodeCursor(first: string, second: string): string {
  return Buffer.from(JSON.stringify([first, second])).toString('base64url');
}

/** @throws InspectorError invalid_input */
export function decodeCursor(cursor: string): readonly [string, string] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(parts) && typeof parts[0] === 'string' && typeof parts[1] === 'string')
      return [parts[0], parts[1]];
  } catch {
    // Refused below, as is a cursor of another list.
  }
  throw new InspectorError('invalid_input', 'The cursor is not one that this list has given.', {
    remedy: 'Ask for the first page again, without a cursor.',
  });
}
