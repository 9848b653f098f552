import fc from 'fast-check';
import { expect, it } from 'vitest';
import { tokensOf } from './tokens.ts';

it('finds words in camel and snake case, and numbers with their points', () => {
  expect(tokensOf('totalUSD_2 HTTPServer 1,200.50. T-482').words).toEqual([
    'total',
    'usd',
    '2',
    'http',
    'server',
    '1,200.50',
    't',
    '482',
  ]);
});

it('finds the same words among English letters only as among any', () => {
  const letters = fc.string({ unit: fc.constantFrom(...Array.from('aZbY09., _-\n')), maxLength: 30 });
  fc.assert(
    fc.property(letters, (text) => {
      const { words, starts, ends } = tokensOf(text);
      const other = tokensOf(`${text} é`);
      expect([words, starts, ends]).toEqual([
        other.words.slice(0, -1),
        other.starts.slice(0, -1),
        other.ends.slice(0, -1),
      ]);
      expect(starts.map((start, at) => text.slice(start, ends[at]).toLowerCase())).toEqual(words);
    }),
  );
});
