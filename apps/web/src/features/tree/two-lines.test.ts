import { expect, it } from 'vitest';
import { inTwoLines } from './two-lines.ts';

it.each([
  ['plan', 8, ['plan']],
  ['rank_companies', 10, ['rank_', 'companies']],
  ['API timeout after 30 s', 12, ['API timeout', 'after 30 s']],
  ['compile: ranking inconsistent with the summary', 12, ['compile:', 'ranking inc…']],
  ['implementation', 8, ['implemen', 'tation']],
  ['a-very-long-name-of-a-step', 6, ['a-', 'very-…']],
  ['😀😀😀😀😀😀', 4, ['😀😀😀😀', '😀😀']],
  ['', 4, ['']],
])('breaks %j into lines of %i', (name, most, lines) => {
  expect(inTwoLines(name, most)).toEqual(lines);
});
