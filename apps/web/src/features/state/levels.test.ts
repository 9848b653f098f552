import { parseJson } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { closeLevel, openLevel, openSiblings } from './levels.ts';
import { stateRows, type Opened } from './rows.ts';

const root = parseJson('{"a":{"x":{"deep":1},"y":{"deep":2}},"b":{"x":{"deep":3}},"c":1}');
const shown = (opened: Opened): string[] => stateRows(root, opened).map((row) => row.id);
const closed: Opened = new Map([
  ['$.a', false],
  ['$.b', false],
]);

describe('levels of a state', () => {
  it('open one after the other, everywhere, and close again', () => {
    const one = openLevel(stateRows(root, closed), closed);
    expect(shown(one)).toEqual(['$', '$.a', '$.a.x', '$.a.y', '$.b', '$.b.x', '$.c']);
    const two = openLevel(stateRows(root, one), one);
    expect(shown(two)).toHaveLength(10);
    const back = closeLevel(stateRows(root, two), two);
    expect(shown(back)).toEqual(shown(one));
    const shut = closeLevel(stateRows(root, back), back);
    expect(shown(shut)).toEqual(['$', '$.a', '$.b', '$.c']);
    expect(shown(closeLevel(stateRows(root, shut), shut))).toEqual(['$', '$.a', '$.b', '$.c']);
  });

  it('open what stands beside a row, and nothing elsewhere', () => {
    const one = openLevel(stateRows(root, closed), closed);
    const rows = stateRows(root, one);
    const beside = openSiblings(rows, 2, one);
    expect(shown(beside)).toEqual(['$', '$.a', '$.a.x', '$.a.x.deep', '$.a.y', '$.a.y.deep', '$.b', '$.b.x', '$.c']);
    expect(openSiblings(rows, 0, one)).toBe(one);
    expect(openSiblings(rows, -1, one)).toBe(one);
  });
});
