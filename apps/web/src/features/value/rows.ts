/** The rows of a tree of which only the open containers and their counts are known. */
import {
  formatPath,
  parsePath,
  type Part,
  type PartChild,
  type Path,
  type ValueNote,
} from '@checkpoint-inspector/core';

/** More children than this are shown in ranges, so that the list stays as tall as a browser can draw. */
export const MOST_FLAT = 200_000;
export const RANGE = 100_000;

/** An open container. */
export interface OpenNode {
  readonly path: Path;
  readonly count: number;
  /** Where it is; the root is nowhere. */
  readonly parent?: string;
  readonly place: number;
}

/** By the text of their paths. */
export type OpenNodes = ReadonlyMap<string, OpenNode>;

interface Common {
  readonly key: string;
  readonly depth: number;
}

/** A child of an open container; what it is tells the page that holds it. */
export interface SlotRow extends Common {
  readonly kind: 'value';
  /** The text of the parent's path; absent for the root. */
  readonly parent?: string;
  readonly place: number;
  readonly open: boolean;
}

interface RangeRow extends Common {
  readonly kind: 'range';
  readonly parent: string;
  readonly from: number;
  readonly to: number;
  readonly open: boolean;
}

export type TreeRow = SlotRow | RangeRow;

export const slotKey = (parent: string | undefined, place: number): string =>
  parent === undefined ? '$' : `${place} of ${parent}`;
const rangeKey = (parent: string, from: number): string => `from ${from} of ${parent}`;

/**
 * @example rowsOf(new Map([['$', { path: [], count: 2, place: 0 }]]), new Set()).length // 3
 */
export function rowsOf(opened: OpenNodes, ranges: ReadonlySet<string>): TreeRow[] {
  const root = opened.get('$');
  const rows: TreeRow[] = [{ kind: 'value', key: '$', depth: 0, place: 0, open: root !== undefined }];
  if (root === undefined) return rows;
  const below = childrenByParent(opened);
  const stack: Iterator<TreeRow>[] = [childRows('$', root, 1, { below, ranges })];
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    const { done, value: row } = top.next();
    if (done === true) {
      stack.pop();
      continue;
    }
    rows.push(row);
    if (row.kind === 'range' || !row.open || row.parent === undefined) continue;
    const child = below.get(row.parent)?.get(row.place);
    if (child) stack.push(childRows(formatPath(child.path), child, row.depth + 1, { below, ranges }));
  }
  return rows;
}

type Below = ReadonlyMap<string, ReadonlyMap<number, OpenNode>>;

function childrenByParent(opened: OpenNodes): Below {
  const below = new Map<string, Map<number, OpenNode>>();
  for (const node of opened.values()) {
    if (node.parent === undefined) continue;
    const siblings = below.get(node.parent) ?? new Map<number, OpenNode>();
    below.set(node.parent, siblings.set(node.place, node));
  }
  return below;
}

interface Around {
  readonly below: Below;
  readonly ranges: ReadonlySet<string>;
}

function* childRows(parent: string, { count }: OpenNode, depth: number, { below, ranges }: Around): Generator<TreeRow> {
  const open = below.get(parent);
  const slot = (place: number, at: number): SlotRow => ({
    kind: 'value',
    key: slotKey(parent, place),
    depth: at,
    parent,
    place,
    open: open?.has(place) ?? false,
  });
  if (count <= MOST_FLAT) {
    for (let place = 0; place < count; place++) yield slot(place, depth);
    return;
  }
  for (let from = 0; from < count; from += RANGE) {
    const to = Math.min(from + RANGE, count);
    const key = rangeKey(parent, from);
    const isOpen = ranges.has(key);
    yield { kind: 'range', key, depth, parent, from, to, open: isOpen };
    if (!isOpen) continue;
    for (let place = from; place < to; place++) yield slot(place, depth + 1);
  }
}

/** The value of a row. */
export interface KnownRow {
  readonly path: Path;
  readonly note: ValueNote;
  readonly step?: string | number;
  /** The same key follows in this object: a path means that one. */
  readonly shadowed?: true;
}

export const knownChild = (parent: string, child: PartChild): KnownRow => ({
  path: [...parsePath(parent), child.step],
  note: child,
  step: child.step,
  ...(child.shadowed ? { shadowed: true } : {}),
});

/** True where a value has something to open. */
export const canOpen = (note: Pick<PartChild, 'count' | 'shadowed'>): boolean => Boolean(note.count) && !note.shadowed;

/** Containers right below the root with no more children are open from the start. */
const SMALL = 12;

export function firstOpened({ count = 0, children }: Part): OpenNodes {
  const opened = new Map<string, OpenNode>();
  if (children === undefined) return opened;
  opened.set('$', { path: [], count, place: 0 });
  for (const child of children)
    if (canOpen(child) && (child.count ?? 0) <= SMALL) opened.set(...openedChild('$', child));
  return opened;
}

/** A child of a container, to be opened. */
export function openedChild(parent: string, child: PartChild): readonly [string, OpenNode] {
  const path = [...parsePath(parent), child.step];
  return [formatPath(path), { path, count: child.count ?? 0, parent, place: child.place }];
}

/** The same containers in a state that was changed: counts and places again; without those that are gone. */
export function reopened(opened: OpenNodes, partAt: (path: string) => Part | undefined): OpenNodes {
  const next = new Map<string, OpenNode>();
  for (const [text, node] of opened) {
    const part = partAt(text);
    if (part?.count === undefined) continue;
    next.set(text, { ...node, count: part.count, place: part.trail.at(-1)?.place ?? 0 });
  }
  return next;
}

/** The same without a container and everything below it. */
export function closed(opened: OpenNodes, path: string): OpenNodes {
  const next = new Map(opened);
  const gone = [path];
  for (let one = gone.pop(); one !== undefined; one = gone.pop()) {
    next.delete(one);
    for (const [key, node] of next) if (node.parent === one) gone.push(key);
  }
  return next;
}

interface Way {
  readonly count: number;
  readonly place: number;
}

/** The containers on the way to a path, opened; `trail` tells the count of each and the place of the next. */
export function openedTo(opened: OpenNodes, path: Path, trail: readonly Way[]): OpenNodes {
  const next = new Map(opened);
  for (const [depth, { count }] of trail.entries()) {
    const here = path.slice(0, depth);
    const place = trail[depth - 1]?.place ?? 0;
    next.set(formatPath(here), {
      path: here,
      count,
      place,
      ...(depth === 0 ? {} : { parent: formatPath(path.slice(0, depth - 1)) }),
    });
  }
  return next;
}

/** The ranges that must be open for a path to be seen. */
export const rangesTo = (path: Path, trail: readonly Way[]): string[] =>
  trail.flatMap(({ count, place }, depth) =>
    count <= MOST_FLAT ? [] : [rangeKey(formatPath(path.slice(0, depth)), Math.floor(place / RANGE) * RANGE)],
  );
