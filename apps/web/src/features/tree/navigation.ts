/** Where a key leads in the drawing: along the edges, and from lane to lane. */
import { childrenOf, type TreeView } from './view-tree.ts';

export type Direction = 'left' | 'right' | 'up' | 'down';

/** The item that an arrow leads to, or the same one at the rim. */
export function neighbour(view: TreeView, item: number, direction: Direction): number {
  switch (direction) {
    case 'left':
      return parentOr(view, item);
    case 'right':
      return childOr(view, item);
    default:
      return acrossOr(view, item, direction);
  }
}

function parentOr(view: TreeView, item: number): number {
  const parent = view.parentOf[item] ?? -1;
  return parent < 0 ? item : parent;
}

/** The child in the own lane, else the nearest one. */
function childOr(view: TreeView, item: number): number {
  const lane = view.items[item]?.lane ?? 0;
  const distance = (child: number): number => Math.abs((view.items[child]?.lane ?? 0) - lane);
  const [first, ...rest] = childrenOf(view, item);
  return first === undefined
    ? item
    : rest.reduce((best, child) => (distance(child) < distance(best) ? child : best), first);
}

/** The next item above or below in the own column; else the nearest one in the next lane that has any. */
function acrossOr(view: TreeView, item: number, direction: 'up' | 'down'): number {
  const here = view.items[item];
  if (here === undefined) return item;
  const step = direction === 'up' ? -1 : 1;
  let best = item;
  let bestCost = Number.POSITIVE_INFINITY;
  for (let away = 0; away < view.columns; away++) {
    // A farther column only pays while its distance alone is less than the best so far.
    if (away >= bestCost) break;
    for (const column of away === 0 ? [here.column] : [here.column - away, here.column + away]) {
      const found = nextInColumn(view, column, here.lane, step);
      if (found === undefined) continue;
      const cost = away + Math.abs((view.items[found]?.lane ?? 0) - here.lane) * 0.5;
      if (cost < bestCost) [best, bestCost] = [found, cost];
    }
  }
  return best;
}

function nextInColumn(view: TreeView, column: number, lane: number, step: 1 | -1): number | undefined {
  const from = view.window.starts[column];
  const to = view.window.starts[column + 1];
  if (from === undefined || to === undefined) return undefined;
  const members = view.window.order.subarray(from, to);
  const laneAt = (at: number): number => view.items[members[at] ?? 0]?.lane ?? 0;
  let low = 0;
  let high = members.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (laneAt(middle) < (step > 0 ? lane + 1 : lane)) low = middle + 1;
    else high = middle;
  }
  return members[step > 0 ? low : low - 1];
}

/** The next of these nodes after (or before) the given one in save order; begins again at the end. */
export function nextOf(nodes: readonly number[], from: number | undefined, step: 1 | -1): number | undefined {
  if (nodes.length === 0) return undefined;
  if (from === undefined) return step > 0 ? nodes[0] : nodes.at(-1);
  const after = step > 0 ? nodes.find((node) => node > from) : nodes.findLast((node) => node < from);
  return after ?? (step > 0 ? nodes[0] : nodes.at(-1));
}

const FOUND_SHOWN = 50;

/** Nodes whose number, id or description holds the text; a number alone finds the step. */
export function findNodes(
  view: Pick<TreeView, 'tree'>,
  text: string,
  label: (node: number) => string,
): readonly number[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  const found: number[] = [];
  for (const node of view.tree.nodes) {
    if (node.row === undefined) continue;
    const hay = `${label(node.index)} ${node.ref.id} ${node.row.description ?? ''} ${node.row.status}`.toLowerCase();
    if (hay.includes(wanted)) found.push(node.index);
    if (found.length === FOUND_SHOWN) break;
  }
  return found;
}
