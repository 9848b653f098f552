import type { Branch } from './branches.ts';
import { childrenOf, type TreeView } from './view-tree.ts';

export interface LaneFrom {
  readonly branch: Branch;
  /** Checkpoints of the lane after the selected one. */
  readonly steps: number;
  /** Node at its end. */
  readonly end: number;
}

/** The lanes that a checkpoint leads to: its own onward, and every one that forks off below it. */
export function lanesFrom(view: TreeView, item: number): readonly LaneFrom[] {
  const steps = new Map<number, number>();
  const stack = childrenOf(view, item);
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const branch = view.branchOf[at] ?? -1;
    steps.set(branch, (steps.get(branch) ?? 0) + (view.items[at]?.nodes.length ?? 0));
    stack.push(...childrenOf(view, at));
  }
  return [...steps]
    .map(([at, count]) => ({ branch: view.branches[at], steps: count }))
    .flatMap(({ branch, steps: count }) => {
      const end = view.items[branch?.end ?? -1]?.nodes.at(-1);
      return branch === undefined || end === undefined ? [] : [{ branch, steps: count, end }];
    })
    .sort((a, b) => a.branch.ordinal - b.branch.ordinal);
}
