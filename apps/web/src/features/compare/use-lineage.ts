import {
  branchTo,
  divergence,
  formatAddress,
  type Address,
  type BranchStep,
  type CheckpointRef,
  type Divergence,
  type ForkTree,
} from '@checkpoint-inspector/core';
import { queryOptions, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { forksOf } from '../../lib/forks.ts';
import { stepNumber } from '../../lib/format.ts';
import { treeQuery } from '../../lib/queries.ts';

/** `#06`; a parent that is gone has no number. */
export const stepName = (step: BranchStep | undefined): string => (step?.row ? stepNumber(step.row) : 'the start');

const divergenceQuery = (client: QueryClient, a: Address, b: Address) =>
  queryOptions({
    queryKey: ['divergence', a.store, a.task, formatAddress(a), formatAddress(b)],
    queryFn: async (): Promise<Divergence> => {
      const treeOf = async (task: string): Promise<ForkTree> =>
        forksOf(task, await client.fetchQuery(treeQuery(a.store, task))).tree;
      return divergence(await branchTo(a, treeOf), await branchTo(b, treeOf));
    },
    structuralSharing: false,
  });

/** Where the ways to two checkpoints part; nothing where they lie in two stores. */
export function useDivergence(a: Address, b: Address): Divergence | undefined {
  const client = useQueryClient();
  const { data } = useQuery({ ...divergenceQuery(client, a, b), enabled: a.store === b.store });
  return a.store === b.store ? data : undefined;
}

/** The parent of a checkpoint and its newest child, as far as its task holds them. */
export function useNeighbours(at: Address): {
  readonly older: CheckpointRef | undefined;
  readonly newer: CheckpointRef | undefined;
} {
  const { data } = useQuery(treeQuery(at.store, at.task));
  const forks = data && forksOf(at.task, data);
  const node = forks?.nodeOf({
    task: at.task,
    id: at.id,
    ...(at.namespace === undefined ? {} : { namespace: at.namespace }),
  });
  const refAt = (index: number | undefined): CheckpointRef | undefined => {
    const found = index === undefined ? undefined : forks?.tree.nodes[index];
    return found?.ghost === 'missing' ? undefined : found?.ref;
  };
  return { older: refAt(node?.parent), newer: refAt(node?.children.at(-1)) };
}
