import type { CheckpointRef } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { NOWHERE, toAddress } from '../../lib/address.ts';
import { stepNumber } from '../../lib/format.ts';
import { checkpointQuery } from '../../lib/queries.ts';
import { isLarge } from '../../lib/readable.ts';
import { type Channel, viewsQuery } from '../../lib/views.ts';

export interface ParentChat {
  /** The number of the parent. */
  readonly name: string;
  readonly channels: readonly Channel[];
}

/** The conversation that the checkpoint continued from; nothing where there is no parent, or none that can be read. */
export function useParentChat(
  store: string,
  system: string | undefined,
  parent: CheckpointRef | undefined,
): ParentChat | undefined {
  const at = parent === undefined ? NOWHERE : toAddress(store, parent);
  const { data: meta } = useQuery({ ...checkpointQuery(at), enabled: parent !== undefined });
  const readable = parent !== undefined && meta !== undefined && meta.problem === undefined && !isLarge(meta);
  const views = useQuery({
    ...viewsQuery(system ?? '', at, meta?.revision),
    enabled: readable && system !== undefined,
  });
  if (!readable || views.data === undefined) return undefined;
  return { name: stepNumber(meta), channels: views.data.chat ?? [] };
}
