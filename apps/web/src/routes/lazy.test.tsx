// @vitest-environment jsdom
import { InspectorError } from '@checkpoint-inspector/core';
import { QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RouteError } from '../features/shell/RouteError.tsx';
import { api } from '../lib/api.ts';
import { createQueryClient } from '../lib/queries.ts';
import { lazy } from './lazy.tsx';

beforeEach(() => {
  vi.spyOn(console, 'error').mockReturnValue(undefined); // React reports what a boundary has caught
  vi.spyOn(api, 'status').mockRejectedValue(new InspectorError('internal', 'The server does not answer.'));
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  document.head.replaceChildren();
});

const Page = () => <p>the page</p>;

function drawn(load: () => Promise<{ Page: typeof Page }>) {
  const root = createRootRoute();
  const home = createRoute({ getParentRoute: () => root, path: '/', component: lazy(load, 'Page') });
  const router = createRouter({
    routeTree: root.addChildren([home]),
    history: createMemoryHistory(),
    defaultErrorComponent: RouteError,
  });
  render(
    <QueryClientProvider client={createQueryClient()}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  );
}

it('a page that cannot be fetched while the server is away says so, and is fetched again by its button', async () => {
  const load = vi.fn(async () => ({ Page })).mockRejectedValueOnce(new TypeError('Failed to fetch'));
  drawn(load);
  await screen.findByText('The server does not answer.');
  act(() => screen.getByRole('button', { name: 'Try again' }).click());
  await screen.findByText('the page');
  expect(screen.queryByText('The server does not answer.')).toBeNull();
});

it('styles that could not be fetched are asked for again with the page', async () => {
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: '/page.css' });
  const load = vi
    .fn(async () => ({ Page }))
    .mockImplementationOnce(async () => {
      document.head.append(link);
      link.dispatchEvent(new Event('error'));
      throw new Error('Unable to preload CSS');
    });
  drawn(load);
  await screen.findByText('The server does not answer.');
  act(() => screen.getByRole('button', { name: 'Try again' }).click());
  await screen.findByText('the page');
  const [again, ...others] = document.head.querySelectorAll('link');
  expect(others).toEqual([]);
  expect(again?.href).toBe(link.href);
  expect(again).not.toBe(link);
});
