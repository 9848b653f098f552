import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { quotedIn, quoteOf } from './quote.mjs';

it('the page on performance quotes the figures of RESULTS.md, with their conditions', () => {
  const read = (path) => readFileSync(new URL(path, import.meta.url), 'utf8');
  const quote = quoteOf(read('RESULTS.md'));
  expect(quote.split('\n').filter((line) => line.startsWith('| '))).toHaveLength(9);
  expect(quote).toMatch(/Conditions: .*seeds 1, 2, 3, 4, 5/);
  expect(quotedIn(read('../../apps/cli/docs/performance.md'))).toBe(quote);
});
