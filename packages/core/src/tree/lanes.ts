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
  /** The node whose way from the root is the main lane; -1: the longest way is. */
  readonly latest: number;
}

/**
 * Lanes as in a commit graph: a node goes on in its parent's lane when it is the
 * way to the latest, else the longest way, else the oldest child. Other children
 * get the nearest lane below in which their whole subtree has room, so no edge
 * crosses another. Linear time, no recursion.
 */
export function layoutLanes(tree: ForkTree): LaneLayout {
  return layoutForest(forestOf(tree));
}

function forestOf(tree: ForkTree): Forest {
  const parent = new Int32Array(tree.nodes.length).fill(-1);
  for (const node of tree.nodes) parent[node.index] = node.parent ?? -1;
  const latest = tree.nodes.findLastIndex((node) => node.row?.isLatest === true);
  return {
    size: tree.nodes.length,
    roots: tree.roots,
    parent,
    children: (at) => tree.nodes[at]?.children ?? [],
    latest,
  };
}

export function layoutForest(forest: Forest): LaneLayout {
  const depth = new Int32Array(forest.size);
  const order = preorder(forest, depth);
  const height = heights(forest, order);
  const main = mainChildren(forest, height);
  const head = pathHeads(forest, order, main);
  const offset = placeBranches(forest, { depth, order, height, main, head });
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

/** Steps down to the deepest descendant. */
function heights(forest: Forest, order: Int32Array): Int32Array {
  const height = new Int32Array(forest.size);
  for (let i = order.length - 1; i >= 0; i--) {
    const at = get(order, i);
    const up = get(forest.parent, at);
    if (up >= 0) height[up] = Math.max(get(height, up), get(height, at) + 1);
  }
  return height;
}

/** The child that goes on in the lane; -1 at a leaf. */
function mainChildren(forest: Forest, height: Int32Array): Int32Array {
  const main = new Int32Array(forest.size).fill(-1);
  for (let at = 0; at < forest.size; at++) {
    let best = -1;
    for (const child of forest.children(at)) {
      if (best < 0 || get(height, child) > get(height, best)) best = child;
    }
    main[at] = best;
  }
  for (let at = forest.latest; at >= 0 && get(forest.parent, at) >= 0; at = get(forest.parent, at)) {
    main[get(forest.parent, at)] = at;
  }
  return main;
}

/** The first node of each node's lane path. */
function pathHeads(forest: Forest, order: Int32Array, main: Int32Array): Int32Array {
  const head = new Int32Array(forest.size);
  for (const at of order) {
    const up = get(forest.parent, at);
    head[at] = up >= 0 && get(main, up) === at ? get(head, up) : at;
  }
  return head;
}

interface Shape {
  readonly depth: Int32Array;
  readonly order: Int32Array;
  readonly height: Int32Array;
  readonly main: Int32Array;
  readonly head: Int32Array;
}

/**
 * How many lanes below its parent each node lies. Each path keeps the lowest
 * used lane per depth of what hangs on it (its contour). Walking leaf to root,
 * a branch is pushed just below the contour over its own depths, so each step
 * costs the branch's height: together no more than the number of nodes.
 */
function placeBranches(forest: Forest, shape: Shape): Int32Array {
  const { depth, order, height, main, head } = shape;
  const offset = new Int32Array(forest.size);
  const base = new Int32Array(forest.size);
  let total = 0;
  for (const at of order) {
    if (head[at] !== at) continue;
    base[at] = total;
    total += get(height, at) + 1;
  }
  const contour = new Int32Array(total);
  for (let i = order.length - 1; i >= 0; i--) {
    const at = get(order, i);
    const path = get(head, at);
    const place = get(base, path) + get(depth, at) - get(depth, path);
    for (const child of forest.children(at)) {
      if (child === main[at]) continue;
      offset[child] = hang(contour, place, get(base, child), get(height, child));
    }
  }
  placeRoots(forest, height, base, contour, offset);
  return offset;
}

/** Puts a branch (contour at `from`) below what is used from its parent's column on; returns the lanes between. */
function hang(contour: Int32Array, place: number, from: number, height: number): number {
  let lowest = get(contour, place);
  for (let t = 0; t <= height; t++) lowest = Math.max(lowest, get(contour, place + 1 + t));
  const lanes = lowest + 1;
  contour[place] = Math.max(get(contour, place), lanes);
  for (let t = 0; t <= height; t++) contour[place + 1 + t] = lanes + get(contour, from + t);
  return lanes;
}

/** The tree with the latest (else the deepest) first, the others below it in their order. */
function placeRoots(
  forest: Forest,
  height: Int32Array,
  base: Int32Array,
  contour: Int32Array,
  offset: Int32Array,
): void {
  const first = firstRoot(forest, height);
  const deepest = forest.roots.reduce((most, root) => Math.max(most, get(height, root)), 0);
  const used = new Int32Array(deepest + 1).fill(-1);
  for (const root of first === undefined ? [] : [first, ...forest.roots.filter((other) => other !== first)]) {
    let lowest = -1;
    for (let t = 0; t <= get(height, root); t++) lowest = Math.max(lowest, get(used, t));
    offset[root] = lowest + 1;
    for (let t = 0; t <= get(height, root); t++) used[t] = lowest + 1 + get(contour, get(base, root) + t);
  }
}

function firstRoot(forest: Forest, height: Int32Array): number | undefined {
  let at = forest.latest;
  while (at >= 0 && get(forest.parent, at) >= 0) at = get(forest.parent, at);
  if (at >= 0) return at;
  return forest.roots.reduce<number | undefined>(
    (best, root) => (best === undefined || get(height, root) > get(height, best) ? root : best),
    undefined,
  );
}

/** Indexes are in range by construction. */
function get(array: Int32Array, at: number): number {
  return array[at] ?? 0;
}
