import { DEFAULT_LIMIT, InspectorError, MAX_LIMIT, type Page } from '@checkpoint-inspector/core';

export interface PageRequest<T> {
  readonly limit: number | undefined;
  readonly cursor: string | undefined;
  /** Index of the item that the page must hold. */
  readonly around?: number | undefined;
  /** What a cursor remembers of the last item: its key, and its sort value for when the item is gone. */
  readonly positionOf: (item: T) => { readonly key: string; readonly sort: string };
  /** True for items that stand after a place whose item is gone. */
  readonly isAfter: (item: T, sort: string) => boolean;
}

/** One page of a list that is sorted already. @throws InspectorError invalid_input */
export function pageOf<T>(items: readonly T[], request: PageRequest<T>): Page<T> {
  const limit = request.limit ?? DEFAULT_LIMIT;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw new InspectorError('invalid_input', `A page holds 1 to ${MAX_LIMIT} items, not ${limit}.`);
  }
  const start = startOf(items, request, limit);
  const shown = items.slice(start, start + limit);
  const last = shown.at(-1);
  if (last === undefined || start + limit >= items.length) return { items: shown };
  const { key, sort } = request.positionOf(last);
  return { items: shown, cursor: Buffer.from(JSON.stringify([key, sort])).toString('base64url') };
}

function startOf<T>(items: readonly T[], request: PageRequest<T>, limit: number): number {
  if (request.around !== undefined) return Math.max(0, request.around - Math.floor(limit / 2));
  if (request.cursor === undefined) return 0;
  const [key, sort] = readCursor(request.cursor);
  const same = items.findIndex((item) => request.positionOf(item).key === key);
  if (same !== -1) return same + 1;
  const after = items.findIndex((item) => request.isAfter(item, sort));
  return after === -1 ? items.length : after;
}

function readCursor(cursor: string): readonly [string, string] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(parts) && typeof parts[0] === 'string' && typeof parts[1] === 'string')
      return [parts[0], parts[1]];
  } catch {
    // Falls through to the same refusal.
  }
  throw new InspectorError('invalid_input', 'The cursor is not one that this list has given.', {
    remedy: 'Ask for the first page again, without a cursor.',
  });
}
