import { type LineageRow, storeId } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import type { ErrorGroup } from '../../lib/api.ts';
import { coverageWords, groupId, groupsHeadline, groupsOf, keptGroups, recoveredWords } from './groups.ts';
import { nextError } from './next-error.ts';
import { errorRows } from './rows.ts';

const store = storeId('s');
const group = (key: string, tasks: number, current: number): ErrorGroup => ({
  key,
  pattern: key,
  count: tasks,
  current,
  tasks: Array.from({ length: tasks }, (_, index) => ({
    store,
    task: `${key}-${index}`,
    title: '',
    system: 'native',
    count: 1,
    current: index < current,
    failed: { store, task: `${key}-${index}`, id: 'x' },
  })),
  hours: [],
  example: { at: { store, task: 't', id: 'x' } },
});

describe('errorRows', () => {
  it('shows five tasks of a group until it is unfolded', () => {
    const groups = [group('a', 7, 1), group('b', 1, 0)];
    const kinds = (unfolded: ReadonlySet<string>) => errorRows(groups, unfolded).map(({ kind }) => kind);
    expect(kinds(new Set())).toEqual(['group', ...Array.from({ length: 5 }, () => 'task'), 'more', 'group', 'task']);
    expect(kinds(new Set([groupId('a')])).filter((kind) => kind === 'task')).toHaveLength(8);
    expect(errorRows(groups, new Set())[6]).toMatchObject({ kind: 'more', count: 2 });
  });

  it('counts groups with a current failure, and names groups without their words', () => {
    expect(groupsHeadline([group('a', 2, 1), group('b', 1, 0)])).toBe('1 error');
    expect(recoveredWords([group('a', 2, 1), group('b', 1, 0)])).toBe('1 more recovered');
    expect(recoveredWords([group('a', 2, 1)])).toBeUndefined();
    expect(groupId('token sk-abc')).not.toContain('sk');
    expect(groupId('a')).toBe(groupId('a'));
    expect(groupId('a')).not.toBe(groupId('b'));
  });

  it('keeps groups and tasks in their places while they are held, with the figures of now', () => {
    const before = [group('a', 2, 1), group('b', 1, 0)];
    const now = [
      group('new', 1, 1),
      { ...group('b', 1, 0), count: 4 },
      { ...group('a', 3, 1), tasks: group('a', 3, 1).tasks.toReversed() },
    ];
    const kept = keptGroups(before, now);
    expect(kept.map(({ key, count }) => [key, count])).toEqual([
      ['a', 3],
      ['b', 4],
    ]);
    expect(kept[0]?.tasks.map(({ task }) => task)).toEqual(['a-0', 'a-1']);
  });

  it('leaves out what is about other tasks than those listed', () => {
    const whole = { ...group('a', 2, 1), hours: [1] };
    expect(groupsOf([whole], () => true)).toEqual([whole]);
    expect(groupsOf([whole], (task) => task === 's/a-1')).toMatchObject([{ count: 1, current: 0, hours: [] }]);
    expect(groupsOf([whole], () => false)).toEqual([]);
  });

  it('claims nothing of what was not looked at', () => {
    expect(coverageWords({ n: 10, of: 2000, unreadable: 0, complete: false })).toBe(
      '10 of 2,000 checkpoints searched so far',
    );
    // A save from a moment ago must not make it flicker.
    expect(coverageWords({ n: 99, of: 100, unreadable: 0, complete: false })).toBe('99 checkpoints searched');
    expect(coverageWords({ n: 5, of: 5, unreadable: 2, complete: true })).toBe(
      '5 checkpoints searched; 2 unreadable, not counted',
    );
  });
});

describe('nextError', () => {
  const all = Array.from({ length: 9 }, (_, index): LineageRow => ({
    id: String(index + 1),
    kind: 'none',
    seq: index + 1,
    status: [2, 5, 8].includes(index + 1) ? 'failed' : 'completed',
    isLatest: index === 8,
  }));
  const rows = (...seqs: number[]) => seqs.map((seq) => ({ id: String(seq), seq }));
  const at = (id: string) => ({ task: 't', id });
  const go = (loaded: number[], from: string | undefined, by: 1 | -1) =>
    nextError({ rows: rows(...loaded), all, task: 't' }, from === undefined ? undefined : at(from), by)?.id;

  it('goes down the view, skips what did not fail, and begins again at the end', () => {
    const loaded = [9, 8, 7, 6, 5, 4, 3, 2, 1];
    expect(go(loaded, '9', 1)).toBe('8');
    expect(go(loaded, '8', 1)).toBe('5');
    expect(go(loaded, '2', 1)).toBe('8');
    expect(go(loaded, '8', -1)).toBe('2');
    expect(go(loaded, '6', -1)).toBe('8');
    expect(go(loaded, undefined, 1)).toBe('8');
  });

  it('reaches errors that are not loaded, above and below', () => {
    expect(go([9, 8, 7], '8', 1)).toBe('5');
    expect(go([6, 5, 4], '5', 1)).toBe('2');
    expect(go([6, 5, 4], '5', -1)).toBe('8');
    expect(go([6, 5, 4], '2', 1)).toBe('8');
  });

  it('follows the order of the view where it is not that of the saves', () => {
    expect(go([5, 9, 8, 2], '9', 1)).toBe('8');
    expect(go([5, 9, 8, 2], '9', -1)).toBe('5');
  });

  it('has nowhere to go without an error', () => {
    expect(nextError({ rows: rows(1), all: all.slice(0, 1), task: 't' }, at('1'), 1)).toBeUndefined();
  });
});
