/** Which sibling lanes share a row: those with one value of what differs, those that are alike, those that are too many. */
import type { CheckpointStatus, ForkTree } from '@checkpoint-inspector/core';
import type { LaneInfo } from './book.ts';

export interface Bundle {
  readonly key: string;
  readonly lanes: readonly LaneInfo[];
  /** The value that all of them have, where that is what they share. */
  readonly path?: string;
  readonly name?: string;
  readonly value?: string;
  /** What is told of the rest: alike, or just more. */
  readonly more: boolean;
}

interface BundleOptions {
  readonly grouped: boolean;
  readonly folded: boolean;
  /** Paths by which the lanes are grouped already. */
  readonly said: readonly string[];
  readonly tree: ForkTree;
  /** Lanes that are never hidden: the way to the selection. */
  readonly keep: ReadonlySet<number>;
}

const FEWEST_GROUPED = 8;
const FEWEST_FOLDED = 4;
/** Of lanes that are alike, so many are shown beside the fold. */
const BEST = 3;
/** Of a group's lanes, so many are listed at once. */
const LISTED = 8;

/** Which rows so many lanes from one checkpoint make depends on what differs; fewer are listed one by one in any case. */
export const couldShare = (lanes: readonly LaneInfo[], { folded }: Pick<BundleOptions, 'folded'>): boolean =>
  folded && lanes.length >= BEST + FEWEST_FOLDED;

/** Sorted siblings as rows: lanes, and bundles of them. Every lane is in exactly one. */
export function bundles(lanes: readonly LaneInfo[], options: BundleOptions): (LaneInfo | Bundle)[] {
  if (options.grouped && lanes.length >= FEWEST_GROUPED) {
    const groups = groupsOf(lanes, options.said);
    if (groups) return groups;
  }
  if (!options.folded) return [...lanes];
  const rows = foldAlike(lanes, options);
  if (!options.grouped || rows.length <= LISTED + 1) return rows;
  const singles = rows.filter((row): row is LaneInfo => !('lanes' in row));
  const rest = singles.slice(LISTED).filter(({ lane }) => !options.keep.has(lane.ordinal));
  if (rest.length < FEWEST_FOLDED) return rows;
  const folds = rows.filter((row) => 'lanes' in row);
  return [...singles.filter((one) => !rest.includes(one)), ...folds, { key: 'more', lanes: rest, more: true }];
}

interface Candidate {
  readonly path: string;
  readonly name: string;
  readonly groups: ReadonlyMap<string, LaneInfo[]>;
  /** How far up it is among the differences, on average. */
  readonly rank: number;
}

/** The value by which they fall into the fewest groups: what differs first, as in a sweep over several values. */
function groupsOf(lanes: readonly LaneInfo[], said: readonly string[]): (LaneInfo | Bundle)[] | undefined {
  const [best] = candidates(lanes, said)
    .filter(({ groups }) => groups.size > 1 && groups.size <= lanes.length / 2)
    .sort((a, b) => a.groups.size - b.groups.size || a.rank - b.rank);
  if (!best) return undefined;
  return [...best.groups].map(([value, members]): LaneInfo | Bundle => {
    const [only] = members;
    if (members.length === 1 && only) return only;
    return { key: `${best.path}=${value}`, lanes: members, path: best.path, name: best.name, value, more: false };
  });
}

function candidates(lanes: readonly LaneInfo[], said: readonly string[]): Candidate[] {
  const found = new Map<string, { name: string; before: string | undefined; ranks: number; count: number }>();
  for (const { differences } of lanes) {
    differences.forEach(({ path, key, before }, rank) => {
      if (said.includes(path)) return;
      const known = found.get(path) ?? { name: key, before, ranks: 0, count: 0 };
      found.set(path, { ...known, ranks: known.ranks + rank, count: known.count + 1 });
    });
  }
  return [...found]
    .filter(([, { count }]) => count * 2 >= lanes.length)
    .map(([path, { name, before, ranks, count }]) => ({
      path,
      name,
      rank: ranks / count,
      // A lane whose value does not differ has the one of the lane that all of them fork from.
      groups: groupBy(lanes, (info) => valueAt(info, path, before)),
    }));
}

function valueAt({ differences }: LaneInfo, path: string, otherwise = 'absent'): string {
  const found = differences.find((one) => one.path === path);
  return found ? (found.value ?? 'absent') : otherwise;
}

/** Four or more that nothing hangs on, with equal length, names of steps and differing value: the best few and the rest. */
function foldAlike(lanes: readonly LaneInfo[], { tree, keep }: BundleOptions): (LaneInfo | Bundle)[] {
  const forms = groupBy(lanes, (info) => formOf(info, tree));
  const hidden = new Map<LaneInfo, Bundle>();
  for (const [form, alike] of forms) {
    const rest = alike.slice(BEST).filter(({ lane }) => !keep.has(lane.ordinal));
    if (form === '' || rest.length < FEWEST_FOLDED) continue;
    const bundle: Bundle = { key: `alike ${form}`, lanes: rest, more: false, ...nameOf(rest) };
    for (const info of rest) hidden.set(info, bundle);
  }
  const shown = lanes.filter((info) => !hidden.has(info));
  return [...shown, ...new Set(hidden.values())];
}

function formOf({ lane, children, differences }: LaneInfo, tree: ForkTree): string {
  if (children.length > 0) return '';
  const steps = lane.nodes.map((node) => withoutNumbers(tree.nodes[node]?.row?.description));
  return JSON.stringify([lane.steps, differences[0]?.path, steps]);
}

const withoutNumbers = (text = ''): string => text.replace(/\d+/g, 'N');

/** What they all differ in; the values are in the rows. */
function nameOf([first]: readonly LaneInfo[]): { name?: string } {
  const difference = first?.differences[0];
  return difference ? { name: difference.key } : {};
}

/** @example '8 completed, 3 failed' */
export function outcomes(lanes: readonly LaneInfo[]): readonly (readonly [CheckpointStatus, number])[] {
  const counts = new Map<CheckpointStatus, number>();
  for (const { lane } of lanes) counts.set(lane.status, (counts.get(lane.status) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
