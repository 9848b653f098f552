/** Queries for parts of a state. With a hash an answer never changes; without one it is read anew. */
import type { Address, CheckpointMeta } from '@checkpoint-inspector/core';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { addressOf } from '../../lib/address.ts';
import { api } from '../../lib/api.ts';
import { keys } from '../../lib/queries.ts';

/** Children in one page. */
export const PAGE = 100;
/** Long enough that a secret which begins in view is seen whole, and so masked. */
const PREVIEW = 5_200;
/** Of the value that the inspector shows. */
const VALUE_PREVIEW = 20_000;
const KEEP_MS = 60_000;

/** Which state: its place, and the hash where it is known. */
export interface StateSeen {
  readonly at: Address;
  readonly hash: string | undefined;
}

export const seenOf = (meta: CheckpointMeta): StateSeen => ({ at: addressOf(meta), hash: meta.revision });

/** Under the key of the state itself: with a hash no save elsewhere makes it be read again. */
export const stateKey = ({ at, hash }: StateSeen): readonly unknown[] => [...keys.state(at, hash), 'part'];

const kept = ({ hash }: StateSeen) => ({
  staleTime: hash === undefined ? 0 : Number.POSITIVE_INFINITY,
  gcTime: KEEP_MS,
});

/** One page of the children of a container, and the container itself. */
export const pageQuery = (seen: StateSeen, path: string, page: number) =>
  queryOptions({
    queryKey: [...stateKey(seen), 'page', path, page],
    queryFn: ({ signal }) =>
      api.part(seen.at, { path, offset: page * PAGE, limit: PAGE, preview: PREVIEW, hash: seen.hash }, { signal }),
    ...kept(seen),
    structuralSharing: false,
  });

/** A value without its children, and the way to it. */
export const valueQuery = (seen: StateSeen, path: string) =>
  queryOptions({
    queryKey: [...stateKey(seen), 'value', path],
    queryFn: ({ signal }) => api.part(seen.at, { path, depth: 0, preview: VALUE_PREVIEW, hash: seen.hash }, { signal }),
    ...kept(seen),
  });

/** The first rows of a state, two levels deep. */
export const headQuery = (seen: StateSeen, rows: number) =>
  queryOptions({
    queryKey: [...stateKey(seen), 'head', rows],
    queryFn: ({ signal }) =>
      api.part(seen.at, { path: '$', limit: rows, depth: 2, preview: PREVIEW, hash: seen.hash }, { signal }),
    ...kept(seen),
  });

export const foundQuery = (seen: StateSeen, text: string) =>
  infiniteQueryOptions({
    queryKey: [...stateKey(seen), 'found', text],
    queryFn: ({ pageParam, signal }) =>
      api.findInState(seen.at, { text, from: pageParam, hash: seen.hash }, { signal }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (answer) => answer.next,
    enabled: text !== '',
    ...kept(seen),
  });
