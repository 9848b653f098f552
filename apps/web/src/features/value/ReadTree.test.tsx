// @vitest-environment jsdom
import { formatPath, sha256Hex } from '@checkpoint-inspector/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { Data, Value } from './ReadTree.tsx';
import { Before } from './Marks.tsx';
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

it('masks a value that only its path says is a secret, in its row and in that of its container', () => {
  const source = textParts('{"db":{"password":"hunter2","pin":4711}}');
  for (const path of [['db'], ['db', 'password'], ['db', 'pin']]) {
    const note = source.now({ path: formatPath(path), depth: 0 });
    render(<Value note={note} open={false} path={path} />);
  }
  render(<Before item={{ path: '$.db.pin', kind: 'changed', before: '4712', after: '4711' }} />);
  expect(document.body.textContent).not.toMatch(/hunter2|471/);
  expect(document.body.textContent).toContain('password');
});
