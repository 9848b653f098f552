import { describe, expect, it } from 'vitest';
import { edgesIn, indexColumns, indexEdges, itemsIn } from './windowing.ts';

const cells = [
  { column: 0, lane: 0 },
  { column: 1, lane: 2 },
  { column: 1, lane: 0 },
  { column: 2, lane: 0 },
  { column: 1, lane: 9 },
];
const links = [
  { from: 0, to: 2 },
  { from: 0, to: 1 },
  { from: 0, to: 4 },
  { from: 2, to: 3 },
];
const index = indexColumns(cells, 3);
const range = (fromColumn: number, toColumn: number, fromLane: number, toLane: number) => ({
  fromColumn,
  toColumn,
  fromLane,
  toLane,
});

describe('itemsIn', () => {
  it('finds the items of a range by column and lane, in lane order', () => {
    expect(itemsIn(index, cells, range(1, 1, 0, 2), 10)).toEqual({ items: [2, 1], total: 2 });
    expect(itemsIn(index, cells, range(0, 2, 0, 0), 10).items).toEqual([0, 2, 3]);
  });

  it('takes ranges that reach outside the drawing', () => {
    expect(itemsIn(index, cells, range(-5, 99, -5, 99), 10).total).toBe(5);
    expect(itemsIn(index, cells, range(7, 9, 0, 9), 10)).toEqual({ items: [], total: 0 });
  });

  it('only counts when there are more than the limit', () => {
    expect(itemsIn(index, cells, range(0, 2, 0, 9), 4)).toEqual({ items: [], total: 5 });
    expect(itemsIn(index, cells, range(0, 2, 0, 9), 5).items).toHaveLength(5);
  });

  it('sees the same as looking at every item, whatever the window', () => {
    const many = Array.from({ length: 900 }, (_, at) => ({ column: (at * 7) % 41, lane: (at * 13) % 29 }));
    const sorted = indexColumns(many, 41);
    for (const [c0, c1, l0, l1] of [
      [0, 40, 0, 28],
      [3, 9, 4, 6],
      [10, 10, 0, 3],
      [38, 60, 20, 40],
    ] as const) {
      const all = many.flatMap((cell, at) =>
        cell.column >= c0 && cell.column <= c1 && cell.lane >= l0 && cell.lane <= l1 ? [at] : [],
      );
      expect([...itemsIn(sorted, many, range(c0, c1, l0, l1), 1e6).items].sort((a, b) => a - b)).toEqual(all);
    }
  });
});

describe('edgesIn', () => {
  const edges = indexEdges(cells, links);

  it('draws the edge into each shown item, also from a parent out of view', () => {
    expect(edgesIn(edges, cells, links, [3], range(2, 2, 0, 0))).toEqual([3]);
  });

  it('draws a line that only passes through on its way to another lane', () => {
    const shown = itemsIn(index, cells, range(0, 1, 5, 6), 10).items;
    expect(shown).toEqual([]);
    expect(edgesIn(edges, cells, links, shown, range(0, 1, 5, 6))).toEqual([2]);
  });

  it('keeps only the outermost edge of a parent as trunk', () => {
    const star = [{ column: 0, lane: 0 }, ...Array.from({ length: 500 }, (_, at) => ({ column: 1, lane: at }))];
    const spokes = star.slice(1).map((_, at) => ({ from: 0, to: at + 1 }));
    expect(indexEdges(star, spokes).trunks.get(0)).toEqual([499]);
  });
});
