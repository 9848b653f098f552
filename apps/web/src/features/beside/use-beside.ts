import type { Address, CheckpointMeta } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { addressOf, NOWHERE } from '../../lib/address.ts';
import { besideQuery } from '../../lib/queries.ts';
import { useRested } from '../../lib/hooks.ts';
import type { BesideAnswer } from '../../lib/api.ts';

const REST_MS = 120;

/** Errors, questions, writes and next nodes of a checkpoint, and what it refuses. Stepping quickly through a history asks for none. */
export function useBeside(meta: CheckpointMeta | undefined): BesideAnswer | undefined {
  return useBesideAt(meta && addressOf(meta));
}

export function useBesideAt(at: Address | undefined): BesideAnswer | undefined {
  const place = at === undefined ? '' : `${at.store}/${at.task}/${at.namespace ?? ''}/${at.id}`;
  const rested = useRested(place, REST_MS) === place;
  return useQuery({ ...besideQuery(at ?? NOWHERE), enabled: at !== undefined && rested }).data;
}
