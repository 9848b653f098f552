import { expect, it } from 'vitest';
import { listText } from './list-text.ts';

it.each([0, 1, 499, 500, 501, 1_700])('writes %d items as JSON.stringify does', async (count) => {
  const items = Array.from({ length: count }, (_, n) => ({
    n,
    text: `"ü😀\n${n}`,
    absent: undefined,
    list: [n, null],
  }));
  expect(Buffer.from(await listText(items)).toString()).toBe(JSON.stringify({ items }));
});
