import { expect, it } from 'vitest';
import { fromWhereTheyDiffer } from './alike.ts';

it.each([
  [
    '"CompanyA leads with 5.1 bn. CompanyB follows"',
    '"CompanyA leads with 5.1 bn. CompanyB leads"',
    '…follows"',
    '…leads"',
  ],
  [`"${'x'.repeat(40)}a"`, `"${'x'.repeat(40)}b"`, `…${'x'.repeat(6)}a"`, `…${'x'.repeat(6)}b"`],
  ['"short a"', '"short b"', '"short a"', '"short b"'],
  // One that only goes on is shown from its beginning.
  [`"${'y'.repeat(40)}`, `"${'y'.repeat(40)} and more`, `"${'y'.repeat(40)}`, `"${'y'.repeat(40)} and more`],
])('%s and %s', (before, after, ...parted) => {
  expect(fromWhereTheyDiffer({ before, after }, (text) => text)).toEqual(parted);
  expect(fromWhereTheyDiffer({ before, after, afterLength: 9_000 }, (text) => text)).toEqual([before, after]);
});
