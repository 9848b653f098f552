import { compact } from '../compact.ts';
import { refKey, sameRef } from '../ids.ts';
import type { CheckpointRef, LineageKind, LineageRowWithFacts } from '../model.ts';
import { ancestry, type ForkTree } from '../tree/fork-tree.ts';

/** One checkpoint on the way from a root, or a parent that is not in the store. */
export interface BranchStep {
  readonly ref: CheckpointRef;
  /** Absent: it is no longer in the store. */
  readonly row?: LineageRowWithFacts;
  /** Of the edge to the step before. */
  readonly kind: LineageKind;
}

/**
 * The way to a checkpoint, root first; a branch that began in another task continues there.
 * @param treeOf the tree of a task; `undefined` where it cannot be had
 * @example await branchTo(ref, async (task) => forkTree(task, await rowsOf(task)))
 */
export async function branchTo(
  ref: CheckpointRef,
  treeOf: (task: string) => Promise<ForkTree | undefined>,
): Promise<BranchStep[]> {
  const parts: BranchStep[][] = [];
  const seen = new Set<string>();
  let wanted: CheckpointRef | undefined = ref;
  while (wanted !== undefined && !seen.has(refKey(wanted))) {
    seen.add(refKey(wanted));
    const part = partOf(await treeOf(wanted.task), wanted);
    const first = part[0];
    // The ghost of another task stands for the next part's last step.
    const goesOn: boolean = first !== undefined && first.row === undefined && first.ref.task !== wanted.task;
    parts.push(goesOn ? part.slice(1) : part);
    wanted = goesOn ? first?.ref : undefined;
  }
  return parts.reverse().flat();
}

function partOf(tree: ForkTree | undefined, ref: CheckpointRef): BranchStep[] {
  const node = tree?.nodes.find((candidate) => candidate.row !== undefined && sameRef(candidate.ref, ref));
  if (tree === undefined || node === undefined) return [{ ref, kind: 'none' }];
  return ancestry(tree, node.index).flatMap((index) => {
    const at = tree.nodes[index];
    if (at === undefined) return [];
    const { ref: own, kind, row } = at;
    return [row === undefined ? { ref: own, kind } : { ref: own, kind, row }];
  });
}

/** Where two branches part. */
export interface Divergence {
  /** How many steps both share, from the root. */
  readonly shared: number;
  /** The last step that both share; absent when they share none. */
  readonly ancestor?: BranchStep;
  /** The steps after it, oldest first; empty where that end is the ancestor itself. */
  readonly onlyA: readonly BranchStep[];
  readonly onlyB: readonly BranchStep[];
}

/** @example divergence(wayToA, wayToB).onlyB[0] // the first checkpoint that only B has behind it */
export function divergence(a: readonly BranchStep[], b: readonly BranchStep[]): Divergence {
  let shared = 0;
  for (const [index, { ref }] of a.entries()) {
    const other = b[index];
    if (other === undefined || !sameRef(other.ref, ref)) break;
    shared = index + 1;
  }
  return compact({ shared, ancestor: a[shared - 1], onlyA: a.slice(shared), onlyB: b.slice(shared) });
}
