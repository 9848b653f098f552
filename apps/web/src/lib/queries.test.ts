// @vitest-environment jsdom
import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { NEXT_PAGE } from './queries.ts';

it('going on with a list that is being read again keeps what that finds', async () => {
  let stored = ['a', 'b'];
  const observer = new InfiniteQueryObserver(new QueryClient(), {
    queryKey: ['trash'],
    queryFn: async ({ pageParam }) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return { items: stored.slice(pageParam, pageParam + 1), next: pageParam + 1 };
    },
    initialPageParam: 0,
    getNextPageParam: ({ next }) => (next < stored.length ? next : undefined),
  });
  const stop = observer.subscribe(() => undefined);
  await observer.refetch();
  stored = [];
  const again = observer.refetch();
  await observer.fetchNextPage(NEXT_PAGE);
  await again;
  expect(observer.getCurrentResult().data?.pages.flatMap(({ items }) => items)).toEqual([]);
  stop();
});
