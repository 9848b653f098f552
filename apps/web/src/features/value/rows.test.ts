import { growth, LINEAR } from '@checkpoint-inspector/config/measure';
import { describe, expect, it } from 'vitest';
import { closed, MOST_FLAT, openedTo, RANGE, rangesTo, rowsOf, slotKey, type OpenNodes } from './rows.ts';

const root: OpenNodes = new Map([['$', { path: [], count: 3, place: 0 }]]);
const keys = (opened: OpenNodes, ranges: ReadonlySet<string> = new Set()) =>
  rowsOf(opened, ranges).map((row) => row.key);

describe('the rows of a big state', () => {
  it('are the root alone until it is opened', () => {
    expect(keys(new Map())).toEqual(['$']);
    expect(keys(root)).toEqual(['$', '0 of $', '1 of $', '2 of $']);
  });

  it('hold the children of what is open, in their places', () => {
    const opened = openedTo(
      root,
      ['a', 'b', 'c'],
      [
        { count: 3, place: 1 },
        { count: 2, place: 0 },
        { count: 1, place: 0 },
      ],
    );
    expect(rowsOf(opened, new Set()).map(({ key, depth }) => [key, depth])).toEqual([
      ['$', 0],
      ['0 of $', 1],
      ['1 of $', 1],
      ['0 of $.a', 2],
      ['0 of $.a.b', 3],
      ['1 of $.a', 2],
      ['2 of $', 1],
    ]);
    expect(keys(closed(opened, '$.a'))).toEqual(keys(root));
    expect(closed(opened, '$.a').size).toBe(1);
  });

  it('are made in linear work for 100,000 children', () => {
    const opened = (count: number): OpenNodes => {
      const trail = [
        { count: 3, place: 1 },
        { count, place: count - 1 },
      ];
      return openedTo(root, ['list', count - 1], trail);
    };
    const many = opened(100_000);
    expect(keys(many)).toHaveLength(100_004);
    expect(keys(many)).toContain(slotKey('$.list', 99_999));
    const few = opened(6_250);
    expect(growth((count) => keys(count === 100_000 ? many : few), 100_000)).toBeLessThan(LINEAR);
  });

  it('come in ranges where a browser could not draw them all', () => {
    const trail = [{ count: MOST_FLAT + 1, place: MOST_FLAT }];
    const opened = openedTo(new Map(), [MOST_FLAT], trail);
    expect(keys(opened)).toHaveLength(1 + 3);
    const ranges = new Set(rangesTo([MOST_FLAT], trail));
    expect(keys(opened, ranges)).toEqual([
      '$',
      'from 0 of $',
      `from ${RANGE} of $`,
      `from ${2 * RANGE} of $`,
      `${MOST_FLAT} of $`,
    ]);
  });
});
