import { expect, it } from 'vitest';
import { changesOf } from './changes.ts';

const changes = changesOf([
  { path: '$.a.b', kind: 'changed', before: '1.0', after: '1' },
  { path: '$.a.gone', kind: 'removed', before: '2' },
  { path: '$.new', kind: 'added', after: '{"x":{"y":1}}' },
  { path: '$.list[1]', kind: 'moved', from: '$.list[0]' },
]);

it('finds the change of a value, but no row for one that is gone', () => {
  expect(changes.at('$.a.b')).toMatchObject({ kind: 'changed', before: '1.0' });
  expect(changes.at('$.a.gone')).toBeUndefined();
  expect(changes.at('$.list[1]')?.kind).toBe('moved');
  expect(changes.at('$.a')).toBeUndefined();
});

it('counts what a container holds', () => {
  expect(['$', '$.a', '$.list', '$.a.b', '$.other'].map(changes.inside)).toEqual([4, 2, 1, 0, 0]);
});

it('knows what came with a value that is new as a whole', () => {
  expect(changes.isInsideAdded(['new', 'x', 'y'])).toBe(true);
  expect(changes.isInsideAdded(['new'])).toBe(false);
  expect(changes.isInsideAdded(['a', 'b'])).toBe(false);
});
