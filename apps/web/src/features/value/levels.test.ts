import { formatPath } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { groupLevels } from '../diff/groups.ts';
import { besideOf, lastLevel, nextLevel } from './levels.ts';
import { closed, firstOpened, knownChild, rowsOf, type OpenNodes } from './rows.ts';
import { PAGE, pageNow, textParts } from './source.ts';
import { levelsOf, withLevels } from './use-tree.ts';

describe('levels', () => {
  const levels = [
    { name: 'a', open: true, depth: 0, beside: '0' },
    { name: 'a.x', open: false, depth: 1, beside: '1' },
    { name: 'a.y', open: true, depth: 1, beside: '1' },
    { name: 'b', open: false, depth: 0, beside: '0' },
  ];
  const names = (some: readonly { readonly name: string }[]) => some.map(({ name }) => name);

  it('open what is closed, close what is deepest, and find what is beside', () => {
    expect(names(nextLevel(levels))).toEqual(['a.x', 'b']);
    expect(names(lastLevel(levels))).toEqual(['a.y']);
    expect(names(besideOf(levels, '0'))).toEqual(['b']);
    expect([nextLevel([]), lastLevel([])]).toEqual([[], []]);
  });

  it('take the heads of a list as one level', () => {
    expect(groupLevels([{ kind: 'group', name: 'plan', open: true }, { kind: 'change' }])).toEqual([
      { name: 'plan', open: true, depth: 0, beside: '' },
    ]);
  });
});

describe('levels of a state', () => {
  const source = textParts('{"a":{"x":{"deep":1},"y":{"deep":2}},"b":{"x":{"deep":3}},"c":1}');
  const pageOf = (parent: string, place: number) => pageNow(source, parent, Math.floor(place / PAGE));
  const shown = (nodes: OpenNodes): string[] =>
    rowsOf(nodes, new Set()).map((row) => {
      if (row.kind === 'range' || row.parent === undefined) return '$';
      const child = pageOf(row.parent, row.place)?.children?.[row.place % PAGE];
      return child ? formatPath(knownChild(row.parent, child).path) : 'unknown';
    });
  const levels = (nodes: OpenNodes) => levelsOf(nodes, pageOf);
  const more = (nodes: OpenNodes) => withLevels(nodes, nextLevel(levels(nodes)));
  const less = (nodes: OpenNodes) => withLevels(nodes, lastLevel(levels(nodes)));
  const root = firstOpened(source.now({ path: '$' }));
  const shut = closed(closed(root, '$.a'), '$.b');

  it('begin with the root and small containers right below it', () => {
    expect(shown(root)).toEqual(['$', '$.a', '$.a.x', '$.a.y', '$.b', '$.b.x', '$.c']);
    expect(shown(shut)).toEqual(['$', '$.a', '$.b', '$.c']);
  });

  it('open one after the other, everywhere, and close again', () => {
    const one = more(shut);
    expect(shown(one)).toEqual(['$', '$.a', '$.a.x', '$.a.y', '$.b', '$.b.x', '$.c']);
    const two = more(one);
    expect(shown(two)).toHaveLength(10);
    const back = less(two);
    expect(shown(back)).toEqual(shown(one));
    const again = less(back);
    expect(shown(again)).toEqual(['$', '$.a', '$.b', '$.c']);
    expect(shown(less(again))).toEqual(['$', '$.a', '$.b', '$.c']);
  });

  it('open what is beside a row, and nothing elsewhere', () => {
    const one = more(shut);
    const beside = withLevels(one, besideOf(levels(one), '$.a'));
    expect(shown(beside)).toEqual(['$', '$.a', '$.a.x', '$.a.x.deep', '$.a.y', '$.a.y.deep', '$.b', '$.b.x', '$.c']);
    expect(besideOf(levels(one), undefined)).toEqual([]);
  });

  it('know of a large state what was read', () => {
    const read = (parent: string, place: number) => (parent === '$' ? pageOf(parent, place) : undefined);
    expect(levelsOf(root, read).map(({ name, open }) => [name, open])).toEqual([
      ['$.a', true],
      ['$.b', true],
    ]);
  });
});
