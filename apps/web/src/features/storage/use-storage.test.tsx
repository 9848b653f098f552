// @vitest-environment jsdom
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { api } from '../../lib/api.ts';
import { createQueryClient, tasksQuery } from '../../lib/queries.ts';
import { useStorage } from './use-storage.ts';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const AGAIN_MS = 40;

it('is read again after saves, once for many', async () => {
  const client = createQueryClient();
  const tellTasks = (cursor: string): void =>
    act(() => void client.setQueryData(tasksQuery().queryKey, { items: [], failures: [], cursor }));
  const read = vi.spyOn(api, 'storage').mockRejectedValue(new Error('not asked for in this test'));
  tellTasks('none saved');
  renderHook(() => useStorage(AGAIN_MS), {
    wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
  });
  await waitFor(() => expect(read).toHaveBeenCalledOnce());
  tellTasks('none saved');
  await new Promise((resolve) => setTimeout(resolve, AGAIN_MS * 2));
  expect(read).toHaveBeenCalledOnce();
  client.setQueryData(['storage'], { stores: [] });
  for (const saved of ['one saved', 'two saved', 'three saved']) tellTasks(saved);
  expect(read).toHaveBeenCalledOnce();
  await waitFor(() => expect(read).toHaveBeenCalledTimes(2));
  await new Promise((resolve) => setTimeout(resolve, AGAIN_MS * 2));
  expect(read).toHaveBeenCalledTimes(2);
});
