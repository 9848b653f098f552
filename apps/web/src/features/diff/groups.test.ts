import { applyDifferences, type Difference, diffJson, equalJson, wordDiff } from '@checkpoint-inspector/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALL_ROWS_LIMIT, allRows, changeRows, groupDifferences, labelOf, matchesFilter, TOP } from './groups.ts';
import { joinedWords } from './DiffValue.tsx';

const before = '{"status":"running","context":{"a":1,"gone":[1],"b":{"c":2.0}},"history":[{"id":1},{"id":2},{"id":3}]}';
const after =
  '{"status":"failed","context":{"a":"1","b":{"c":2.0},"new.key":true},"history":[{"id":3},{"id":1},{"id":2}]}';
const items = diffJson(before, after).items;

describe('groups', () => {
  it('are grouped by the first step, top values together', () => {
    const groups = groupDifferences(items);
    expect(groups.map((group) => group.name)).toEqual([TOP, 'context', 'history']);
    expect(groups.reduce((sum, group) => sum + group.items.length, 0)).toBe(items.length);
  });
  it('label rows below their head', () => {
    expect(labelOf({ path: '$.context.b.c', kind: 'changed' })).toBe('b.c');
    expect(labelOf({ path: '$.context["new.key"]', kind: 'added' })).toBe('["new.key"]');
    expect(labelOf({ path: '$.history[0]', from: '$.history[2]', kind: 'moved' })).toBe('[2] → [0]');
    expect(labelOf({ path: '$.status', kind: 'changed' })).toBe('status');
    expect(labelOf({ path: '$', kind: 'type-changed' })).toBe('$');
  });
  it('keep a path that cannot be parsed', () => expect(labelOf({ path: 'weird[', kind: 'added' })).toContain('weird['));
  it('hide the rows of closed groups, never the count', () => {
    const rows = changeRows(items, new Set(['context']));
    const head = rows.find((row) => row.kind === 'group' && row.name === 'context');
    expect(head).toMatchObject({
      open: false,
      changes: items.filter((item) => item.path.startsWith('$.context')).length,
    });
    expect(rows.some((row) => row.kind === 'change' && row.item.path.startsWith('$.context'))).toBe(false);
  });
  it('filter by path and value, in any case', () => {
    const item: Difference = { path: '$.a', kind: 'changed', before: '"Old"', after: '"new"' };
    expect(['OLD', 'new', '$.A', 'zzz'].map((words) => matchesFilter(item, words))).toEqual([true, true, true, false]);
  });
});

describe('all rows', () => {
  it('show every leaf once, and every difference', () => {
    const { rows } = allRows(after, items, new Set());
    const changes = rows.filter((row) => row.kind === 'change').map((row) => row.item);
    expect(new Set(changes)).toEqual(new Set(items));
    expect(rows.filter((row) => row.kind === 'equal').map((row) => row.path)).toContain('$.context.b.c');
    expect(rows.filter((row) => row.kind === 'equal').find((row) => row.path === '$.context.b.c')?.text).toBe('2.0');
  });
  it('say where they are cut, and keep every difference', () => {
    const items = [{ path: '$[20000]', kind: 'changed', before: '1', after: '0' }] as const;
    const state = (length: number): string => `[${Array.from({ length }, () => 0).join(',')}]`;
    expect(allRows(state(ALL_ROWS_LIMIT), [], new Set()).cut).toBe(false);
    const { rows, cut } = allRows(state(ALL_ROWS_LIMIT + 5), items, new Set());
    expect(cut).toBe(true);
    expect(rows.filter((row) => row.kind === 'equal')).toHaveLength(ALL_ROWS_LIMIT);
    expect(rows.filter((row) => row.kind === 'change')).toHaveLength(1);
  });
  it('hold each difference exactly once for any two states', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), fc.json({ maxDepth: 3 }), (a, b) => {
        const diff = diffJson(a, b);
        const shown = allRows(b, diff.items, new Set()).rows.flatMap((row) =>
          row.kind === 'change' ? [row.item] : [],
        );
        return shown.length === diff.items.length && equalJson(applyDifferences(a, diff.items), b);
      }),
      { numRuns: 150 },
    );
  });
});

describe('joined words', () => {
  const texts = (kind: 'removed' | 'added', from: string, to: string): string =>
    joinedWords(wordDiff(from, to))
      .filter((part) => part.kind === 'same' || part.kind === kind)
      .map((part) => part.text)
      .join('');
  it('read as one change', () => {
    expect(joinedWords(wordDiff('B follows with 4.2 bn', 'B leads with 4200 bn'))).toContainEqual({
      kind: 'removed',
      text: 'follows with 4.2',
    });
  });
  it('still give both texts', () => {
    const word = fc.constantFrom('a', 'bb', ' ', 'ccc ', '\n', 'long enough word ');
    const text = fc.array(word, { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (from, to) => texts('removed', from, to) === from && texts('added', from, to) === to),
    );
  });
});
