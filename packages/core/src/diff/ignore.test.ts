import { describe, expect, it } from 'vitest';
import { parsePath } from '../json/index.ts';
import { IgnoreRules } from './ignore.ts';

describe('IgnoreRules', () => {
  it.each([
    ['$.a.b', '$.a.b', true],
    ['$.a.b', '$.a', false],
    ['$.a.b', '$.a.b.c', false],
    ['$.a', '$["a"]', true],
    ['$["0"]', '$[0]', false],
    ['$.a.*', '$.a.b', true],
    ['$.a.*', '$.a[3]', true],
    ['$.a[*].t', '$.a[3].t', true],
    ['$.a[*].t', '$.a.x.t', true],
    ['$.a.*', '$.a', false],
    ['$.a.*', '$.a.b.c', false],
    ['$.a.**', '$.a.b', true],
    ['$.a.**', '$.a.b[0].c', true],
    ['$.a.**', '$.a', false],
    ['$.**', '$.x', true],
    ['$.**', '$', false],
    ['$', '$', true],
    ['$["branch:*"]', '$["branch:to:agent"]', true],
    ['$["branch:*"]', '$["branch"]', false],
    ['$["branch:*"]', '$["branch:to:agent"].x', false],
    ['$["*"]', '$.x', false],
    ['$["*"]', '$["*"]', true],
    ['$.__proto__', '$.__proto__', true],
    ['$.toString', '$.valueOf', false],
  ])('%s against %s: %s', (rule, path, expected) => {
    expect(new IgnoreRules([rule]).hides(parsePath(path))).toBe(expected);
  });

  it('counts a difference once, for the first rule that hides it', () => {
    const rules = new IgnoreRules(['$.x', '$.a', '$.*']);
    for (const key of ['a', 'b', 'c']) rules.hides([key]);
    expect(rules.covers(['a'])).toBe(true);
    expect(rules.counts()).toEqual([
      { rule: '$.x', count: 0 },
      { rule: '$.a', count: 1 },
      { rule: '$.*', count: 2 },
    ]);
  });
});
