/** Which checkpoints hold the suspect value, for history and timeline. */
import { type CheckpointRef, type ForkTree, type TreeNode, refKey } from '@checkpoint-inspector/core';
import { useMemo } from 'react';
import type { Diagnosis } from '../../lib/api.ts';
import type { Workbench } from '../workbench/use-workbench.ts';
import { useDiagnosis } from './use-diagnosis.ts';

/** The end of the task, where it failed: what other checkpoints are told about it. */
export const useTaskAnswer = ({ history }: Workbench): Diagnosis | undefined =>
  useDiagnosis(history.rows.find((row) => row.isLatest && row.status === 'failed')).data;

/** From the newest that holds it back over its parents to the one that wrote it: places in the tree. */
export function heldNodes(
  tree: ForkTree,
  nodeOf: (ref: CheckpointRef) => TreeNode | undefined,
  holds: NonNullable<Diagnosis['lastGood']>['holds'],
): readonly number[] {
  if (holds === undefined) return [];
  const first = refKey(holds.from.ref);
  const found: number[] = [];
  for (let at = nodeOf(holds.to.ref); at !== undefined;) {
    found.unshift(at.index);
    if (refKey(at.ref) === first) return found;
    at = at.parent === undefined ? undefined : tree.nodes[at.parent];
  }
  // The one that wrote it lies in another task.
  return found;
}

const NONE: readonly number[] = [];

export function useHeld(bench: Workbench): readonly number[] {
  const { tree, nodeOf } = bench.history;
  const holds = useTaskAnswer(bench)?.lastGood?.holds;
  return useMemo(() => (tree && nodeOf ? heldNodes(tree, nodeOf, holds) : NONE), [tree, nodeOf, holds]);
}
