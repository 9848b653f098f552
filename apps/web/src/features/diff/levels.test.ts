import { expect, it } from 'vitest';
import { besideOf, groupLevels, lastLevel, nextLevel } from './levels.ts';

const levels = [
  { name: 'a', open: true, depth: 0 },
  { name: 'a.x', open: false, depth: 1 },
  { name: 'a.y', open: true, depth: 1 },
  { name: 'b', open: false, depth: 0 },
];

it('opens what is closed, closes what is deepest, and finds what stands beside', () => {
  expect(nextLevel(levels)).toEqual(['a.x', 'b']);
  expect(lastLevel(levels)).toEqual(['a.y']);
  expect(besideOf(levels, 0)).toEqual(['b']);
  expect([nextLevel([]), lastLevel([])]).toEqual([[], []]);
});

it('takes the heads of a list as one level', () => {
  expect(groupLevels([{ kind: 'group', name: 'plan', open: true }, { kind: 'change' }])).toEqual([
    { name: 'plan', open: true, depth: 0 },
  ]);
});
