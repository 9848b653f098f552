/** Differences as rows on the screen: grouped by the first step of their path. */
import { formatPath, InspectorError, parsePath, type Difference, type Path } from '@checkpoint-inspector/core';
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

/** The group of scalars that stand at the top of the state. */
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

/** The group is the first step; a change of a whole top value stands under `TOP`. */
export function groupName(path: string): string {
  const steps = stepsOf(path);
  const [first] = steps;
  return steps.length < 2 || first === undefined ? TOP : relative([first]);
}

/** In the order in which the groups first come up. */
export function groupDifferences(items: readonly Difference[]): Group[] {
  const groups = new Map<string, Difference[]>();
  for (const item of items) {
    const name = groupName(item.path);
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
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

/** The groups of a flat list are one level. */
export const groupLevels = (
  rows: readonly { readonly kind: string; readonly name?: string; readonly open?: boolean }[],
): Level[] =>
  rows.flatMap(({ kind, name, open }) =>
    kind === 'group' && name !== undefined && open !== undefined ? [{ name, open, depth: 0, beside: '' }] : [],
  );
