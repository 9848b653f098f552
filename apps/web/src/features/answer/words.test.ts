import { describe, expect, it } from 'vitest';
import type { Diagnosis } from '../../lib/api.ts';
import { backWords, changeOf, examinedWords, holdsWords, pathWords, shortName, titleOf, valueHeads } from './words.ts';

const ref = { task: 'run', id: 'a' };
const failed: Diagnosis = {
  error: { message: 'no total', checkpoint: ref, seq: 4, from: 'status' },
  suspects: [],
  outcome: 'unclear',
  examined: { n: 4, of: 4, gaps: [] },
};

describe('the title of an answer', () => {
  it('names the step that failed, without its message', () => {
    expect(shortName({ seq: 1, description: 'compile: the totals differ' }, 'the totals differ')).toBe('compile');
    expect(shortName({ seq: 1, description: 'compile: totals' }, 'totals differ')).toBe('compile');
    expect(shortName({ seq: 1, description: 'compile' }, 'the totals differ')).toBe('compile');
    expect(shortName({ seq: 1, description: 'the totals differ' }, 'the totals differ')).toBeUndefined();
    expect(shortName({ seq: 1, description: `fetch: ${'x'.repeat(80)}` })).toBe('fetch');
    expect(shortName({ seq: 1 })).toBeUndefined();
  });

  it('tells a failure from one that was recovered from and from a failed check', () => {
    expect(titleOf(undefined, 'compile', false)).toBe('compile failed');
    expect(titleOf(undefined, 'verify-failed', false)).toBe('verify-failed');
    expect(titleOf(undefined, 'fetch revenue', false)).toBe('fetch revenue failed');
    expect(titleOf(undefined, 'this turn fails', false)).toBe('“this turn fails” failed');
    expect(titleOf({ ...failed, recovered: { ref, seq: 5 } }, 'fetch', false)).toBe('fetch failed, then recovered');
    const check = {
      ...failed,
      error: { message: 'm', checkpoint: ref, seq: 4, from: 'state', kind: 'check' },
    } as const;
    expect(titleOf(check, 'report', true)).toBe('Completed with a failed check');
    expect(titleOf({ ...check, error: { ...check.error, kind: 'error' } }, 'report', false)).toBe(
      'The state reports an error',
    );
  });
});

describe('the facts', () => {
  it('say how far back the last good checkpoint is, and which ones only look good', () => {
    expect(backWords({ ref, seq: 1, back: 1 })).toBe('1 step back');
    expect(backWords({ ref, seq: 4, back: 0 })).toContain('was not saved');
    const [from, to] = [
      { ref, seq: 7 },
      { ref, seq: 9 },
    ];
    expect(holdsWords({ from, to })).toBe('#07 to #09 did not fail but hold the suspect value.');
    expect(holdsWords({ from, to: from })).toBe('#07 did not fail but holds the suspect value.');
  });

  it('name what was not examined', () => {
    expect(examinedWords(failed)).toBeUndefined();
    const gap = { ref, seq: 3, reason: 'torn' };
    expect(examinedWords({ ...failed, examined: { n: 3, of: 4, gaps: [gap] } })).toBe(
      "#03 can't be read, so it was not examined.",
    );
    expect(examinedWords({ ...failed, examined: { n: 1998, of: 5000, gaps: [gap, gap], outside: 3000 } })).toBe(
      "2 checkpoints can't be read, so they were not examined. Only the newest 2,000 checkpoints were examined.",
    );
  });

  it('show a change as its kind has it', () => {
    const suspect = { ref, seq: 1, path: '$.a', reasons: [], score: 1 };
    expect(changeOf({ ...suspect, kind: 'changed', before: '1', after: '2' })).toEqual({
      before: '1',
      sign: '→',
      after: '2',
    });
    expect(changeOf({ ...suspect, kind: 'removed', before: '1' })).toEqual({ sign: '−', before: '1' });
    expect(changeOf({ ...suspect, kind: 'unchanged', after: '2', before: '2' })).toEqual({
      sign: 'stayed',
      after: '2',
    });
    expect([pathWords('$.a.b'), pathWords('$[0].a'), pathWords('$')]).toEqual(['a.b', '[0].a', '$']);
  });
});

describe('the values of a cause', () => {
  const plain = (text: string): string => text;
  const lineOf = (width: number): string => `"q13 | series=Attic | reader=Anna | wall=clay | tape=${width} | flag=ok"`;
  const suspect = { ref, seq: 2, path: '$.a', kind: 'changed', reasons: [], score: 1 } as const;

  it('are given from where they differ, if they are long', () => {
    const line = { ...suspect, before: lineOf(414), after: lineOf(41_400) };
    expect(valueHeads(line, plain)).toEqual(['…tape=414 | flag=ok"', '…tape=41400 | flag=ok"']);
    expect(valueHeads({ ...suspect, before: '4.2', after: '4200' }, plain)).toEqual(['4.2', '4200']);
  });

  it('are masked before they are cut', () => {
    const line = { ...suspect, before: lineOf(414), after: lineOf(41_400) };
    expect(valueHeads(line, (text) => text.replaceAll('q13', '•••').replaceAll('41400', '•••')).join()).not.toContain(
      '41400',
    );
  });

  it('are one that stayed, from its beginning', () => {
    const [old, now] = valueHeads({ ...suspect, kind: 'unchanged', before: lineOf(7), after: lineOf(7) }, plain);
    expect(old).toBe(now);
    expect(now.startsWith('"q13 | series')).toBe(true);
  });
});
