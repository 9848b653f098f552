import { describe, expect, it } from 'vitest';
import { applyDifferences, diffJson } from './index.ts';
import type { Difference } from './index.ts';

describe('applyDifferences', () => {
  it('copies what did not change as it is written', () => {
    const before = '{"a" : 1.0, "n":12345678901234567890, "keep": [ 1,  2 ], "drop": 0}';
    const items: Difference[] = [
      { path: '$.drop', kind: 'removed', before: '0' },
      { path: '$.a', kind: 'changed', before: '1.0', after: '-0' },
      { path: '$["new key"]', kind: 'added', after: '[]' },
    ];
    expect(applyDifferences(before, items)).toBe('{"a":-0,"n":12345678901234567890,"keep":[ 1,  2 ],"new key":[]}');
    expect(applyDifferences(before, [])).toBe(before);
  });

  it('puts array elements at their new places', () => {
    const items: Difference[] = [
      { path: '$[0]', kind: 'removed', before: '0' },
      { path: '$[1]', kind: 'added', after: '9' },
      { path: '$[0]', kind: 'moved', from: '$[3]', after: '3' },
      { path: '$[3]', kind: 'changed', before: '2', after: '7' },
    ];
    expect(applyDifferences('[0,1,2,3]', items)).toBe('[3,9,1,7]');
  });

  it('follows old paths inside moved elements', () => {
    const before = '{"m":[{"id":1,"l":["a","b"]},{"id":2},{"id":3}]}';
    const after = '{"m":[{"id":2},{"id":3},{"id":1,"l":["b","c"]}]}';
    const { items } = diffJson(before, after);
    expect(items.map(({ kind, path, from }) => [kind, path, from])).toEqual([
      ['moved', '$.m[2]', '$.m[0]'],
      ['removed', '$.m[0].l[0]', undefined],
      ['added', '$.m[2].l[1]', undefined],
    ]);
    expect(applyDifferences(before, items)).toBe(after);
  });

  it('changes only the last of duplicate keys', () => {
    expect(applyDifferences('{"a":1,"a":2}', [{ path: '$.a', kind: 'changed', before: '2', after: '3' }])).toBe(
      '{"a":1,"a":3}',
    );
  });

  it('replaces the whole state', () => {
    expect(applyDifferences('{"a":1}', [{ path: '$', kind: 'type-changed', before: '{"a":1}', after: '[]' }])).toBe(
      '[]',
    );
  });

  it('works on states of 200,000 levels', () => {
    const deep = (core: string): string => '{"a":['.repeat(100_000) + core + ']}'.repeat(100_000);
    expect(applyDifferences(deep('1'), diffJson(deep('1'), deep('2')).items)).toBe(deep('2'));
  });

  it.each<[string, Difference]>([
    ['a key that is not there', { path: '$.x', kind: 'changed', before: '1', after: '2' }],
    ['a removed key that is not there', { path: '$.x', kind: 'removed', before: '1' }],
    ['an added key that is there', { path: '$.a', kind: 'added', after: '1' }],
    ['an index past the end', { path: '$.l[5]', kind: 'added', after: '1' }],
    ['an old index past the end', { path: '$.l[5]', kind: 'removed', before: '1' }],
    ['an index in an object', { path: '$[0]', kind: 'added', after: '1' }],
    ['a key in an array', { path: '$.l.x', kind: 'added', after: '1' }],
    ['a place inside a scalar', { path: '$.a.b', kind: 'added', after: '1' }],
    ['a move from nowhere', { path: '$.l[0]', kind: 'moved', from: '$.l[9]', after: '1' }],
    ['no new value', { path: '$.a', kind: 'changed', before: '1' }],
    ['the whole state removed', { path: '$', kind: 'removed', before: '{}' }],
    ['a path that is none', { path: 'a', kind: 'added', after: '1' }],
  ])('refuses rows of another state: %s', (_what, item) => {
    expect(() => applyDifferences('{"a":1,"l":[1,2]}', [item])).toThrow(
      expect.objectContaining({ code: 'invalid_input' }),
    );
  });
});
