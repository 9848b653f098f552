/** What checkpoints are called on the screen, from what the page knows of them. */
import {
  refKey,
  sameRef,
  stepOfRemoved,
  type CheckpointMeta,
  type CheckpointRef,
  type Receipt,
} from '@checkpoint-inspector/core';
import { useQueries, type QueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { refOf } from '../../lib/address.ts';
import { cutMiddle, showId, stepNumber } from '../../lib/format.ts';
import { findQuery } from '../../lib/queries.ts';
import type { NameOf } from './sentences.ts';

/** More than these are not named on any screen of a change. */
const ASKED = 24;

const idName = (ref: CheckpointRef): string => cutMiddle(showId(ref.id), 20);

/**
 * Asks for what is not yet known; until then, and for checkpoints that are gone, the id is the name.
 * @param receipt may say what those were called that its change removed
 */
export function useNames(store: string, refs: readonly CheckpointRef[], receipt: Pick<Receipt, 'steps'> = {}) {
  const asked = useMemo(() => [...new Map(refs.map((ref) => [refKey(ref), ref])).values()].slice(0, ASKED), [refs]);
  const answers = useQueries({
    // A search, because it answers with nothing where a checkpoint is gone; asking for it would be an error.
    queries: asked.map((ref) => ({ ...findQuery(store, ref.id), staleTime: 60_000, retry: false })),
  });
  const metas = new Map<string, CheckpointMeta>();
  asked.forEach((ref, index) => {
    const meta = among(answers[index]?.data, ref);
    if (meta) metas.set(refKey(ref), meta);
  });
  const metaOf = (ref: CheckpointRef): CheckpointMeta | undefined => metas.get(refKey(ref));
  const nameOf: NameOf = (ref) => named(metaOf(ref) ?? stepOfRemoved(receipt, ref), ref);
  return { metaOf, nameOf };
}

export type Names = ReturnType<typeof useNames>;

/** The same from the cache, for a message after the change: what was removed can be asked for no more. */
export function namesFromCache(client: QueryClient, store: string): NameOf {
  return (ref) => named(among(client.getQueryData(findQuery(store, ref.id).queryKey)?.items, ref), ref);
}

const among = (rows: readonly CheckpointMeta[] | undefined, ref: CheckpointRef): CheckpointMeta | undefined =>
  rows?.find((row) => sameRef(refOf(row), ref));

export function named(step: Parameters<typeof stepNumber>[0] | undefined, ref: CheckpointRef): string {
  return step === undefined ? idName(ref) : stepNumber(step);
}
