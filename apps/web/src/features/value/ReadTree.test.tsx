// @vitest-environment jsdom
import { sha256Hex } from '@checkpoint-inspector/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { Data } from './ReadTree.tsx';
import { textParts } from './source.ts';

afterEach(cleanup);

it('names data by type, size and hash, and never shows it', async () => {
  const bytes = Uint8Array.from({ length: 900 }, (_, at) => (at * 7919) % 251);
  const image = `"data:image/png;base64,${btoa(String.fromCharCode(...bytes))}"`;
  const source = textParts(`{"image":${image}}`);
  const note = source.now({ path: '$.image', depth: 0 });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Data source={source} found={{ path: ['image'], note }} blob={note.blob ?? { bytes: 0 }} />
    </QueryClientProvider>,
  );
  const hash = await sha256Hex(bytes);
  expect(await screen.findByTitle(`sha256 ${hash}`)).toBeDefined();
  expect(document.body.textContent).toContain('image/png');
  expect(document.body.textContent).toContain('900 B');
  expect(screen.getByRole('button', { name: 'Download 900 B' })).toBeDefined();
  expect(document.querySelector('img')).toBeNull();
});
