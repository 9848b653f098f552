import { storeId, type Task } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import { newsOf } from './news.ts';

const task = (title: string, more: Partial<Task>): Task => ({
  store: storeId('s'),
  id: title,
  title,
  system: 'native',
  checkpointCount: 1,
  unreadable: 0,
  status: 'running',
  ...more,
});

it('says what failed first, then what is new, and counts the rest', () => {
  const before = [task('a', {}), task('b', {}), task('c', { status: 'failed' })];
  expect(newsOf(before, before)).toBeUndefined();
  expect(
    newsOf(before, [task('a', { checkpointCount: 3 }), task('b', { status: 'failed', lastError: 'timeout' })]),
  ).toBe('b failed: timeout. a: 2 new checkpoints.');
  expect(newsOf(before, [task('c', { status: 'failed' })])).toBeUndefined();
  expect(
    newsOf(
      [],
      ['a', 'b', 'c', 'd'].map((title) => task(title, {})),
    ),
  ).toBe('a: 1 new checkpoint. b: 1 new checkpoint. c: 1 new checkpoint. 1 other task changed.');
});
