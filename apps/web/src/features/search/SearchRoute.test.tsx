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
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createQueryClient } from '../../lib/queries.ts';
import { parseSearch, searchSearch, stringifySearch } from '../../lib/search.ts';
import { nearMark } from './SearchHit.tsx';
import { SearchRoute } from './SearchRoute.tsx';

const coverage = [{ store: 'db', of: 10, indexed: 8, partly: 0, locked: 1, unreadable: 1, isSettled: true }];
const answers: Record<string, object> = {
  '4200': { items: [], total: 0, atLeast: false, cut: false, tookMs: 3, coverage },
  slow: { items: [], total: 7, atLeast: true, cut: true, tookMs: 1000, coverage },
};
const asked: string[] = [];

function answer(input: RequestInfo | URL): Response {
  const url = new URL(String(input), 'http://localhost');
  if (url.pathname === '/api/search') {
    const q = url.searchParams.get('q') ?? '';
    asked.push(q);
    const known = answers[q];
    if (known) return Response.json(known);
    return Response.json(new InspectorError('invalid_input', `"${q}" is no token.`).toWire(), { status: 400 });
  }
  return Response.json({ items: [], failures: [] });
}

beforeEach(() => {
  asked.length = 0;
  vi.stubGlobal(
    'fetch',
    vi.fn((input: RequestInfo | URL) => Promise.resolve(answer(input))),
  );
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: vi.fn(), removeEventListener: vi.fn() }));
  vi.stubGlobal('scrollTo', vi.fn());
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** The page alone, without the frame that asks for a token. */
function open(path: string) {
  const root = createRootRoute();
  const search = createRoute({
    getParentRoute: () => root,
    path: '/search',
    validateSearch: searchSearch,
    component: SearchRoute,
  });
  const router = createRouter({
    routeTree: root.addChildren([search]),
    parseSearch,
    stringifySearch,
    history: createMemoryHistory({ initialEntries: [path] }),
  });
  render(
    <QueryClientProvider client={createQueryClient()}>
      {/* The registered router is the app's; this one has a part of its routes. */}
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  );
  return router;
}

describe('the search page', () => {
  it('asks once typing rests, keeps the address, and says that nothing was found only as far as it looked', async () => {
    const router = open('/search');
    const field = await screen.findByTestId('search-field');
    expect(screen.getByTestId('search-help').textContent).toContain('status:failed');
    for (const text of ['4', '42', '420', '4200']) fireEvent.change(field, { target: { value: text } });
    await waitFor(() => expect(screen.getByTestId('empty').textContent).toContain('in what was searched'));
    expect(asked.filter((q) => q !== '')).toEqual(['4200']);
    expect(router.state.location.search).toEqual({ q: '4200' });
    expect(screen.getByTestId('search-coverage').textContent).toContain('8 of 10 indexed, 1 locked, 1 unreadable');
  });

  it('says that it was cut off', async () => {
    open('/search?q=slow');
    expect((await screen.findByTestId('search-said')).textContent).toContain('cut off after one second');
  });

  it('says what it cannot read, and keeps how much is searched on the screen', async () => {
    open('/search?q=4200');
    await screen.findByTestId('empty');
    fireEvent.change(screen.getByTestId('search-field'), { target: { value: 'statsu:x' } });
    expect((await screen.findByTestId('search-problem')).textContent).toContain('"statsu:x" is no token.');
    expect(screen.getByTestId('search-coverage').textContent).toContain('8 of 10 indexed');
  });
});

describe('a snippet where there is little room', () => {
  it('begins near its match, and marks the same text', () => {
    const snippet = {
      text: '"one two three four"',
      marks: [{ start: 15, end: 19 }],
      cutBefore: false,
      cutAfter: false,
    };
    const near = nearMark(snippet, 4);
    expect(near).toMatchObject({ text: 'ree four"', cutBefore: true, cutAfter: false });
    expect(near.marks.map(({ start, end }) => near.text.slice(start, end))).toEqual(['four']);
    expect(nearMark(snippet, 40)).toBe(snippet);
  });
});
