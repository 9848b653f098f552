import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commonSubsequence, longestIncreasing } from './sequence.ts';

describe('longestIncreasing', () => {
  it.each([
    [[], []],
    [[5], [0]],
    [
      [3, 1, 2],
      [1, 2],
    ],
    [
      [1, 2, 3, 0],
      [0, 1, 2],
    ],
    [[4, 3, 2, 1], [3]],
  ])('of %j is at %j', (values, indices) => {
    expect(longestIncreasing(values)).toEqual(indices);
  });

  it('is as long as the quadratic method finds', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(50), { maxLength: 25 }), (values) => {
        const best: number[] = [];
        for (const [i, value] of values.entries()) {
          const before = values.slice(0, i).map((other, j) => (other < value ? (best[j] ?? 0) : 0));
          best.push(1 + Math.max(0, ...before));
        }
        const picked = longestIncreasing(values).map((index) => values[index] ?? 0);
        expect(picked).toHaveLength(Math.max(0, ...best));
        expect(picked).toEqual(picked.toSorted((a, b) => a - b));
      }),
    );
  });
});

describe('commonSubsequence', () => {
  it('is as long as the quadratic method finds, and common', () => {
    const list = fc.array(fc.nat(4), { maxLength: 15 });
    fc.assert(
      fc.property(list, list, (a, b) => {
        const pairs = commonSubsequence(a, b, 100) ?? [];
        expect(pairs).toHaveLength(lcsLength(a, b));
        for (const [nth, [x, y]] of pairs.entries()) {
          expect(a[x]).toBe(b[y]);
          const [lastX, lastY] = pairs[nth - 1] ?? [-1, -1];
          expect(x > lastX && y > lastY).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('gives up past the limit', () => {
    expect(commonSubsequence([1, 2], [3, 4], 3)).toBeUndefined();
    expect(commonSubsequence([1, 2], [3, 4], 4)).toEqual([]);
  });
});

function lcsLength(a: readonly number[], b: readonly number[]): number {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const x of a) {
    const next = [0];
    for (const [j, y] of b.entries()) next.push(x === y ? (row[j] ?? 0) + 1 : Math.max(row[j + 1] ?? 0, next[j] ?? 0));
    row = next;
  }
  return row.at(-1) ?? 0;
}
