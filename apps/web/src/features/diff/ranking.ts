import { type Difference, leafStart, rankDiff, type RankedDiff } from '@checkpoint-inspector/core';
import type { Suspect } from '../../lib/api.ts';

const ranks = new WeakMap<readonly Difference[], RankedDiff>();

/** The rows by what they tell, worked out once for a list of them. */
export function ranked(items: readonly Difference[]): RankedDiff {
  const rank = ranks.get(items) ?? rankDiff({ items });
  ranks.set(items, rank);
  return rank;
}

/** A value that is suspected to be the cause of a failure. */
export type Suspected = Pick<Suspect, 'path'>;
const NONE: readonly Suspected[] = [];

/** Rows that contain a suspected value come first, in the order of the suspects; the folded ones are not among them. */
export function suspectsFirst(
  items: readonly Difference[],
  suspects: readonly Suspected[] = NONE,
): readonly Difference[] {
  const { ranked: rows } = ranked(items);
  const first = new Set(suspects.flatMap(({ path }) => rows[nearest(rows, path, (item) => item.path)] ?? []));
  return first.size === 0 ? rows : [...first, ...rows.filter((item) => !first.has(item))];
}

/** The row that is looked at first. */
export const firstChange = (
  items: readonly Difference[] | undefined,
  suspects?: readonly Suspected[],
): Difference | undefined => items && suspectsFirst(items, suspects)[0];

/** Every row, the folded ones last. */
export function rankedOrder(items: readonly Difference[], suspects?: readonly Suspected[]): Difference[] {
  return [...suspectsFirst(items, suspects), ...ranked(items).folded.map(({ item }) => item)];
}

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
