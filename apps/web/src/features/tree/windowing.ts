/**
 * Which items and edges are near the viewport. Items are sorted by column and
 * lane once; a look-up then costs the columns in view, not the size of the tree.
 */
import type { Cell, CellRange } from './geometry.ts';

/** Item indexes, by column, then lane: `order[starts[c]] … order[starts[c + 1] - 1]` are in column c. */
export function indexColumns(items: readonly Cell[], columns: number) {
  const starts = new Int32Array(columns + 1);
  for (const item of items) starts[item.column + 1] = (starts[item.column + 1] ?? 0) + 1;
  for (let c = 0; c < columns; c++) starts[c + 1] = (starts[c + 1] ?? 0) + (starts[c] ?? 0);
  const next = starts.slice();
  const order = new Int32Array(items.length);
  items.forEach((item, index) => {
    const place = next[item.column] ?? 0;
    order[place] = index;
    next[item.column] = place + 1;
  });
  const laneOf = (index: number): number => items[index]?.lane ?? 0;
  for (let c = 0; c < columns; c++) sortSlice(order, starts[c] ?? 0, starts[c + 1] ?? 0, laneOf);
  return { order, starts, columns };
}

type WindowIndex = ReturnType<typeof indexColumns>;

/** Most columns hold one item, and most others are in order already. */
function sortSlice(order: Int32Array, from: number, to: number, laneOf: (index: number) => number): void {
  for (let i = from + 1; i < to; i++) {
    if (laneOf(order[i] ?? 0) >= laneOf(order[i - 1] ?? 0)) continue;
    order.subarray(from, to).sort((a, b) => laneOf(a) - laneOf(b));
    return;
  }
}

/** Items within the range. More than `limit`: only counted, because no one can read them. */
export function itemsIn(index: WindowIndex, items: readonly Cell[], range: CellRange, limit: number) {
  const slices: [number, number][] = [];
  let total = 0;
  const last = Math.min(range.toColumn, index.columns - 1);
  for (let c = Math.max(0, range.fromColumn); c <= last; c++) {
    const from = firstAt(index, items, c, range.fromLane);
    const to = firstAt(index, items, c, range.toLane + 1);
    if (to <= from) continue;
    total += to - from;
    if (total <= limit) slices.push([from, to]);
  }
  if (total > limit) return { items: [], total };
  return { items: slices.flatMap(([from, to]) => [...index.order.subarray(from, to)]), total };
}

/** First place in the column whose lane is at least `lane`. */
function firstAt(index: WindowIndex, items: readonly Cell[], column: number, lane: number): number {
  let low = index.starts[column] ?? 0;
  let high = index.starts[column + 1] ?? low;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((items[index.order[middle] ?? 0]?.lane ?? 0) < lane) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** An edge by the indexes of its items. */
export interface Link {
  readonly from: number;
  readonly to: number;
}

/**
 * `incoming`: edge index by child item, -1 for none. `trunks`: edges that span lanes, by the column of the parent: only
 * the outermost of each parent, both ways.
 */
export function indexEdges(items: readonly Cell[], links: readonly Link[]) {
  const incoming = new Int32Array(items.length).fill(-1);
  const outermost = new Map<number, { up?: number; down?: number }>();
  const laneOf = (item: number): number => items[item]?.lane ?? 0;
  links.forEach((link, edge) => {
    incoming[link.to] = edge;
    const step = laneOf(link.to) - laneOf(link.from);
    if (step === 0) return;
    const side = step < 0 ? 'up' : 'down';
    const seen = outermost.get(link.from) ?? {};
    const other = seen[side] === undefined ? undefined : links[seen[side]];
    if (other && Math.abs(laneOf(other.to) - laneOf(link.from)) >= Math.abs(step)) return;
    outermost.set(link.from, { ...seen, [side]: edge });
  });
  const trunks = new Map<number, number[]>();
  for (const [parent, sides] of outermost) {
    const column = items[parent]?.column ?? 0;
    const edges = [sides.up, sides.down].filter((edge) => edge !== undefined);
    trunks.set(column, [...(trunks.get(column) ?? []), ...edges]);
  }
  return { incoming, trunks };
}

/** Edges into shown items, and edges that only pass through the range on their way to another lane. */
export function edgesIn(
  index: ReturnType<typeof indexEdges>,
  items: readonly Cell[],
  links: readonly Link[],
  shown: readonly number[],
  range: CellRange,
): number[] {
  const edges = new Set<number>();
  for (const item of shown) {
    const edge = index.incoming[item] ?? -1;
    if (edge >= 0) edges.add(edge);
  }
  for (let c = range.fromColumn; c <= range.toColumn; c++) {
    for (const edge of index.trunks.get(c) ?? []) {
      const link = links[edge];
      if (link === undefined) continue;
      const a = items[link.from]?.lane ?? 0;
      const b = items[link.to]?.lane ?? 0;
      if (Math.min(a, b) <= range.toLane && Math.max(a, b) >= range.fromLane) edges.add(edge);
    }
  }
  return [...edges];
}
