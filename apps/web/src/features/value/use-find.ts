import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { formatCount, plural } from '../../lib/format.ts';
import { useRested } from '../../lib/hooks.ts';
import { NEXT_PAGE } from '../../lib/queries.ts';
import { foundQuery, type PartSource } from './source.ts';

/** The search inside a state, and the place among its matches. More matches are fetched as they are reached. */
export function useFind(source: PartSource, path: string | undefined, onFound: (path: string) => void) {
  const [words, setWords] = useState('');
  const rested = useRested(words);
  const query = useInfiniteQuery(foundQuery(source, rested));
  // A value whose key matches too is one place to go to.
  const found = useMemo(() => {
    const items = query.data?.pages.flatMap((page) => page.items) ?? [];
    return items.filter((match, place) => match.path !== items[place - 1]?.path);
  }, [query.data]);
  const matches = useMemo(() => new Set(found.map((match) => match.path)), [found]);
  const at = path === undefined ? -1 : found.findIndex((match) => match.path === path);
  const { hasNextPage, isFetching, fetchNextPage } = query;

  const step = (by: 1 | -1): void => {
    if (by === 1 && at === found.length - 1 && hasNextPage) {
      void fetchNextPage(NEXT_PAGE).then((more) => {
        const next = more.data?.pages.at(-1)?.items.find((match) => match.path !== path);
        if (next) onFound(next.path);
      });
      return;
    }
    const next = found[(at + by + found.length) % found.length];
    if (next !== undefined) onFound(next.path);
  };

  // A search that ran out of time before its first match continues by itself.
  useEffect(() => {
    if (found.length === 0 && hasNextPage && !isFetching) void fetchNextPage(NEXT_PAGE);
  }, [found.length, hasNextPage, isFetching, fetchNextPage]);

  // Only new words lead to their first match; moving about must not.
  const toFirst = useRef<() => void>(undefined);
  toFirst.current = () => {
    if (found[0] !== undefined && at === -1) onFound(found[0].path);
  };
  const first = found[0]?.path;
  useEffect(() => toFirst.current?.(), [first, rested]);

  return {
    words,
    setWords,
    matches,
    step,
    match: found[at],
    error: query.error,
    isSearching: words !== '' && (isFetching || rested !== words),
    summary: rested === words && !query.isPending ? summaryOf(found.length, at, hasNextPage, isFetching) : '',
  };
}

export type Find = ReturnType<typeof useFind>;

function summaryOf(count: number, at: number, more: boolean, isFetching: boolean): string {
  if (count === 0 && (more || isFetching)) return 'searching';
  const all = more ? `the first ${plural(count, 'match', 'matches')}` : plural(count, 'match', 'matches');
  return at === -1 ? all : `${formatCount(at + 1)} of ${all}`;
}
