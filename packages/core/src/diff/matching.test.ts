import { describe, expect, it } from 'vitest';
import { matchClasses, Matching } from './matching.ts';

function match(
  before: readonly number[],
  after: readonly number[],
): { from: number[]; moved: number[]; removed: number[] } {
  const matching = new Matching(before.length, after.length);
  matchClasses(before, after, matching);
  return { from: [...matching.from], moved: [...matching.moved], removed: matching.removed() };
}

describe('matchClasses', () => {
  it.each([
    { before: [1, 2, 3], after: [3, 1, 2], from: [2, 0, 1], moved: [0], removed: [] },
    { before: [1, 2, 3], after: [9, 3], from: [-1, 2], moved: [], removed: [0, 1] },
    { before: [1, 2, 1, 3], after: [2, 1, 3, 4], from: [1, 2, 3, -1], moved: [], removed: [0] },
    { before: [1, 1, 2], after: [2, 1, 1], from: [2, 0, 1], moved: [0], removed: [] },
    { before: [1, 1, 2, 2, 2], after: [2, 2, 2, 1, 1], from: [2, 3, 4, 0, 1], moved: [3, 4], removed: [] },
    { before: [], after: [1], from: [-1], moved: [], removed: [] },
  ])('$before to $after', ({ before, after, ...expected }) => {
    expect(match(before, after)).toEqual(expected);
  });

  it('stays complete where too much is out of order for an exact search', () => {
    const before = Array.from({ length: 3_000 }, (_, i) => i % 1_500);
    const { from, moved, removed } = match(before, before.toReversed());
    expect(removed).toEqual([]);
    expect(new Set(from).size).toBe(3_000);
    expect(moved.length).toBeLessThan(3_000);
  });
});

describe('pairGaps', () => {
  it('pairs free elements between two that stayed, never across them', () => {
    const matching = new Matching(5, 5);
    matching.pair(2, 1);
    matching.pairGaps(
      (i) => i !== 3,
      () => true,
    );
    expect([...matching.from]).toEqual([0, 2, 4, -1, -1]);
    expect(matching.removed()).toEqual([1, 3]);
  });

  it('steps over moved elements', () => {
    const matching = new Matching(3, 3);
    matching.pair(0, 2);
    matching.moved.add(2);
    matching.pairGaps(
      () => true,
      () => true,
    );
    expect([...matching.from]).toEqual([1, 2, 0]);
  });
});
