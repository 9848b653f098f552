/** Rows of a task as a drawing: items on columns and lanes, links between them, and ways to look things up. */
import {
  type CheckpointStatus,
  collapseChains,
  type ForkTree,
  type LaneLayout,
  type LineageRow,
  refKey,
  type TreeNode,
  type VisibleItem,
} from '@checkpoint-inspector/core';
import { forksOf, lanesIn } from '../../lib/forks.ts';
import { indexColumns, indexEdges, type Link } from './windowing.ts';

/** What depends on the rows only; nodes are given by their indexes, oldest first. */
export function treeBase(task: string, rows: readonly LineageRow[]) {
  const { tree, layout } = forksOf(task, rows);
  const latest = tree.nodes.findLastIndex((node) => node.row?.isLatest === true);
  return {
    task,
    tree,
    layout: layoutWhenAsked(layout),
    ...(latest < 0 ? {} : { latest }),
    errors: indexesOf(tree, (node) => node.row?.status === 'failed'),
    problems: indexesOf(tree, (node) => node.ghost !== undefined || node.problem !== undefined),
  };
}

export type TreeBase = ReturnType<typeof treeBase>;

/** Only a tree without folded chains is drawn by it, so the work waits until it is asked for. */
function layoutWhenAsked(layout: () => LaneLayout): LaneLayout {
  return {
    get depth() {
      return layout().depth;
    },
    get lane() {
      return layout().lane;
    },
    get lanes() {
      return layout().lanes;
    },
    get depths() {
      return layout().depths;
    },
  };
}

function indexesOf(tree: ForkTree, holds: (node: TreeNode) => boolean): number[] {
  return tree.nodes.filter(holds).map((node) => node.index);
}

/** A line of so many steps is not folded. */
const SHORT_LINE = 24;
/** Trees that could be drawn as cards. */
const SMALL_TREE = 400;
const SHORTEST_CHAINS = [4, 3] as const;

/** The shortest chain to fold so that the cards of a small tree fit into so many columns; decided before any is opened. */
export function shortestChain(base: TreeBase, most: number): number {
  const [usual, short] = SHORTEST_CHAINS;
  // The steps of a single lane are what there is to see.
  if (base.tree.forkPoints.length === 0 && base.tree.nodes.length <= SHORT_LINE) return SHORT_LINE;
  if (base.tree.nodes.length > SMALL_TREE) return usual;
  return collapseChains(base.tree, base.layout, { minimum: usual }).columns > most ? short : usual;
}

/** What is drawn; changes when a chain is opened. */
export function treeView(
  base: TreeBase,
  expanded: ReadonlySet<string>,
  keep: ReadonlySet<number>,
  minimum: number = SHORTEST_CHAINS[0],
) {
  const { items, edges, columns, lanes } = collapseChains(base.tree, base.layout, { expanded, keep, minimum });
  const itemOfNode = new Int32Array(base.tree.nodes.length).fill(-1);
  let chains = 0;
  let checkpoints = 0;
  items.forEach((item, index) => {
    for (const node of item.nodes) itemOfNode[node] = index;
    if (item.kind !== 'chain') return;
    chains += 1;
    checkpoints += item.nodes.length;
  });
  const links = edges.map((edge) => ({
    from: itemOfNode[edge.fromNode] ?? -1,
    to: itemOfNode[edge.toNode] ?? -1,
    kind: edge.kind,
  }));
  const family = familyOf(items.length, links);
  const branching = branchesOf(base.tree, items, family.parentOf);
  return {
    ...base,
    items,
    links,
    columns,
    lanes,
    window: indexColumns(items, columns),
    edges: indexEdges(items, links),
    itemOfNode,
    ...family,
    ...branching,
    folded: { chains, checkpoints },
  };
}

export type TreeView = ReturnType<typeof treeView>;

const NOTHING = new Int32Array(0);

/** The same for a list of lanes, where nothing is folded, placed or linked: thousands of lanes open at once. */
export function listView(base: TreeBase): TreeView {
  const { tree } = base;
  const { lanes, laneOf } = lanesIn(tree);
  return {
    ...base,
    items: tree.nodes.map(({ index, ref, problem }) => ({
      kind: 'node',
      id: problem === 'duplicate' ? `${refKey(ref)}#${index}` : refKey(ref),
      nodes: [index],
      column: 0,
      lane: 0,
    })),
    links: [],
    columns: 0,
    lanes: 0,
    window: indexColumns([], 0),
    edges: indexEdges([], []),
    itemOfNode: Int32Array.from(tree.nodes, ({ index }) => index),
    parentOf: NOTHING,
    firstChild: NOTHING,
    nextSibling: NOTHING,
    branches: lanes.map(({ label, ordinal, nodes, fork, tip, steps, status }) => {
      return { name: label, ordinal, start: nodes[0] ?? -1, from: fork ?? -1, end: tip, steps, status };
    }),
    branchOf: Int32Array.from(laneOf),
    folded: { chains: 0, checkpoints: 0 },
  };
}

/** By item index, -1 for none; the first child is the oldest. */
function familyOf(count: number, links: readonly Link[]) {
  const parentOf = new Int32Array(count).fill(-1);
  const firstChild = new Int32Array(count).fill(-1);
  const nextSibling = new Int32Array(count).fill(-1);
  for (let at = links.length - 1; at >= 0; at--) {
    const link = links[at];
    if (link === undefined) continue;
    parentOf[link.to] = link.from;
    nextSibling[link.to] = firstChild[link.from] ?? -1;
    firstChild[link.from] = link.to;
  }
  return { parentOf, firstChild, nextSibling };
}

export function childrenOf(view: Pick<TreeView, 'firstChild' | 'nextSibling'>, item: number): number[] {
  const children: number[] = [];
  for (let at = view.firstChild[item] ?? -1; at >= 0; at = view.nextSibling[at] ?? -1) children.push(at);
  return children;
}

/** The node that a URL value names; without one the latest. */
export function nodeOfFocus(base: TreeBase, focus: string | undefined): number | undefined {
  if (focus === undefined) return base.latest ?? lastRow(base);
  const matches = focusMatcher(focus);
  const found = base.tree.nodes.findIndex((node) => node.row !== undefined && matches(node.ref));
  return found >= 0 ? found : undefined;
}

function lastRow(base: TreeBase): number | undefined {
  const last = base.tree.nodes.findLastIndex((node) => node.row !== undefined);
  return last < 0 ? undefined : last;
}

export function itemAtCell(view: TreeView, column: number, lane: number): number | undefined {
  const from = view.window.starts[column];
  const to = view.window.starts[column + 1];
  if (from === undefined || to === undefined) return undefined;
  for (const item of view.window.order.subarray(from, to)) {
    if (view.items[item]?.lane === lane) return item;
  }
  return undefined;
}

// A branch is a run of items in one lane: it has a name, a beginning and an end.

export interface Branch {
  /** `main`, then `f1`, `f2`, … in the order in which they began. */
  readonly name: string;
  /** 0 for main: picks the dash pattern. */
  readonly ordinal: number;
  readonly start: number;
  /** The item it forks from, -1 for a root. */
  readonly from: number;
  readonly end: number;
  /** Checkpoints, those in folded chains included, ghosts not. */
  readonly steps: number;
  readonly status: CheckpointStatus;
}

interface Draft {
  start: number;
  from: number;
  end: number;
  steps: number;
}

/** Branches, and the index of its own by item. Items come parents first, so one pass is enough. */
export function branchesOf(tree: ForkTree, items: readonly VisibleItem[], parentOf: Int32Array) {
  const branchOf = new Int32Array(items.length).fill(-1);
  const drafts: Draft[] = [];
  items.forEach((item, index) => {
    const parent = parentOf[index] ?? -1;
    const goesOn = parent >= 0 && items[parent]?.lane === item.lane;
    const at = goesOn ? (branchOf[parent] ?? -1) : drafts.length;
    const draft = drafts[at] ?? { start: index, from: parent, end: index, steps: 0 };
    draft.end = index;
    for (const node of item.nodes) draft.steps += tree.nodes[node]?.row === undefined ? 0 : 1;
    drafts[at] = draft;
    branchOf[index] = at;
  });
  const ordinals = ordinalsOf(tree, items, drafts);
  const branches = drafts.map((draft, index): Branch => {
    const ordinal = ordinals[index] ?? 0;
    const last = items[draft.end]?.nodes.at(-1);
    return { ...draft, ordinal, name: ordinal === 0 ? 'main' : `f${ordinal}`, status: statusOf(tree, last) };
  });
  return { branches, branchOf };
}

/** The top lane is main; the others are counted from the oldest beginning. */
function ordinalsOf(tree: ForkTree, items: readonly VisibleItem[], drafts: readonly Draft[]): Int32Array {
  const begin = (draft: number): number => tree.nodes[items[drafts[draft]?.start ?? 0]?.nodes[0] ?? 0]?.row?.seq ?? 0;
  const main = drafts.findIndex((draft) => items[draft.start]?.lane === 0);
  const others = [...drafts.keys()].filter((index) => index !== main).sort((a, b) => begin(a) - begin(b));
  const ordinals = new Int32Array(drafts.length);
  others.forEach((draft, place) => (ordinals[draft] = place + 1));
  return ordinals;
}

function statusOf(tree: ForkTree, node: number | undefined): CheckpointStatus {
  return (node === undefined ? undefined : tree.nodes[node]?.row?.status) ?? 'unknown';
}

const PATTERNS = 4;

/** Dash patterns tell a few lanes apart; above that they would only be noise. */
export const hasPatterns = (view: Pick<TreeView, 'branches'>): boolean => view.branches.length <= PATTERNS;

/** The lane's dash pattern; the first is a plain line. */
export const patternOf = (view: Pick<TreeView, 'branches'>, ordinal: number): number =>
  hasPatterns(view) ? ordinal + 1 : 1;

/** What the shell hands to the tree: places come from the URL and go back to it. */
export type TreeMode = 'graph' | 'lanes' | 'outline';

export interface TreeRouteProps {
  readonly store: string;
  readonly task: string;
  /** The selected checkpoint, as `focusKey` writes it. Absent: the latest. */
  readonly focus?: string | undefined;
  readonly expand?: readonly string[] | undefined;
  /** Chosen by the reader; absent: by the number of lanes. */
  readonly mode: TreeMode | undefined;
  readonly onFocus: (focus: string | undefined) => void;
  readonly onExpand: (expand: readonly string[]) => void;
}

/** A checkpoint as one URL value: its id, with the namespace before it where there is one. */
export function focusKey(ref: { readonly id: string; readonly namespace?: string | undefined }): string {
  return ref.namespace
    ? `${encodeURIComponent(ref.namespace)}/${encodeURIComponent(ref.id)}`
    : encodeURIComponent(ref.id);
}

/** What a URL value names: as `focusKey` writes it, or a bare id. */
export function parseFocus(focus: string): { readonly id: string; readonly namespace?: string } {
  const [first = '', second] = focus.split('/').map(decodeOr);
  return second === undefined ? { id: first } : { id: second, namespace: first };
}

/** Whether a URL value names this checkpoint. Read once, asked for many. */
export function focusMatcher(
  focus: string,
): (ref: { readonly id: string; readonly namespace?: string | undefined }) => boolean {
  const wanted = parseFocus(focus);
  return (ref) =>
    ref.id === focus ||
    (ref.id === wanted.id && (wanted.namespace === undefined || ref.namespace === wanted.namespace));
}

function decodeOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
