import type { PageQuery } from './contract.ts';
import { InspectorError } from './errors.ts';
import type { Page } from './model.ts';

export const DEFAULT_LIMIT = 100;
export const MAX_LIMIT = 1000;

interface SortedPageRequest<T> {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
  /** Index of an item that the page must hold, instead of `cursor`. */
  readonly around?: number | undefined;
  /** What a cursor remembers of its last item: enough to know it again, and its place when it is gone. */
  readonly placeOf: (item: T) => readonly string[];
  /** Where the item of a place is, if it is still there: looking at one after the other takes long in a long list. */
  readonly indexOf?: ((place: readonly string[]) => number | undefined) | undefined;
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
  return pageAt(items, startOf(items, request, limit), limit, request.placeOf);
}

function startOf<T>(items: readonly T[], request: SortedPageRequest<T>, limit: number): number {
  if (request.around !== undefined) return Math.max(0, request.around - Math.floor(limit / 2));
  if (request.cursor === undefined) return 0;
  const place = placeIn(request.cursor);
  const text = JSON.stringify(place);
  const isSame = (item: T): boolean => JSON.stringify(request.placeOf(item)) === text;
  const known = request.indexOf?.(place);
  const found = known === undefined ? undefined : items[known];
  const same = known !== undefined && found !== undefined && isSame(found) ? known : items.findIndex(isSame);
  if (same !== -1) return same + 1;
  const after = items.findIndex((item) => request.isAfter(item, place));
  return after === -1 ? items.length : after;
}

function placeIn(cursor: string): readonly string[] {
  const parts = readCursor(cursor);
  if (Array.isArray(parts) && parts.every((part): part is string => typeof part === 'string')) return parts;
  throw foreignCursor();
}

/** A page size of a query. @throws InspectorError invalid_input */
export function pageLimit(limit: number | undefined): number {
  if (limit === undefined) return DEFAULT_LIMIT;
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new InspectorError('invalid_input', `A page can have 1 to ${MAX_LIMIT} items, not ${limit}.`, {
    data: { limit },
  });
}

/** An opaque cursor (base64url of UTF-8 JSON) for the position after which the next page begins. */
export function encodeCursor(position: readonly (string | number)[]): string {
  const text = JSON.stringify(position);
  const binary = /^[ -~]*$/.test(text) ? text : latin1Of(new TextEncoder().encode(text));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** A character for each byte: all that `btoa` takes. */
const latin1Of = (bytes: Uint8Array): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');

/** The position in a cursor. @throws InspectorError invalid_input when the parts are not of these types */
export function decodeCursor(cursor: string, types: readonly ('string' | 'number')[]): readonly (string | number)[] {
  const parts = readCursor(cursor);
  if (Array.isArray(parts) && parts.length === types.length && parts.every((part, at) => typeof part === types[at])) {
    return parts;
  }
  throw foreignCursor();
}

/** What a cursor holds; `undefined` for any other text. */
export function readCursor(cursor: string): unknown {
  try {
    const binary = atob(cursor.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** The page that begins at `start`; its cursor is `position` of the last item. */
export function pageAt<T>(
  items: readonly T[],
  start: number,
  limit: number,
  position: (item: T) => readonly (string | number)[],
): Page<T> {
  const shown = items.slice(start, start + limit);
  const last = shown.at(-1);
  if (last === undefined || start + limit >= items.length) return { items: shown };
  return { items: shown, cursor: encodeCursor(position(last)) };
}

/** For a cursor that another list gave, or nobody. */
export function foreignCursor(): InspectorError {
  return new InspectorError('invalid_input', "This cursor isn't from this list.", {
    remedy: 'Request the first page again, without a cursor.',
  });
}

/** A list page after page, as they are taken. */
export async function* everyPage<P extends { readonly cursor?: string }>(
  read: (at: { readonly limit: number; readonly cursor?: string }) => Promise<P>,
  limit = MAX_LIMIT,
): AsyncGenerator<P> {
  let cursor: string | undefined;
  do {
    const page = await read({ limit, ...(cursor === undefined ? {} : { cursor }) });
    yield page;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

/** Every item of a list that comes in pages. @example for await (const task of everyItem((at) => source.tasks(at))) … */
export async function* everyItem<T>(read: (at: PageQuery) => Promise<Page<T>>): AsyncGenerator<T> {
  for await (const { items } of everyPage(read)) yield* items;
}

/** True for a time from `since` on; false for what has no certain time. Both ISO 8601; every time is since `undefined`. */
export const isSince = (time: string | undefined, since: string | undefined): boolean =>
  since === undefined || (time !== undefined && Date.parse(time) >= Date.parse(since));
