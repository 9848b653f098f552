import { storeId, type Task } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import { comparison, toggled, wordsOf } from './picked.ts';

const task = (id: string): Task => ({
  store: storeId('s'),
  id,
  title: id,
  system: 'native',
  checkpointCount: 1,
  unreadable: 0,
  status: 'completed',
});
const [a, b, c] = [task('a/1'), task('b'), task('c')];

it('keeps the last two that were selected, and leaves one out that is selected again', () => {
  expect(toggled([a], b)).toEqual([a, b]);
  expect(toggled([a, b], c)).toEqual([b, c]);
  expect(toggled([a, b], { ...a, status: 'failed' })).toEqual([b]);
});

it('leads to the comparison of two, and says what is missing before', () => {
  expect(comparison([a, b])).toEqual({ to: '/compare/runs', search: { a: 's/a%2F1', b: 's/b' } });
  expect(comparison([a])).toBeUndefined();
  expect(wordsOf([a])).toBe('1 selected. Select another one to compare their runs.');
});
