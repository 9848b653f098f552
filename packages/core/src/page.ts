import { InspectorError } from './errors.ts';
import { encodeCursor, pageLimit, readCursor } from './memory/page.ts';
import type { Page } from './model.ts';

export interface SortedPageRequest<T> {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  /** Index of an item that the page must hold, instead of `cursor`. */
  readonly around?: number | undefined;
  /** What a cursor remembers of its last item: enough to know it again, and its place when it is gone. */
  readonly placeOf: (item: T) => readonly string[];
  /** True for items behind a place whose own item is gone. */
  readonly isAfter: (item: T, place: readonly string[]) => boolean;
}

/**
 * One page of a list that is in memory and sorted; nothing is skipped or repeated while items come and go.
 * @throws InspectorError invalid_input for a limit out of range, or a cursor of another list
 * @example sortedPage(tasks, { limit: 50, placeOf: (t) => [t.id, t.time], isAfter: (t, [, time = '']) => t.time < time })
 */
export function sortedPage<T>(items: readonly T[], request: SortedPageRequest<T>): Page<T> {
  const limit = pageLimit(request.limit);
  const start = startOf(items, request, limit);
  const shown = items.slice(start, start + limit);
  const last = shown.at(-1);
  if (last === undefined || start + limit >= items.length) return { items: shown };
  return { items: shown, cursor: encodeCursor(request.placeOf(last)) };
}

function startOf<T>(items: readonly T[], request: SortedPageRequest<T>, limit: number): number {
  if (request.around !== undefined) return Math.max(0, request.around - Math.floor(limit / 2));
  if (request.cursor === undefined) return 0;
  const place = placeIn(request.cursor);
  const text = JSON.stringify(place);
  const same = items.findIndex((item) => JSON.stringify(request.placeOf(item)) === text);
  if (same !== -1) return same + 1;
  const after = items.findIndex((item) => request.isAfter(item, place));
  return after === -1 ? items.length : after;
}

function placeIn(cursor: string): readonly string[] {
  const parts = readCursor(cursor);
  if (Array.isArray(parts) && parts.every((part): part is string => typeof part === 'string')) return parts;
  throw new InspectorError('invalid_input', 'The cursor is not one that this list has given.', {
    remedy: 'Ask for the first page again, without a cursor.',
  });
}
