import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lineAt, linesOf, placesOf } from './lines.ts';

it('numbers lines, and cuts long ones without a number of their own', () => {
  expect(linesOf('a\nbcdef\n', 3)).toEqual([
    { number: 1, text: 'a\n', start: 0 },
    { number: 2, text: 'bcd', start: 2 },
    { text: 'ef\n', start: 5 },
  ]);
  expect(linesOf('')).toEqual([{ number: 1, text: '', start: 0 }]);
});

it('loses no letter, and finds the line of each', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', 'bb', '\n', '\r\n', '😀')),
      fc.integer({ min: 1, max: 5 }),
      (parts, most) => {
        const text = parts.join('');
        const lines = linesOf(text, most);
        expect(lines.map((line) => line.text).join('')).toBe(text);
        for (let at = 0; at < text.length; at++) {
          const line = lines[lineAt(lines, at)];
          expect(at >= (line?.start ?? -1) && at < (line?.start ?? 0) + (line?.text.length ?? 0)).toBe(true);
        }
      },
    ),
  );
});

it('finds words however they are written', () => {
  expect(placesOf('Revenue, revenue', 'REVENUE')).toEqual([0, 9]);
  expect(placesOf('İ revenue', 'revenue')).toEqual([2]);
  expect(placesOf('aaaa', 'aa')).toEqual([0, 2]);
  expect(placesOf('a', '')).toEqual([]);
});
