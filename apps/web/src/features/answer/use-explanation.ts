import type { CheckpointMeta, Explanation } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { addressOf, NOWHERE } from '../../lib/address.ts';
import { useRested } from '../../lib/hooks.ts';
import { explanationQuery } from '../../lib/queries.ts';

const REST_MS = 120;

/** A failed checkpoint, or the end of a task that may contain a failed check. */
const mayBeWrong = ({ status, isLatest, problem }: CheckpointMeta): boolean =>
  status === 'failed' || (isLatest && problem === undefined && (status === 'completed' || status === 'unknown'));

/** Facts about the branch that ends with this checkpoint. Stepping quickly through a history asks for none. */
export function useExplanation(meta: CheckpointMeta | undefined) {
  const at = meta && mayBeWrong(meta) ? addressOf(meta) : undefined;
  // What was saved again under the same id has another revision, and another error.
  const place = at === undefined ? '' : `${at.store}/${at.task}/${at.namespace ?? ''}/${at.id}/${meta?.revision ?? ''}`;
  const rested = useRested(place, REST_MS) === place;
  return useQuery({ ...explanationQuery(at ?? NOWHERE), enabled: at !== undefined && rested });
}

/** The end of the task, where it failed: what other checkpoints are told about it. */
export const useTaskAnswer = ({ rows }: { readonly rows: readonly CheckpointMeta[] }): Explanation | undefined =>
  useExplanation(rows.find((row) => row.isLatest && row.status === 'failed')).data;
