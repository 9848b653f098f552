import type { ForkTree } from './fork-tree.ts';

/** The way to a node, root first and the node last; a ghost may be the root. */
export function ancestry(tree: ForkTree, index: number): number[] {
  const path: number[] = [];
  for (let at: number | undefined = index; at !== undefined; at = tree.nodes[at]?.parent) {
    if (tree.nodes[at]) path.push(at);
  }
  return path.reverse();
}

/** The last node that both ways share; `undefined` when they have different roots. */
export function commonAncestor(tree: ForkTree, a: number, b: number): number | undefined {
  const above = new Set(ancestry(tree, a));
  return ancestry(tree, b).findLast((index) => above.has(index));
}
