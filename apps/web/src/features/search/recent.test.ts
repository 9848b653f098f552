import { expect, it } from 'vitest';
import { withSearch } from './recent.ts';

it('keeps the newest searches, each once, and not what was typed on the way', () => {
  const typed = ['4', '42', '4200', 'timeout', '420', '4200 '].reduce<readonly string[]>(withSearch, []);
  expect(typed).toEqual(['4200', 'timeout']);
  expect(withSearch(['a'], ' ')).toEqual(['a']);
  const many = Array.from({ length: 12 }, (_, at) => `w${String.fromCodePoint(97 + at)}`);
  expect(many.reduce<readonly string[]>(withSearch, [])).toEqual(many.slice(4).toReversed());
});
