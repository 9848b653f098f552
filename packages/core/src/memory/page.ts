import { DEFAULT_LIMIT, MAX_LIMIT } from '../contract.ts';
import { InspectorError } from '../errors.ts';
import type { Page } from '../model.ts';

/** A page size of a query. @throws InspectorError invalid_input */
export function pageLimit(limit: number | undefined): number {
  if (limit === undefined) return DEFAULT_LIMIT;
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new InspectorError('invalid_input', `A page holds 1 to ${MAX_LIMIT} items, not ${limit}.`, { data: { limit } });
}

/** An opaque cursor (base64url of UTF-8 JSON) for the position after which the next page begins. */
export function encodeCursor(position: readonly (string | number)[]): string {
  const bytes = new TextEncoder().encode(JSON.stringify(position));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The position in a cursor. @throws InspectorError invalid_input when the parts are not of these types */
export function decodeCursor(cursor: string, types: readonly ('string' | 'number')[]): readonly (string | number)[] {
  const parts = readCursor(cursor);
  if (Array.isArray(parts) && parts.length === types.length && parts.every((part, at) => typeof part === types[at])) {
    return parts;
  }
  throw new InspectorError('invalid_input', 'The cursor is not one that this list has given.', {
    remedy: 'Ask for the first page again, without a cursor.',
  });
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
