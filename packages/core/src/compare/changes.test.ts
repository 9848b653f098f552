import { expect, it } from 'vitest';
import { diffJson } from '../diff/index.ts';
import { compareChanges } from './changes.ts';

const changes = (before: object, after: object) => diffJson(JSON.stringify(before), JSON.stringify(after)).items;

it('compares what two steps changed, whatever was there before', () => {
  const a = changes({ n: 1, other: 'a' }, { n: 2, other: 'a' });
  expect(compareChanges(a, changes({ n: 0, other: 'b' }, { n: 2, other: 'b' }))).toEqual({ differ: 0, of: 1 });
  expect(compareChanges(a, changes({ n: 1 }, { n: 3 }))).toEqual({ differ: 1, of: 1 });
});

it('counts what one of them left alone, and what both removed', () => {
  const a = changes({ x: 1, y: 1, z: 1 }, { x: 2, y: 1 });
  const b = changes({ x: 1, y: 1, z: 9 }, { x: 1, y: 2 });
  expect(compareChanges(a, b)).toEqual({ differ: 2, of: 3 });
});

it('takes two spellings of a value for equal, and two times at which a step ran', () => {
  expect(compareChanges(changes({}, { o: { a: 1, b: 2 } }), changes({}, { o: { b: 2, a: 1 } }))).toMatchObject({
    differ: 0,
  });
  const at = (time: string) => changes({ at: null }, { at: time });
  expect(compareChanges(at('2026-03-01T10:00:00Z'), at('2026-03-01T09:00:00Z'))).toEqual({ differ: 0, of: 1 });
});
