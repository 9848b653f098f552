// @vitest-environment jsdom
import { InfiniteQueryObserver, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderHook } from '@testing-library/react';
import { createElement, type ReactNode } from 'react';
import { expect, it } from 'vitest';
import { NEXT_PAGE, tasksQuery, useTaskTitle } from './queries.ts';

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

it('calls a task by its title, by its store and id, and by its id where it is not known', () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  const facts = { system: 's', checkpointCount: 1, unreadable: 0, status: 'completed' } as const;
  const items = [
    { ...facts, store: 'a', id: '5b1d', title: 'Why does it fail?' },
    { ...facts, store: 'b', id: '5b1d', title: 'Another' },
  ];
  client.setQueryData(tasksQuery().queryKey, { items, failures: [] } as never);
  const wrapper = ({ children }: { readonly children: ReactNode }) =>
    createElement(QueryClientProvider, { client }, children);
  const titleOf = (store: string, id: string) => renderHook(() => useTaskTitle(store, id), { wrapper }).result.current;
  expect([titleOf('a', '5b1d'), titleOf('b', '5b1d'), titleOf('a', 'x')]).toEqual([
    'Why does it fail?',
    'Another',
    'x',
  ]);
});
