import { expect, it } from 'vitest';
import { fromWhereTheyPart } from './alike.ts';

it.each([
  [
    '"CompanyA leads with 5.1 bn. CompanyB follows"',
    '"CompanyA leads with 5.1 bn. CompanyB leads"',
    '…bn. CompanyB follows"',
    '…bn. CompanyB leads"',
  ],
  [`"${'x'.repeat(40)}a"`, `"${'x'.repeat(40)}b"`, `…${'x'.repeat(12)}a"`, `…${'x'.repeat(12)}b"`],
  ['"short a"', '"short b"', '"short a"', '"short b"'],
  // One that only goes on is shown from its beginning.
  [`"${'y'.repeat(40)}`, `"${'y'.repeat(40)} and more`, `"${'y'.repeat(40)}`, `"${'y'.repeat(40)} and more`],
])('%s and %s', (before, after, ...parted) => {
  expect(fromWhereTheyPart(before, after)).toEqual(parted);
});
