import { type Difference, leafStart, rankDiff, type RankedDiff } from '@checkpoint-inspector/core';

const ranks = new WeakMap<readonly Difference[], RankedDiff>();

/** The rows by what they tell, worked out once for a list of them. */
export function ranked(items: readonly Difference[]): RankedDiff {
  const rank = ranks.get(items) ?? rankDiff({ items });
  ranks.set(items, rank);
  return rank;
}

/** The row that is looked at first. */
export const firstChange = (items: readonly Difference[] | undefined): Difference | undefined =>
  items && ranked(items).ranked[0];

/** Every row, the folded ones last. */
export const rankedOrder = (items: readonly Difference[]): Difference[] => [
  ...ranked(items).ranked,
  ...ranked(items).folded.map(({ item }) => item),
];

const isBelow = (path: string, container: string): boolean =>
  path.startsWith(container) && /^[.[]/.test(path.slice(container.length));

/**
 * The row of a path: its own, else the closest that covers it, else the first below it.
 * @example nearest(['$.a', '$.b.c'], '$.a.x', (path) => path) // 0
 */
export function nearest<T>(rows: readonly T[], path: string, pathOf: (row: T) => string | undefined): number {
  let covering = -1;
  let covered = -1;
  let below = -1;
  for (const [index, row] of rows.entries()) {
    const own = pathOf(row);
    if (own === undefined) continue;
    if (own === path) return index;
    if (own.length > covered && isBelow(path, own)) [covering, covered] = [index, own.length];
    if (below < 0 && isBelow(own, path)) below = index;
  }
  return covering >= 0 ? covering : below;
}

/** A path in two parts: where it is, and its last name with the places in lists behind it. */
export function splitPath(path: string): readonly [prefix: string, leaf: string] {
  const at = leafStart(path);
  return [path.slice(0, at), path.slice(at)];
}
