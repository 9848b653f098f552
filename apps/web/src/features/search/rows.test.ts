import { storeId } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import type { SearchItem } from '../../lib/api.ts';
import { coverageWords, sumOf } from './SearchFoot.tsx';
import { resultRows, SHOWN_PER_TASK } from './SearchResults.tsx';

function item(task: string, path: string): SearchItem {
  const seen = { ref: { task, id: 'c1' }, seq: 1, status: 'failed' as const, sizeBytes: 10 };
  return {
    store: storeId('db'),
    ref: seen.ref,
    status: 'failed',
    in: 'value',
    path,
    pathMarks: [],
    firstSeen: seen,
    lastSeen: seen,
    count: 1,
  };
}
const many = (task: string, count: number) => Array.from({ length: count }, (_, n) => item(task, `$.a[${n}]`));

describe('rows of results', () => {
  it('are under their task, and a long one is folded until asked for', () => {
    const items = [...many('a', SHOWN_PER_TASK + 5), ...many('b', 2)];
    const rows = resultRows(items, new Set());
    expect(rows.filter(({ kind }) => kind === 'task')).toMatchObject([
      { task: 'a', count: SHOWN_PER_TASK + 5 },
      { task: 'b', count: 2 },
    ]);
    const more = rows.find((row) => row.kind === 'more');
    expect(more).toMatchObject({ hidden: 5 });
    const all = resultRows(items, new Set([more?.kind === 'more' ? more.group : '']));
    expect(all.filter(({ kind }) => kind === 'hit')).toHaveLength(items.length);
    expect(new Set(all.map(({ key }) => key)).size).toBe(all.length);
  });

  it('never hide a single one', () => {
    expect(resultRows(many('a', SHOWN_PER_TASK + 1), new Set()).some(({ kind }) => kind === 'more')).toBe(false);
  });
});

describe('coverage', () => {
  it('says what was not searched, and why', () => {
    const counts = { of: 3_001, indexed: 2_998, partly: 0, locked: 1, unreadable: 2 };
    expect(coverageWords(counts)).toBe('2,998 of 3,001 indexed, 1 locked, 2 unreadable');
    expect(coverageWords({ ...counts, indexed: 2_000, partly: 4 })).toBe(
      '2,000 of 3,001 indexed, 1 locked, 2 unreadable, 998 not read yet, 4 only in part',
    );
    expect(sumOf([counts, counts])).toEqual({ of: 6_002, indexed: 5_996, partly: 0, locked: 2, unreadable: 4 });
    expect(coverageWords(sumOf([]))).toBe('0 of 0 indexed');
  });
});
