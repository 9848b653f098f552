// @vitest-environment jsdom
import { InspectorError } from '@checkpoint-inspector/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { createQueryClient } from '../../lib/queries.ts';
import { Gone } from './Gone.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it('says why it cannot tell what became of a checkpoint, and asks again', async () => {
  const refused = Response.json(new InspectorError('internal', 'No journal.').toWire(), { status: 500 });
  const answer = vi.fn(async () => Response.json({ state: 'never' })).mockResolvedValueOnce(refused);
  vi.stubGlobal('fetch', answer);
  render(
    <QueryClientProvider client={createQueryClient()}>
      <Gone store="runs" task="t" id="cp-9">
        <button type="button">Show the latest</button>
      </Gone>
    </QueryClientProvider>,
  );
  await screen.findByText('No journal.');
  expect(screen.queryByRole('progressbar')).toBeNull();
  expect(screen.getByText('Show the latest')).toBeTruthy();
  fireEvent.click(screen.getByText('Try again'));
  await screen.findByText('Not found');
});
