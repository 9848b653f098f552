import { storeId, type Task } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { countArchived, countBy, filterTasks, groupTasks, headline, listed, removedBy, sortTasks } from './facets.ts';

const task = (id: string, part: Partial<Task> = {}): Task => ({
  store: storeId('s'),
  id,
  title: id,
  system: 'native',
  checkpointCount: 1,
  unreadable: 0,
  status: 'completed',
  ...part,
});
const tasks = [
  task('done', { updatedAt: '2026-01-03T00:00:00Z' }),
  task('bad', { status: 'failed', updatedAt: '2026-01-01T00:00:00Z', unreadable: 2 }),
  task('worse', { status: 'failed', updatedAt: '2026-01-02T00:00:00Z', store: storeId('t') }),
  task('ask', { status: 'interrupted' }),
];
const ids = (list: readonly Task[]): string[] => list.map(({ id }) => id);

describe('facets', () => {
  it('filter by all that are set', () => {
    expect(ids(filterTasks(tasks, { status: ['failed'], store: ['s'] }))).toEqual(['bad']);
    expect(ids(filterTasks(tasks, { problem: 'unreadable' }))).toEqual(['bad']);
    expect(filterTasks(tasks, { status: [] })).toHaveLength(4);
  });
  it('count a facet without itself', () => {
    const left = filterTasks(tasks, { status: ['failed'], store: ['s'] }, 'status');
    expect(Object.fromEntries(countBy(left, ({ status }) => status))).toEqual({
      completed: 1,
      failed: 1,
      interrupted: 1,
    });
  });
  it('say which filter hides how many', () => {
    expect(removedBy(tasks, { status: ['running'], store: ['s'] })).toEqual([
      { facet: 'status', count: 4 },
      { facet: 'store', count: 1 },
    ]);
  });
  it('put failed first, then the newest', () =>
    expect(ids(sortTasks(tasks, 'failed'))).toEqual(['worse', 'bad', 'ask', 'done']));
  it('take a failed check for a group of its own, behind what failed', () => {
    const all = [...tasks, task('checked', { outcome: 'check_failed' })];
    expect(ids(filterTasks(all, { status: ['check_failed'] }))).toEqual(['checked']);
    expect(ids(filterTasks(all, { status: ['completed'] }))).toEqual(['done']);
    expect(groupTasks(all).map(({ status }) => status)).toEqual(['failed', 'check_failed', 'interrupted', 'completed']);
    expect(headline(all.slice(-1))).toBe('One task has a failed check');
  });
  it('leave archived tasks out until they are asked for, but never the open one', () => {
    const all = [task('a'), task('old', { kind: 'archived' }), task('lost', { kind: 'unassigned' })];
    expect(countArchived(all)).toBe(1);
    expect(ids(listed(all, undefined))).toEqual(['a', 'lost']);
    expect(ids(listed(all, '1'))).toEqual(['a', 'old', 'lost']);
    expect(ids(listed(all, undefined, { store: 's', id: 'old' }))).toEqual(['a', 'old', 'lost']);
    expect(ids(listed(all, undefined, { store: 't', id: 'old' }))).toEqual(['a', 'lost']);
  });
  it('group without empty groups', () =>
    expect(groupTasks(tasks).map(({ status }) => status)).toEqual(['failed', 'interrupted', 'completed']));
  it('say the answer first', () => {
    expect(headline(tasks)).toBe('Two tasks failed');
    expect(headline([task('a', { status: 'interrupted' })])).toBe('One task is interrupted');
    expect(headline([task('a')])).toBe('No task failed');
    expect(headline([])).toBe('No tasks');
  });
});
