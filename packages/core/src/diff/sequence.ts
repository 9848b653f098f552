/** Indices of one longest increasing subsequence, ascending. O(n log n). */
export function longestIncreasing(values: readonly number[]): number[] {
  const tails: number[] = [];
  const previous = new Int32Array(values.length);
  for (const [index, value] of values.entries()) {
    // Most lists are in order, so the end is looked at first.
    const isLargest = tails.length === 0 || (values[tails[tails.length - 1] ?? 0] ?? 0) < value;
    let low = isLargest ? tails.length : 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[tails[middle] ?? 0] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    previous[index] = low > 0 ? (tails[low - 1] ?? -1) : -1;
    tails[low] = index;
  }
  const picked: number[] = [];
  for (let at = tails.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) picked.push(at);
  return picked.reverse();
}

/**
 * A longest common subsequence as pairs of indices, ascending; `undefined` when more than `limit` insertions and
 * deletions would be needed. Time O((n + m) d), memory O(d²). After Myers, "An O(ND) Difference Algorithm" (1986).
 * @example commonSubsequence([1, 2, 3], [2, 3, 4], 10) // [[1, 0], [2, 1]]
 */
export function commonSubsequence(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  limit: number,
): [number, number][] | undefined {
  const most = Math.min(limit, a.length + b.length);
  const reach = new Int32Array(2 * most + 3);
  const middle = most + 1;
  const trace: Int32Array[] = [];
  for (let d = 0; d <= most; d++) {
    trace.push(reach.slice(middle - d - 1, middle + d + 2));
    for (let k = -d; k <= d; k += 2) {
      let x = stepFrom(reach, middle, k, d);
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reach[middle + k] = x;
      if (x >= a.length && x - k >= b.length) return backtrack(trace, a.length, b.length);
    }
  }
  return undefined;
}

/** Furthest x on diagonal `k` after one more deletion (from k - 1) or insertion (from k + 1). */
function stepFrom(reach: Int32Array, middle: number, k: number, d: number): number {
  const deleted = reach[middle + k - 1] ?? 0;
  const inserted = reach[middle + k + 1] ?? 0;
  return k === -d || (k !== d && deleted < inserted) ? inserted : deleted + 1;
}

function backtrack(trace: readonly Int32Array[], lengthA: number, lengthB: number): [number, number][] {
  const pairs: [number, number][] = [];
  let x = lengthA;
  let y = lengthB;
  for (let d = trace.length - 1; d >= 0; d--) {
    // Each saved window spans diagonals -d-1 .. d+1 as they were before round d.
    const reach = trace[d] ?? new Int32Array();
    const k = x - y;
    const deleted = reach[d + k] ?? 0;
    const inserted = reach[d + k + 2] ?? 0;
    const isInsert = k === -d || (k !== d && deleted < inserted);
    const startX = d === 0 ? 0 : isInsert ? inserted : deleted + 1;
    while (x > startX) pairs.push([--x, --y]);
    if (isInsert) y--;
    else x--;
  }
  return pairs.reverse();
}
