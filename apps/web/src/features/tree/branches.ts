/** A branch is a run of items in one lane: it has a name, a beginning and an end. */
import type { CheckpointStatus, ForkTree, VisibleItem } from '@checkpoint-inspector/core';

export interface Branch {
  /** `main`, then `f1`, `f2`, … in the order in which they began. */
  readonly name: string;
  /** 0 for main: picks the dash pattern. */
  readonly ordinal: number;
  /** First item. */
  readonly start: number;
  /** The item it forks from, -1 for a root. */
  readonly from: number;
  /** Last item in the lane. */
  readonly end: number;
  /** Checkpoints, those in folded chains included, ghosts not. */
  readonly steps: number;
  /** Of the newest checkpoint. */
  readonly status: CheckpointStatus;
}

interface Draft {
  start: number;
  from: number;
  end: number;
  steps: number;
}

/** Items come parents first, so one pass is enough. */
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

/** The lanes' dash patterns are four; from the fifth branch on they come again. */
export function patternOf(ordinal: number): 1 | 2 | 3 | 4 {
  if (ordinal === 0) return 1;
  return ([2, 3, 4] as const)[(ordinal - 1) % 3] ?? 2;
}
