import { commonSubsequence, longestIncreasing } from './sequence.ts';

/** More edits than this are not worth an exact search: what stays is then chosen by order of occurrence. */
const EDIT_LIMIT = 1_000;

/** Which old element is which new one; grows while it is searched. */
export class Matching {
  /** Old index per new one, -1 for none. */
  readonly from: Int32Array;
  /** New index per old one, -1 for none. */
  readonly to: Int32Array;
  /** New indices whose element left its place in the order. */
  readonly moved = new Set<number>();

  constructor(countBefore: number, countAfter: number) {
    this.from = new Int32Array(countAfter).fill(-1);
    this.to = new Int32Array(countBefore).fill(-1);
  }

  pair(i: number, j: number): void {
    this.to[i] = j;
    this.from[j] = i;
  }

  isSame({ from, moved }: Matching): boolean {
    return from.every((i, j) => i === this.from[j] && moved.has(j) === this.moved.has(j));
  }

  /** Old indices without a partner, ascending. */
  removed(): number[] {
    const removed: number[] = [];
    for (const [i, j] of this.to.entries()) if (j === NONE) removed.push(i);
    return removed;
  }

  /** Between two elements that stayed, pairs the free ones of both sides in order: changed in place, not replaced. */
  pairGaps(isFreeBefore: (i: number) => boolean, isFreeAfter: (j: number) => boolean): void {
    let i = 0;
    let j = 0;
    while (i < this.to.length && j < this.from.length) {
      const to = this.to[i] ?? -1;
      const from = this.from[j] ?? -1;
      const oldStays = to >= 0 && !this.moved.has(to);
      const newStays = from >= 0 && !this.moved.has(j);
      if (oldStays && newStays) {
        i++;
        j++;
      } else if (!oldStays && (to >= 0 || !isFreeBefore(i))) i++;
      else if (!newStays && (from >= 0 || !isFreeAfter(j))) j++;
      else if (oldStays) j++;
      else if (newStays) i++;
      else this.pair(i++, j++);
    }
  }
}

/** Pairs elements of the same class (numbers from 0 on, one for each element); those outside a long common order are moved. */
export function matchClasses(before: readonly number[], after: readonly number[], matching: Matching): void {
  const rest = onlyPairs(before, after) ?? otherPairs(before, after, matching);
  for (const [i, j] of rest.pairs) matching.pair(i, j);
  const inOrder = rest.areOrdered ? longestIncreasing(rest.pairs.map(([, j]) => j)) : [];
  let next = 0;
  for (const [index, [, j]] of rest.pairs.entries()) {
    if (inOrder[next] === index) next++;
    else matching.moved.add(j);
  }
  keepFixed(matching);
}

/** Pairs of an old index and a new one, by old index. */
interface Pairs {
  readonly pairs: readonly (readonly [old: number, now: number])[];
  /** Whether some of them may have stayed in their order. */
  readonly areOrdered: boolean;
}

/** Where no class is there twice on one side. */
function onlyPairs(before: readonly number[], after: readonly number[]): Pairs | undefined {
  const places = placesOf(after);
  if (places === undefined || placesOf(before) === undefined) return undefined;
  const pairs: [number, number][] = [];
  for (const [i, name] of before.entries()) {
    const j = places[name] ?? NONE;
    if (j !== NONE) pairs.push([i, j]);
  }
  return { pairs, areOrdered: true };
}

const NONE = -1;

/** Where each class is; nothing where one is there twice. */
function placesOf(names: readonly number[]): Int32Array | undefined {
  const places = new Int32Array(names.reduce((most, name) => Math.max(most, name), 0) + 1).fill(NONE);
  for (const [at, name] of names.entries()) {
    if (places[name] !== NONE) return undefined;
    places[name] = at;
  }
  return places;
}

/** Those that are left once the longest common order, if it was found, has been paired. */
function otherPairs(before: readonly number[], after: readonly number[], matching: Matching): Pairs {
  const inBefore = new Set(before);
  const inAfter = new Set(after);
  const sharedBefore = Array.from(before.keys()).filter((i) => inAfter.has(before[i] ?? -1));
  const sharedAfter = Array.from(after.keys()).filter((j) => inBefore.has(after[j] ?? -1));
  const stayed = commonOrder(before, sharedBefore, after, sharedAfter);
  for (const [i, j] of stayed ?? []) matching.pair(i, j);
  const pairs = pairByOccurrence(
    sharedBefore.filter((i) => matching.to[i] === -1).map((index) => ({ index, name: before[index] ?? -1 })),
    sharedAfter.filter((j) => matching.from[j] === -1).map((index) => ({ index, name: after[index] ?? -1 })),
  );
  return { pairs, areOrdered: stayed === undefined };
}

/** What stays at its very place has not moved: where one counts as moved, the order is kept around all of these. */
function keepFixed(matching: Matching): void {
  if (![...matching.moved].some((j) => matching.from[j] === j)) return;
  matching.moved.clear();
  let gap: number[] = [];
  let start = -1;
  const closeGap = (end: number): void => {
    const inside = gap.filter((j) => isBetween(matching.from[j] ?? -1, start, end));
    const kept = new Set(longestIncreasing(inside.map((j) => matching.from[j] ?? -1)).map((at) => inside[at]));
    for (const j of gap) if (!kept.has(j)) matching.moved.add(j);
    gap = [];
    start = end;
  };
  for (const [j, from] of matching.from.entries()) {
    if (from === j) closeGap(j);
    else if (from >= 0) gap.push(j);
  }
  closeGap(Infinity);
}

function isBetween(value: number, start: number, end: number): boolean {
  return value > start && value < end;
}

/** The longest common order of the named elements, if few enough are out of it. */
function commonOrder(
  before: readonly number[],
  indicesBefore: readonly number[],
  after: readonly number[],
  indicesAfter: readonly number[],
): [number, number][] | undefined {
  const pairs = commonSubsequence(
    indicesBefore.map((i) => before[i] ?? -1),
    indicesAfter.map((j) => after[j] ?? -1),
    EDIT_LIMIT,
  );
  return pairs?.map(([x, y]) => [indicesBefore[x] ?? -1, indicesAfter[y] ?? -1]);
}

/** The n-th element of a class with the n-th on the other side, by old index. */
function pairByOccurrence(
  before: readonly { index: number; name: number }[],
  after: readonly { index: number; name: number }[],
): [number, number][] {
  const waiting = new Map<number, number[]>();
  for (const { index, name } of after.toReversed()) {
    const queue = waiting.get(name);
    if (queue) queue.push(index);
    else waiting.set(name, [index]);
  }
  return before.flatMap(({ index, name }): [number, number][] => {
    const partner = waiting.get(name)?.pop();
    return partner === undefined ? [] : [[index, partner]];
  });
}
