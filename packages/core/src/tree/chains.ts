import { refKey } from '../ids.ts';
import type { LineageKind } from '../model.ts';
import type { ForkTree, TreeNode } from './fork-tree.ts';
import { type LaneLayout, layoutForest } from './lanes.ts';

/** What the screen draws: a checkpoint, or a run of them folded into one. */
export interface VisibleItem {
  readonly kind: 'node' | 'chain';
  /** Stays the same while the first checkpoint of the run does. */
  readonly id: string;
  readonly nodes: readonly number[];
  readonly column: number;
  readonly lane: number;
}

export interface VisibleEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: LineageKind;
  readonly fromNode: number;
  readonly toNode: number;
}

export interface VisibleTree {
  readonly items: readonly VisibleItem[];
  readonly edges: readonly VisibleEdge[];
  readonly columns: number;
  readonly lanes: number;
}

export interface CollapseOptions {
  /** Ids of chains that stay open. */
  readonly expanded?: ReadonlySet<string>;
  /** Nodes that stay visible: the selected ones. */
  readonly keep?: ReadonlySet<number>;
  /** Shortest run to fold; default 4. */
  readonly minimum?: number;
}

const DEFAULT_MINIMUM = 4;

/**
 * Folds runs in which nothing happens: nodes with one parent and one child that
 * are neither the latest, kept, failed nor defective. Linear time.
 */
export function collapseChains(tree: ForkTree, layout: LaneLayout, options: CollapseOptions = {}): VisibleTree {
  const groups = groupNodes(tree, options);
  const places = groups.length === tree.nodes.length ? layout : undefined;
  return places ? draw(tree, groups, places) : draw(tree, groups, layoutGroups(tree, groups));
}

interface Group {
  readonly kind: 'node' | 'chain';
  readonly id: string;
  readonly nodes: readonly number[];
}

/** Every node in exactly one group, parents' groups first. */
function groupNodes(tree: ForkTree, options: CollapseOptions): Group[] {
  const groups: Group[] = [];
  const stack = [...tree.roots].reverse();
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const run = runFrom(tree, at);
    groups.push(...groupRun(tree, run, options));
    const last = tree.nodes[run.at(-1) ?? at];
    for (const child of last?.children.toReversed() ?? []) stack.push(child);
  }
  return groups;
}

/** The node and, if nothing happens in it, those after it of which the same is true. */
function runFrom(tree: ForkTree, start: number): number[] {
  const run = [start];
  let node = tree.nodes[start];
  if (!node || !isQuiet(node)) return run;
  for (;;) {
    const next: TreeNode | undefined = tree.nodes[node?.children[0] ?? -1];
    if (!next || !isQuiet(next)) return run;
    run.push(next.index);
    node = next;
  }
}

function isQuiet(node: TreeNode): boolean {
  if (node.parent === undefined || node.children.length !== 1 || node.problem || !node.row) return false;
  return !node.row.isLatest && node.row.status !== 'failed';
}

function groupRun(tree: ForkTree, run: readonly number[], options: CollapseOptions): Group[] {
  const minimum = options.minimum ?? DEFAULT_MINIMUM;
  const single = (at: number): Group => ({ kind: 'node', id: nodeId(tree, at), nodes: [at] });
  if (run.length < minimum || options.expanded?.has(chainId(tree, run[0] ?? 0))) return run.map(single);
  const pieces = splitAt(run, options.keep ?? new Set());
  return pieces.flatMap((piece) => {
    const id = chainId(tree, piece[0] ?? 0);
    if (piece.length < minimum || options.expanded?.has(id)) return piece.map(single);
    return [{ kind: 'chain', id, nodes: piece }];
  });
}

/** Kept nodes become pieces of their own. */
function splitAt(run: readonly number[], keep: ReadonlySet<number>): number[][] {
  const pieces: number[][] = [];
  let open: number[] | undefined;
  for (const at of run) {
    if (keep.has(at)) {
      pieces.push([at]);
      open = undefined;
    } else if (open) {
      open.push(at);
    } else {
      open = [at];
      pieces.push(open);
    }
  }
  return pieces;
}

function nodeId(tree: ForkTree, at: number): string {
  const node = tree.nodes[at];
  if (!node) return '';
  return node.problem === 'duplicate' ? `${refKey(node.ref)}#${at}` : refKey(node.ref);
}

function chainId(tree: ForkTree, at: number): string {
  return `chain:${nodeId(tree, at)}`;
}

/** Folding moves columns, so lanes are laid out again: two branches of one lane might meet. */
function layoutGroups(tree: ForkTree, groups: readonly Group[]): LaneLayout {
  const groupOf = new Int32Array(tree.nodes.length);
  groups.forEach((group, at) => {
    for (const node of group.nodes) groupOf[node] = at;
  });
  const parent = new Int32Array(groups.length).fill(-1);
  const children: number[][] = groups.map(() => []);
  const roots: number[] = [];
  groups.forEach((group, at) => {
    const up = tree.nodes[group.nodes[0] ?? 0]?.parent;
    if (up === undefined) {
      roots.push(at);
      return;
    }
    parent[at] = groupOf[up] ?? -1;
    children[groupOf[up] ?? 0]?.push(at);
  });
  const places = layoutForest({ size: groups.length, roots, parent, children: (at) => children[at] ?? [] });
  return perNode(tree, groups, places);
}

/** Each node gets the place of its group. */
function perNode(tree: ForkTree, groups: readonly Group[], places: LaneLayout): LaneLayout {
  const depth = new Int32Array(tree.nodes.length);
  const lane = new Int32Array(tree.nodes.length);
  groups.forEach((group, at) => {
    for (const node of group.nodes) {
      depth[node] = places.depth[at] ?? 0;
      lane[node] = places.lane[at] ?? 0;
    }
  });
  return { depth, lane, lanes: places.lanes, depths: places.depths };
}

function draw(tree: ForkTree, groups: readonly Group[], places: LaneLayout): VisibleTree {
  const ids = new Map<number, string>();
  const items: VisibleItem[] = [];
  const edges: VisibleEdge[] = [];
  for (const group of groups) {
    const first = group.nodes[0] ?? 0;
    items.push({ ...group, column: places.depth[first] ?? 0, lane: places.lane[first] ?? 0 });
    for (const at of group.nodes) ids.set(at, group.id);
    const node = tree.nodes[first];
    const fromNode = node?.parent;
    if (!node || fromNode === undefined) continue;
    edges.push({ from: ids.get(fromNode) ?? '', to: group.id, kind: node.kind, fromNode, toNode: first });
  }
  return { items, edges, columns: places.depths, lanes: places.lanes };
}
