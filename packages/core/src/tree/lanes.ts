import { type Contour, Contours } from './contour.ts';
import type { ForkTree } from './fork-tree.ts';

/** Per node: its column (steps from the root) and its lane (row). */
export interface LaneLayout {
  readonly depth: Int32Array;
  readonly lane: Int32Array;
  readonly lanes: number;
  readonly depths: number;
}

/** A forest as arrays; parents are cycle-free. */
export interface Forest {
  readonly size: number;
  readonly roots: readonly number[];
  /** -1 for a root. */
  readonly parent: Int32Array;
  readonly children: (index: number) => readonly number[];
}

/**
 * Lanes as in a commit graph: the child that was saved first continues in its
 * parent's lane, so main stays main and no lane changes its name when more is
 * saved. Other children get the nearest lane below in which their whole subtree
 * has room, so no edge crosses another. Linear time, no recursion.
 */
export function layoutLanes(tree: ForkTree): LaneLayout {
  return layoutForest(forestOf(tree));
}

function forestOf(tree: ForkTree): Forest {
  const parent = new Int32Array(tree.nodes.length).fill(-1);
  for (const node of tree.nodes) parent[node.index] = node.parent ?? -1;
  return {
    size: tree.nodes.length,
    roots: tree.roots,
    parent,
    children: (at) => tree.nodes[at]?.children ?? [],
  };
}

export function layoutForest(forest: Forest): LaneLayout {
  const depth = new Int32Array(forest.size);
  const order = preorder(forest, depth);
  const offset = placeBranches(forest, order);
  const lane = new Int32Array(forest.size);
  let lanes = 0;
  let depths = 0;
  for (const at of order) {
    const up = get(forest.parent, at);
    lane[at] = (up < 0 ? 0 : get(lane, up)) + get(offset, at);
    lanes = Math.max(lanes, get(lane, at) + 1);
    depths = Math.max(depths, get(depth, at) + 1);
  }
  return { depth, lane, lanes, depths };
}

/** Parents before children; fills `depth`. */
function preorder(forest: Forest, depth: Int32Array): Int32Array {
  const order = new Int32Array(forest.size);
  const stack = [...forest.roots].reverse();
  let count = 0;
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    order[count++] = at;
    const up = get(forest.parent, at);
    depth[at] = up < 0 ? 0 : get(depth, up) + 1;
    for (const child of forest.children(at)) stack.push(child);
  }
  return order;
}

/**
 * How many lanes below its parent each node lies. The first child, the oldest,
 * continues in the lane of its parent; each other child is moved just below what
 * its older siblings use over its own depths and in its parent's column, where
 * its edge turns. Leaf to root, so what is moved has its own form already.
 */
function placeBranches(forest: Forest, order: Int32Array): Int32Array {
  const offset = new Int32Array(forest.size);
  const contours = new Contours(forest.size);
  const below: (Contour | undefined)[] = [];
  for (let i = order.length - 1; i >= 0; i--) {
    const at = get(order, i);
    const [first, ...branches] = forest.children(at);
    let used = first === undefined ? undefined : below[first];
    let lowest = 0;
    for (const child of branches) {
      const branch = below[child];
      if (!branch) continue;
      const hung = contours.hang(used, branch, lowest);
      offset[child] = lowest = hung.down;
      used = hung.used;
      below[child] = undefined;
    }
    if (first !== undefined) below[first] = undefined;
    below[at] = contours.above(at, lowest, used);
  }
  let used: Contour | undefined;
  for (const root of forest.roots) {
    const tree = below[root];
    if (!tree) continue;
    const hung = contours.hang(used, tree, -1);
    offset[root] = hung.down;
    used = hung.used;
  }
  return offset;
}

/** Indexes are in range by construction. */
function get(array: Int32Array, at: number): number {
  return array[at] ?? 0;
}
