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
export function rankedOrder(items: readonly Difference[]): Difference[] {
  const { ranked: first, folded } = ranked(items);
  return [...first, ...folded.map(({ item }) => item)];
}

/** A path in two parts: where it is, and its last name with the places in lists behind it. */
export function splitPath(path: string): readonly [prefix: string, leaf: string] {
  const at = leafStart(path);
  return [path.slice(0, at), path.slice(at)];
}
