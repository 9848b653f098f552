import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { sha256 } from './text.ts';

const MB = 1 << 20;

it.each([
  ['a character on the border of two pieces', `${'x'.repeat(MB - 1)}😀${'y'.repeat(MB)}`],
  ['a lone half on the border', `${'x'.repeat(MB - 1)}\ud83d`],
  ['whole pieces', 'é'.repeat(2 * MB)],
  ['a short text', 'é'],
])('hashes %s as its UTF-8 bytes', (_what, text) => {
  expect(sha256(text)).toBe(hash('sha256', Buffer.from(text), 'hex'));
});
