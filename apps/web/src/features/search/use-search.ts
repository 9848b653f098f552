import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { searchQuery } from '../../lib/queries.ts';

/** While the index grows, the answer is asked again so often. */
const AGAIN_MS = 1_000;

/** The results of a query; those of the one before stay until there are new ones, also while it cannot be read. */
export function useSearch(text: string) {
  const found = useInfiniteQuery({
    ...searchQuery(text),
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.coverage.every(({ isSettled }) => isSettled) === false ? AGAIN_MS : false,
  });
  const last = useRef(found.data);
  if (found.data !== undefined) last.current = found.data;
  const shown = found.data ?? last.current;
  const items = useMemo(() => shown?.pages.flatMap((page) => page.items) ?? [], [shown]);
  return { ...found, items, first: shown?.pages[0] };
}
