import type { CheckpointRef, LineageKind, LineageRowWithFacts } from '../model.ts';
import { eachInSteps, type InSteps, mapInSteps, toEnd } from '../in-steps.ts';

/** One checkpoint in the tree, or a stand-in for a parent that the task does not hold. */
export interface TreeNode {
  readonly index: number;
  /** Absent: a ghost. */
  readonly row?: LineageRowWithFacts;
  readonly ref: CheckpointRef;
  readonly parent?: number;
  /** In save order. */
  readonly children: readonly number[];
  /** Of the edge to the parent. */
  readonly kind: LineageKind;
  /** Why the checkpoint is not here: gone, or in the other task that `ref` names. */
  readonly ghost?: 'missing' | 'other-task';
  /** `cycle`: on a loop of parents, which is cut above its oldest node. `duplicate`: the ref came before. */
  readonly problem?: 'cycle' | 'duplicate';
}

export interface ForkTree {
  readonly nodes: readonly TreeNode[];
  /** By the oldest checkpoint that hangs on them. */
  readonly roots: readonly number[];
  /** Nodes with two children or more. */
  readonly forkPoints: readonly number[];
}

interface Draft {
  index: number;
  row?: LineageRowWithFacts;
  ref: CheckpointRef;
  parent?: number;
  children: number[];
  kind: LineageKind;
  ghost?: 'missing' | 'other-task';
  problem?: 'cycle' | 'duplicate';
}

/**
 * The tree of a task's checkpoints: every row once, in save order (`seq`), then
 * the ghosts. Nothing is dropped: defects are marked. Linear time.
 * @example forkTree('run-1', rows).roots // [0]
 */
export function forkTree(task: string, rows: Iterable<LineageRowWithFacts>): ForkTree {
  return toEnd(forkTreeInSteps(task, rows));
}

export function* forkTreeInSteps(task: string, rows: Iterable<LineageRowWithFacts>): InSteps<ForkTree> {
  const sorted = [...rows].sort((a, b) => a.seq - b.seq);
  const places = new RefMap();
  const nodes = yield* mapInSteps(sorted, (row, index) => draft(task, row, index, places));
  yield* eachInSteps(sorted, (_, index) => attach(task, nodes, index, places));
  yield* cutCycles(nodes);
  const roots: number[] = [];
  const seen = new Uint8Array(nodes.length);
  yield* eachInSteps(nodes, (node) => {
    if (node.parent !== undefined) nodes[node.parent]?.children.push(node.index);
  });
  yield* eachInSteps(nodes, (node) => {
    const root = node.parent === undefined ? node : ghostAbove(nodes, node);
    if (!root || seen[root.index]) return;
    seen[root.index] = 1;
    roots.push(root.index);
  });
  const forkPoints = nodes.filter((node) => node.children.length > 1).map((node) => node.index);
  return { nodes, roots, forkPoints };
}

function draft(task: string, row: LineageRowWithFacts, index: number, places: RefMap): Draft {
  const ref = { task, ...(row.namespace === undefined ? {} : { namespace: row.namespace }), id: row.id };
  const node: Draft = { index, row, ref, children: [], kind: row.kind };
  if (places.get(ref) === undefined) places.set(ref, index);
  else node.problem = 'duplicate';
  return node;
}

/** Puts a node below its parent, or below a ghost of it. */
function attach(task: string, nodes: Draft[], index: number, places: RefMap): void {
  const node = nodes[index];
  const parent = node?.row?.parent;
  if (!node || !parent) return;
  let at = places.get(parent);
  if (at === undefined) {
    at = nodes.length;
    nodes.push({
      index: at,
      ref: parent,
      children: [],
      kind: 'none',
      ghost: parent.task === task ? 'missing' : 'other-task',
    });
    places.set(parent, at);
  }
  node.parent = at;
}

/** Marks every node on a loop and makes the oldest one of each loop a root. */
function* cutCycles(nodes: Draft[]): InSteps<void> {
  const walk = new Int32Array(nodes.length);
  yield* eachInSteps(nodes, (start) => {
    let at: Draft | undefined = start;
    while (at && walk[at.index] === 0) {
      walk[at.index] = start.index + 1;
      at = at.parent === undefined ? undefined : nodes[at.parent];
    }
    // Met its own walk again, and not an older one: `at` is on a loop.
    if (at && walk[at.index] === start.index + 1 && at.problem !== 'cycle') cutLoop(nodes, at);
  });
}

function cutLoop(nodes: Draft[], onLoop: Draft): void {
  let oldest = onLoop;
  let at: Draft | undefined = onLoop;
  while (at && at.problem !== 'cycle') {
    at.problem = 'cycle';
    if (at.index < oldest.index) oldest = at;
    at = at.parent === undefined ? undefined : nodes[at.parent];
  }
  delete oldest.parent;
}

function ghostAbove(nodes: readonly Draft[], node: Draft): Draft | undefined {
  const parent = node.parent === undefined ? undefined : nodes[node.parent];
  return parent?.ghost ? parent : undefined;
}

/** Place by ref, without building a key text for each of many rows. */
class RefMap {
  readonly #maps = new Map<string, Map<string, Map<string, number>>>();

  get(ref: CheckpointRef): number | undefined {
    return this.#maps
      .get(ref.task)
      ?.get(ref.namespace ?? '')
      ?.get(ref.id);
  }

  set(ref: CheckpointRef, index: number): void {
    const spaces = this.#maps.get(ref.task) ?? new Map<string, Map<string, number>>();
    const ids = spaces.get(ref.namespace ?? '') ?? new Map<string, number>();
    ids.set(ref.id, index);
    spaces.set(ref.namespace ?? '', ids);
    this.#maps.set(ref.task, spaces);
  }
}

/** The way to a node, root first and the node last; a ghost may be the root. */
export function ancestry(tree: ForkTree, index: number): number[] {
  const path: number[] = [];
  for (let at: number | undefined = index; at !== undefined; at = tree.nodes[at]?.parent) {
    if (tree.nodes[at]) path.push(at);
  }
  return path.reverse();
}

const counts = new WeakMap<ForkTree, number>();

/** Lanes of the tree: each ends at one checkpoint without children. Folding does not change it. */
export function laneCount(tree: ForkTree): number {
  const known = counts.get(tree) ?? tree.nodes.reduce((count, node) => count + Number(node.children.length === 0), 0);
  counts.set(tree, known);
  return known;
}

const kindsOf = new WeakMap<ForkTree, ReadonlySet<LineageKind>>();

/** The ways in which its parents are known; where there is one, it is said once and not on every edge. */
export function lineageKinds(tree: ForkTree): ReadonlySet<LineageKind> {
  const known =
    kindsOf.get(tree) ?? new Set(tree.nodes.flatMap((node) => (node.parent === undefined ? [] : [node.kind])));
  kindsOf.set(tree, known);
  return known;
}
