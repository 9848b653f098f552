import { DEFAULT_LIMIT, InspectorError, MAX_LIMIT, type Page } from '@checkpoint-inspector/core';

/** A place in a sorted list that outlives its item: the sort key, as strings. */
export type Place = readonly [string, string, string];

export interface PageRequest<T> {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  /** Index of an item that the page must hold. */
  readonly around?: number | undefined;
  readonly placeOf: (item: T) => Place;
  /** True for items behind a place whose own item is gone. */
  readonly isAfter: (item: T, place: Place) => boolean;
}

/** One page of a sorted list. @throws InspectorError invalid_input */
export function pageOf<T>(items: readonly T[], request: PageRequest<T>): Page<T> {
  const limit = request.limit ?? DEFAULT_LIMIT;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new InspectorError('invalid_input', `A page holds 1 to ${MAX_LIMIT} items, not ${limit}.`, {
      data: { limit },
    });
  }
  const start = startOf(items, request, limit);
  const shown = items.slice(start, start + limit);
  const last = shown.at(-1);
  if (last === undefined || start + limit >= items.length) return { items: shown };
  return { items: shown, cursor: Buffer.from(JSON.stringify(request.placeOf(last))).toString('base64url') };
}

function startOf<T>(items: readonly T[], request: PageRequest<T>, limit: number): number {
  if (request.around !== undefined) return Math.max(0, request.around - Math.floor(limit / 2));
  if (request.cursor === undefined) return 0;
  const place = readCursor(request.cursor);
  const text = JSON.stringify(place);
  const same = items.findIndex((item) => JSON.stringify(request.placeOf(item)) === text);
  if (same !== -1) return same + 1;
  const after = items.findIndex((item) => request.isAfter(item, place));
  return after === -1 ? items.length : after;
}

function readCursor(cursor: string): Place {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const [a, b, c] = Array.isArray(parts) ? (parts as unknown[]) : [];
    if (typeof a === 'string' && typeof b === 'string' && typeof c === 'string') return [a, b, c];
  } catch {
    // Refused below, as is a cursor of another list.
  }
  throw new InspectorError('invalid_input', 'The cursor is not one that this list has given.', {
    remedy: 'Ask for the first page again, without a cursor.',
  });
}
