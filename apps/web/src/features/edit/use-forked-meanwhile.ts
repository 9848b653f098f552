import type { CheckpointMeta } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { refOf } from '../../lib/address.ts';
import { forksOf } from '../../lib/forks.ts';
import { treeQuery } from '../../lib/queries.ts';

/** How many children the checkpoint has got since the page was opened: another tab, another person, the agent. */
export function useForkedMeanwhile(meta: CheckpointMeta): number {
  const { data: rows } = useQuery(treeQuery(meta.store, meta.taskId));
  const first = useRef<number>(undefined);
  if (rows === undefined) return 0;
  const node = forksOf(meta.taskId, rows).nodeOf(refOf(meta));
  // Only a recorded or kept edge is a fork of it; one inferred from save order is the agent going on.
  const { nodes } = forksOf(meta.taskId, rows).tree;
  const now = node?.children.filter((child) => nodes[child]?.kind !== 'inferred').length ?? 0;
  first.current ??= now;
  return Math.max(0, now - first.current);
}
