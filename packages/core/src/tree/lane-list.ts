import type { CheckpointStatus } from '../model.ts';
import type { ForkTree } from './fork-tree.ts';
import { eachInSteps, type InSteps, mapInSteps, toEnd } from '../in-steps.ts';

/** A run of checkpoints each of which is the oldest child of the one before: a line of the tree from a fork to its end. */
export interface Lane {
  /** Place in the list of lanes: 0 is main, the others are counted from the oldest beginning. */
  readonly ordinal: number;
  /** `main`, then `f1`, `f2`, … */
  readonly label: string;
  /** The lane that it forks from. */
  readonly parent?: number;
  /** The node that it forks from. */
  readonly fork?: number;
  /** Its own nodes, the first to the tip; a ghost may be the first. */
  readonly nodes: readonly number[];
  /** Its own checkpoints, ghosts not counted. */
  readonly steps: number;
  readonly tip: number;
  /** Of the tip. */
  readonly status: CheckpointStatus;
  /** Steps from the root to its first node. */
  readonly depth: number;
}

export interface Lanes {
  readonly lanes: readonly Lane[];
  /** The lane of each node. */
  readonly laneOf: Int32Array;
}

/** Every lane of the tree. Linear but for the sorting; folding does not change it. */
export function lanesOf(tree: ForkTree): Lanes {
  return toEnd(lanesInSteps(tree));
}

export function* lanesInSteps(tree: ForkTree): InSteps<Lanes> {
  const heads: number[] = [];
  yield* eachInSteps(tree.nodes, ({ index, parent }) => {
    if (parent === undefined || tree.nodes[parent]?.children[0] !== index) heads.push(index);
  });
  const begin = (head: number): number => firstRow(tree, head)?.seq ?? 0;
  const [main = -1] = tree.roots;
  heads.sort((a, b) => Number(b === main) - Number(a === main) || begin(a) - begin(b) || a - b);
  const laneOf = new Int32Array(tree.nodes.length).fill(-1);
  const runs = yield* mapInSteps(heads, (head, ordinal) => {
    const nodes: number[] = [];
    for (let at: number | undefined = head; at !== undefined; at = tree.nodes[at]?.children[0]) {
      nodes.push(at);
      laneOf[at] = ordinal;
    }
    return nodes;
  });
  yield;
  const depth = depthsOf(tree);
  yield;
  const lanes = yield* mapInSteps(runs, (nodes, ordinal): Lane => {
    const [head = 0] = nodes;
    const tip = nodes.at(-1) ?? head;
    const fork = tree.nodes[head]?.parent;
    return {
      ordinal,
      label: ordinal === 0 ? 'main' : `f${ordinal}`,
      ...(fork === undefined ? {} : { fork, parent: laneOf[fork] ?? 0 }),
      nodes,
      steps: nodes.reduce((count, at) => count + Number(tree.nodes[at]?.row !== undefined), 0),
      tip,
      status: tree.nodes[tip]?.row?.status ?? 'unknown',
      depth: depth[head] ?? 0,
    };
  });
  return { lanes, laneOf };
}

const firstRow = (tree: ForkTree, head: number) =>
  tree.nodes[head]?.row ?? tree.nodes[tree.nodes[head]?.children[0] ?? -1]?.row;

function depthsOf(tree: ForkTree): Int32Array {
  const depth = new Int32Array(tree.nodes.length);
  const stack = [...tree.roots];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    for (const child of tree.nodes[at]?.children ?? []) {
      depth[child] = (depth[at] ?? 0) + 1;
      stack.push(child);
    }
  }
  return depth;
}

/**
 * Pairs of nodes whose states tell how a lane differs, best first: its first steps beside those of the lane it forks
 * from at the same place, then its first step beside the fork point.
 */
export function lanePairs(tree: ForkTree, lanes: readonly Lane[], lane: Lane): [other: number, own: number][] {
  const { fork, nodes } = lane;
  const from = lanes[lane.parent ?? -1];
  if (fork === undefined || !from) return [];
  const place = lane.depth - 1 - from.depth;
  const pairs = nodes.slice(0, PAIRS).flatMap((own, at): [number, number][] => {
    const other = from.nodes[place + 1 + at];
    return other === undefined ? [] : [[other, own]];
  });
  const first = nodes[0];
  const all: [number, number][] = first === undefined ? pairs : [...pairs, [fork, first]];
  return all.filter((pair) => pair.every((at) => tree.nodes[at]?.row !== undefined));
}

const PAIRS = 3;
