import { diffJson } from '../diff/diff.ts';
import { wayBack } from './changes.ts';
import { Check } from './check.ts';
import { parseExpectation } from './expect.ts';
import { expect, it } from 'vitest';

function check(expectation: string, fees: readonly (number | undefined)[]) {
  const texts = fees.map((fee, nth) => JSON.stringify({ nth, ...(fee === undefined ? {} : { fee }) }));
  const found = new Check(parseExpectation(expectation), texts.at(-1) ?? '');
  for (let at = texts.length - 1; at > 0; at--) {
    const [before = '', after = ''] = [texts[at - 1], texts[at]];
    const { items } = diffJson(before, after);
    found.add({ at, items, before, after }, wayBack(items));
  }
  return { holds: found.holds, broken: found.broken?.at };
}

it.each([
  ['holds at the end', [1, 122], { holds: true, broken: undefined }],
  ['was right until a step', [122, 122, 350, 350], { holds: false, broken: 2 }],
  ['was never right: the step that first changed it', [undefined, 350, 351, 352], { holds: false, broken: 1 }],
  ['was mended, and broken again', [1, 350, 122, 360, 360], { holds: false, broken: 3 }],
  ['was removed', [122, 122, undefined], { holds: false, broken: 2 }],
  ['was never written', [5, 5, 5], { holds: false, broken: undefined }],
  ['was never there', [undefined, undefined], { holds: false, broken: undefined }],
] as const)('a value that %s', (_what, fees, expected) => {
  expect(check('fee=122', fees)).toEqual(expected);
});

it('compares figures digit for digit', () => {
  const texts = ['{"id":12345678901234567890}', '{"id":12345678901234567891}'];
  const found = new Check(parseExpectation('id=12345678901234567890'), texts[1] ?? '');
  const { items } = diffJson(texts[0] ?? '', texts[1] ?? '');
  found.add({ at: 1, items, before: texts[0] ?? '', after: texts[1] ?? '' }, wayBack(items));
  expect([found.holds, found.broken?.at]).toEqual([false, 1]);
});
