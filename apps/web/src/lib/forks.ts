import {
  forkTree,
  lanesOf,
  layoutLanes,
  refKey,
  type CheckpointRef,
  type ForkTree,
  type LaneLayout,
  type LineageRow,
  type TreeNode,
} from '@checkpoint-inspector/core';

export interface Forks {
  readonly tree: ForkTree;
  /** Worked out when it is first asked for. */
  readonly layout: () => LaneLayout;
  /** The lanes, and the one of each node; the same. */
  readonly lanes: () => ReturnType<typeof lanesOf>;
  /** The node of a checkpoint; where two rows share a ref, the first. */
  readonly nodeOf: (ref: CheckpointRef) => TreeNode | undefined;
}

const known = new WeakMap<readonly LineageRow[], Forks>();
const lanesKnown = new WeakMap<ForkTree, ReturnType<typeof lanesOf>>();

/** The lanes of a tree, worked out once for all views of them. */
export function lanesIn(tree: ForkTree): ReturnType<typeof lanesOf> {
  const before = lanesKnown.get(tree);
  if (before) return before;
  const lanes = lanesOf(tree);
  lanesKnown.set(tree, lanes);
  return lanes;
}

/** The fork tree of a task's rows, worked out once for all views of them. */
export function forksOf(task: string, rows: readonly LineageRow[]): Forks {
  const before = known.get(rows);
  if (before) return before;
  const tree = forkTree(task, rows);
  let layout: LaneLayout | undefined;
  let places: ReadonlyMap<string, TreeNode> | undefined;
  const forks: Forks = {
    tree,
    layout: () => (layout ??= layoutLanes(tree)),
    lanes: () => lanesIn(tree),
    nodeOf: (ref) => (places ??= placesOf(tree)).get(refKey(ref)),
  };
  known.set(rows, forks);
  return forks;
}

function placesOf({ nodes }: ForkTree): Map<string, TreeNode> {
  const places = new Map<string, TreeNode>();
  for (const node of nodes) {
    const key = refKey(node.ref);
    if (!places.has(key)) places.set(key, node);
  }
  return places;
}
