import type { Address } from '@checkpoint-inspector/core';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../../lib/api.ts';
import { keys } from '../../lib/queries.ts';
import { HEAD_BYTES, rawHead } from './hex.ts';

/** The first of the stored bytes, and how many there are in all. */
export const rawHeadQuery = (at: Address, hash?: string) =>
  queryOptions({
    queryKey: [...keys.raw(at, hash), 'head'],
    queryFn: async ({ signal }) => {
      const { head, size } = await api.rawHead(at, HEAD_BYTES, { signal });
      return { head: await rawHead(head, size), size };
    },
    gcTime: 30_000,
  });
