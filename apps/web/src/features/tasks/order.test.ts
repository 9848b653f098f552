// @vitest-environment jsdom
import { type Task, type TaskStatus } from '@checkpoint-inspector/core';
import { act, renderHook } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { movedBetween, rowKey, type TaskRow, taskRows, useHeldRows } from './order.ts';

const task = (id: string, status: TaskStatus = 'completed'): Task =>
  ({ store: 's', id, title: id, status, checkpointCount: 1, unreadable: 0, system: 'native' }) as unknown as Task;
const rows = (...tasks: Task[]): readonly TaskRow[] => taskRows(tasks);
const keys = (list: readonly TaskRow[]): string[] => list.map(rowKey);

describe('movedBetween', () => {
  it('counts what changes its group, its place among its neighbours, or comes and goes', () => {
    const before = rows(task('a'), task('b'), task('c'));
    expect(movedBetween(before, before)).toBe(0);
    expect(movedBetween(before, rows(task('c'), task('a'), task('b')))).toBe(1);
    expect(movedBetween(before, rows(task('b', 'failed'), task('a'), task('c')))).toBe(1);
    expect(movedBetween(before, rows(task('new'), task('a'), task('b'), task('c')))).toBe(1);
    expect(movedBetween(before, rows(task('a'), task('c')))).toBe(1);
  });
});

describe('useHeldRows', () => {
  it('keeps every row in its place while held, with what is known of it now, until it is released or reordered', () => {
    const first = rows(task('a', 'running'), task('b'), task('c'));
    const next = rows(task('a', 'failed'), task('b'), task('c'), task('d'));
    const hook = renderHook(({ now, by }) => useHeldRows(now, by), { initialProps: { now: first, by: '' } });
    act(() => hook.result.current.hold());
    hook.rerender({ now: next, by: '' });
    expect(keys(hook.result.current.rows)).toEqual(keys(first));
    expect(hook.result.current.rows[1]).toMatchObject({ task: { id: 'a', status: 'failed' } });
    expect(hook.result.current.moved).toBe(2);
    act(() => hook.result.current.reorder());
    expect([keys(hook.result.current.rows), hook.result.current.moved]).toEqual([keys(next), 0]);
    hook.rerender({ now: first, by: '' });
    expect(keys(hook.result.current.rows)).toEqual(keys(next));
    act(() => hook.result.current.release());
    expect(keys(hook.result.current.rows)).toEqual(keys(first));
  });

  it('follows another filter or order at once', () => {
    const first = rows(task('a'), task('b'));
    const hook = renderHook(({ now, by }) => useHeldRows(now, by), { initialProps: { now: first, by: '' } });
    act(() => hook.result.current.hold());
    hook.rerender({ now: rows(task('b')), by: 'b' });
    expect(keys(hook.result.current.rows)).toEqual(keys(rows(task('b'))));
  });
});
