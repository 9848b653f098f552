import { describe, expect, it } from 'vitest';
import { sortedPage } from './page.ts';

interface Item {
  readonly id: string;
  readonly time: string;
}

const item = (n: number): Item => ({ id: `i${n}`, time: String(900 - n) });
const items = Array.from({ length: 7 }, (_, n) => item(n));
const page = (list: readonly Item[], more: { limit?: number; cursor?: string | undefined; around?: number } = {}) =>
  sortedPage(list, { ...more, placeOf: ({ id, time }) => [id, time], isAfter: ({ time }, [, at = '']) => time < at });

function walk(limit: number): string[][] {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const next = page(items, { limit, cursor });
    pages.push(next.items.map(({ id }) => id));
    cursor = next.cursor;
  } while (cursor !== undefined);
  return pages;
}

describe('sortedPage', () => {
  it.each([1, 2, 3, 7, 8])('gives every item once, %i at a time', (limit) => {
    expect(walk(limit).flat()).toEqual(items.map(({ id }) => id));
    expect(walk(limit).every((ids) => ids.length <= limit)).toBe(true);
  });

  it('continues behind its place when the item itself is gone, and ends when all behind it are', () => {
    const { cursor } = page(items, { limit: 3 });
    const left = items.filter(({ id }) => id !== 'i2');
    expect(page(left, { cursor }).items[0]?.id).toBe('i3');
    expect(page(items.slice(0, 2), { cursor })).toEqual({ items: [] });
  });

  it('finds its place by what it is told of it, and looks for it where that is wrong', () => {
    const { cursor } = page(items, { limit: 3 });
    let looks = 0;
    const next = (indexOf: () => number | undefined) =>
      sortedPage(items, {
        cursor,
        indexOf,
        placeOf: ({ id, time }) => {
          looks += 1;
          return [id, time];
        },
        isAfter: ({ time }, [, at = '']) => time < at,
      }).items[0]?.id;
    expect(next(() => 2)).toBe('i3');
    expect(looks).toBe(1);
    for (const wrong of [undefined, 0, 6, 70]) expect(next(() => wrong)).toBe('i3');
  });

  it('is not thrown off by items that came in front', () => {
    const { cursor } = page(items, { limit: 3 });
    expect(page([{ id: 'new', time: '999' }, ...items], { cursor }).items[0]?.id).toBe('i3');
  });

  it('holds the item that it is asked around', () => {
    expect(page(items, { limit: 3, around: 5 }).items.map(({ id }) => id)).toEqual(['i4', 'i5', 'i6']);
    expect(page(items, { limit: 3, around: 0 }).items[0]?.id).toBe('i0');
  });

  it.each(['', 'x', btoa('{}'), btoa('[1]'), btoa('nope')])('refuses the cursor "%s"', (cursor) => {
    expect(() => page(items, { cursor })).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });

  it.each([0, -1, 1.5, 1001, Number.NaN])('refuses the limit %d', (limit) => {
    expect(() => page(items, { limit })).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });
});
