// @vitest-environment jsdom
import { blobAt, sha256Hex } from '@checkpoint-inspector/core';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { StoredBlob } from './StoredBlob.tsx';

afterEach(cleanup);

it('names data by type, size and hash, and never shows it', async () => {
  const bytes = Uint8Array.from({ length: 900 }, (_, at) => (at * 7919) % 251);
  const source = `"data:image/png;base64,${btoa(String.fromCharCode(...bytes))}"`;
  const blob = blobAt(source, 0, source.length);
  expect(blob).toBeDefined();
  render(<StoredBlob blob={blob ?? { bytes: 0 }} source={source} path="$.image" />);
  const hash = await sha256Hex(bytes);
  expect(await screen.findByTitle(`sha256 ${hash}`)).toBeDefined();
  expect(document.body.textContent).toContain('image/png');
  expect(document.body.textContent).toContain('900 B');
  expect(screen.getByRole('button', { name: 'Download 900 B' })).toBeDefined();
  expect(document.querySelector('img')).toBeNull();
});
