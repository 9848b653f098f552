/** Whether two steps did the same. */
import { noiseOf } from '../diff/noise.ts';
import type { Difference } from '../diff/types.ts';
import { equalJson } from '../json/equal.ts';

/**
 * How many of the values that either of two steps changed they left different, or moved from different places.
 * @example const { differ, of }: ChangesCompared = compareChanges(a, b); differ === 0 // both did the same
 */
export interface ChangesCompared {
  readonly differ: number;
  readonly of: number;
}

/** False for a clock that went on: two runs never have the same. */
export const tells = (item: Difference): boolean => noiseOf(item) !== 'clock';

/**
 * Compares what two steps changed, by where and to what; what was there before may differ.
 * @example compareChanges(diffJson('{"n":1}', '{"n":2}').items, diffJson('{"n":0}', '{"n":2}').items) // { differ: 0, of: 1 }
 */
export function compareChanges(a: readonly Difference[], b: readonly Difference[]): ChangesCompared {
  const [left, right] = [byPlace(a), byPlace(b)];
  const places = new Set([...left.keys(), ...right.keys()]);
  const differ = [...places].filter((place) => !isSame(left.get(place), right.get(place)));
  return { differ: differ.length, of: places.size };
}

const byPlace = (items: readonly Difference[]): ReadonlyMap<string, Difference> =>
  new Map(items.filter(tells).map((item) => [item.kind === 'moved' ? `moved ${item.path}` : item.path, item]));

function isSame(a: Difference | undefined, b: Difference | undefined): boolean {
  if (a === undefined || b === undefined || a.from !== b.from) return false;
  if (a.after === undefined || b.after === undefined) return a.after === b.after;
  return isClock(a.after, b.after) || equalJson(a.after, b.after);
}

/** Two times at which two runs passed the same step. */
const isClock = (before: string, after: string): boolean =>
  [
    [before, after],
    [after, before],
  ].some(([from = '', to = '']) => noiseOf({ path: '$', kind: 'changed', before: from, after: to }) === 'clock');
