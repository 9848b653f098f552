import type { Difference } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { rankedRows } from './groups.ts';
import { firstChange, ranked, rankedOrder, splitPath } from './ranking.ts';

const change = (path: string, before: string, after: string): Difference => ({ path, kind: 'changed', before, after });
const ITEMS = [change('$.step', '1', '2'), change('$.a.b', '4.2', '4.3'), change('$.c.d', '4.2', '4200')];

describe('the ranked list', () => {
  it('has the jump first and the counter last, once it is unfolded', () => {
    expect(firstChange(ITEMS)?.path).toBe('$.c.d');
    expect(firstChange(undefined)).toBeUndefined();
    expect(rankedOrder(ITEMS).map(({ path }) => path)).toEqual(['$.c.d', '$.a.b', '$.step']);
    expect(rankedRows(ITEMS, false).map(({ label }) => label)).toEqual(['c.d', 'a.b']);
    expect(rankedRows(ITEMS, true).map(({ label }) => label)).toEqual(['c.d', 'a.b', 'step']);
  });

  it('is worked out once for the same rows', () => expect(ranked(ITEMS)).toBe(ranked(ITEMS)));
});

describe('splitPath', () => {
  it.each([
    ['context.revenue.CompanyB', 'context.revenue.', 'CompanyB'],
    ['plan[3].tags[0]', 'plan[3].', 'tags[0]'],
    ['context["a.b"]', 'context', '["a.b"]'],
    ['[2]', '', '[2]'],
    ['$', '', '$'],
  ])('%s', (path, prefix, leaf) => expect(splitPath(path)).toEqual([prefix, leaf]));
});
