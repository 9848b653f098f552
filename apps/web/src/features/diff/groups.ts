/** Differences as rows on the screen: grouped by the first step of their path. */
import {
  type Difference,
  formatPath,
  InspectorError,
  type JsonNode,
  parseJson,
  parsePath,
  type Path,
  sourceOf,
} from '@checkpoint-inspector/core';
import { grouped } from '../../lib/hooks.ts';
import { ranked, rankedOrder } from './ranking.ts';
import type { Level } from '../value/levels.ts';

export interface ChangeRow {
  readonly kind: 'change';
  readonly item: Difference;
  /** The path below the group's head. */
  readonly label: string;
}

export interface GroupRow {
  readonly kind: 'group';
  readonly name: string;
  readonly changes: number;
  readonly open: boolean;
}

/** A value that is the same on both sides; shown when all values are asked for. */
export interface EqualRow {
  readonly kind: 'equal';
  readonly path: string;
  readonly label: string;
  readonly text: string;
}

export type Row = GroupRow | ChangeRow | EqualRow;

export interface Group {
  readonly name: string;
  readonly items: readonly Difference[];
}

/** The group of scalars that are at the top of the state. */
export const TOP = 'top level';

/** A path that core cannot parse (from another version) stays whole. */
export function stepsOf(path: string): Path {
  try {
    return parsePath(path);
  } catch (error) {
    if (InspectorError.is(error)) return [path];
    throw error;
  }
}

/** The group is the first step; a change of a whole top value is under `TOP`. */
export function groupName(path: string): string {
  const steps = stepsOf(path);
  const [first] = steps;
  return steps.length < 2 || first === undefined ? TOP : relative([first]);
}

/** In the order in which the groups first come up. */
export function groupDifferences(items: readonly Difference[]): Group[] {
  const groups = grouped(items, ({ path }) => groupName(path));
  return [...groups].map(([name, list]) => ({ name, items: list }));
}

/** A path without `$` and its first dot. @example relative(['a', 0]) // 'a[0]' */
export function relative(path: Path): string {
  const text = formatPath(path);
  return text === '$' ? '$' : text.slice(text.startsWith('$.') ? 2 : 1);
}

/** The label of a row inside its group; a move shows both places. */
export function labelOf(item: Pick<Difference, 'path' | 'kind' | 'from'>): string {
  const own = below(item.path);
  return item.kind === 'moved' && item.from !== undefined ? `${below(item.from)} → ${own}` : own;
}

function below(path: string): string {
  const steps = stepsOf(path);
  return relative(steps.length > 1 ? steps.slice(1) : steps);
}

/** What the filter looks through: path and both values. */
export function matchesFilter(item: Difference, filter: string): boolean {
  const wanted = filter.toLowerCase();
  return [item.path, item.from, item.before, item.after].some((text) => text?.toLowerCase().includes(wanted));
}

/** Heads and rows as one list; rows of closed groups are left out. */
export function changeRows(items: readonly Difference[], closed: ReadonlySet<string>): Row[] {
  return groupDifferences(items).flatMap((group): Row[] => {
    const open = !closed.has(group.name);
    const head: GroupRow = { kind: 'group', name: group.name, changes: group.items.length, open };
    return open
      ? [head, ...group.items.map((item): ChangeRow => ({ kind: 'change', item, label: labelOf(item) }))]
      : [head];
  });
}

/** Without heads, in the order of what they tell; each with its whole path. */
export function rankedRows(items: readonly Difference[], isUnfolded: boolean): ChangeRow[] {
  return (isUnfolded ? rankedOrder(items) : ranked(items).ranked).map((item) => ({
    kind: 'change',
    item,
    label: relative(stepsOf(item.path)),
  }));
}

/** The groups of a flat list are one level. */
export const groupLevels = (
  rows: readonly { readonly kind: string; readonly name?: string; readonly open?: boolean }[],
): Level[] =>
  rows.flatMap(({ kind, name, open }) =>
    kind === 'group' && name !== undefined && open !== undefined ? [{ name, open, depth: 0, beside: '' }] : [],
  );

// The whole state with its changes in place: for "only changes" off.

/** Beyond this a state is better read in the State tab. */
export const ALL_ROWS_LIMIT = 20_000;

interface Leaf {
  readonly path: Path;
  readonly node: JsonNode;
}

/** Scalars and empty containers, in the order of the text. */
function* leaves(node: JsonNode, path: Path): Generator<Leaf> {
  const stack: Leaf[] = [{ node, path }];
  for (let top = stack.pop(); top; top = stack.pop()) {
    const { node: at, path: here } = top;
    if (at.kind === 'object' && at.members.length > 0) {
      for (const member of at.members.toReversed()) stack.push({ node: member.value, path: [...here, member.key] });
    } else if (at.kind === 'array' && at.items.length > 0) {
      for (let index = at.items.length - 1; index >= 0; index--) {
        const item = at.items[index];
        if (item) stack.push({ node: item, path: [...here, index] });
      }
    } else yield top;
  }
}

/**
 * Rows for every leaf of the new state, differences instead of the leaves they
 * cover, removed values at the end of their group. `cut` where the state has
 * more values than `ALL_ROWS_LIMIT`; the differences are all there in any case.
 */
export function allRows(
  text: string,
  items: readonly Difference[],
  closed: ReadonlySet<string>,
): { readonly rows: readonly Row[]; readonly cut: boolean } {
  const byGroup = new Map<string, (ChangeRow | EqualRow)[]>();
  const add = (name: string, row: ChangeRow | EqualRow): void => {
    const rows = byGroup.get(name);
    if (rows) rows.push(row);
    else byGroup.set(name, [row]);
  };
  const changes = new Map(items.filter((item) => item.kind !== 'removed').map((item) => [item.path, item]));
  const shown = new Set<Difference>();
  let count = 0;
  for (const { path, node } of leaves(parseJson(text), [])) {
    if (++count > ALL_ROWS_LIMIT) break;
    const change = coveringChange(path, changes);
    const own = formatPath(path);
    if (change === undefined)
      add(groupName(own), {
        kind: 'equal',
        path: own,
        label: labelOf({ path: own, kind: 'changed' }),
        text: sourceOf(text, node),
      });
    else if (!shown.has(change)) {
      shown.add(change);
      add(groupName(change.path), { kind: 'change', item: change, label: labelOf(change) });
    }
  }
  for (const item of items) {
    if (!shown.has(item)) add(groupName(item.path), { kind: 'change', item, label: labelOf(item) });
  }
  const rows = [...byGroup].flatMap(([name, group]): Row[] => {
    const open = !closed.has(name);
    const changes = group.filter((row) => row.kind === 'change').length;
    return [{ kind: 'group', name, changes, open }, ...(open ? group : [])];
  });
  return { rows, cut: count > ALL_ROWS_LIMIT };
}

/** The change at this path or at one above it. */
function coveringChange(path: Path, changes: ReadonlyMap<string, Difference>): Difference | undefined {
  for (let length = path.length; length >= 0; length--) {
    const change = changes.get(formatPath(path.slice(0, length)));
    // A moved element may hold unchanged values; only the element itself is the change.
    if (change && (change.kind !== 'moved' || length === path.length)) return change;
  }
  return undefined;
}
