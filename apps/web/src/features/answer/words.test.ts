import type { Explanation } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import {
  backWords,
  costWords,
  isWrong,
  lookedWords,
  pathWords,
  shortName,
  titleOf,
  toneOf,
  whoFailed,
  valueHeads,
} from './words.ts';

const ref = { task: 'run', id: 'a' };
const failed: Explanation = {
  task: 'run',
  outcome: 'failed',
  error: { message: 'no total', ref },
  writes: [],
  named: [],
  unusual: [],
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
    const check: Explanation = { ...failed, outcome: 'check_failed' };
    const recovered: Explanation = { ...failed, recovered: { ...ref, seq: 5 } };
    expect([failed, check, recovered].map(toneOf)).toEqual(['failed', 'check', 'recovered']);
    expect(titleOf('failed', 'compile', false)).toBe('compile failed');
    expect(titleOf('failed', 'verify-failed', false)).toBe('verify failed');
    expect(titleOf('failed', 'Step 1 - parse failed', false)).toBe('Step 1 - parse failed');
    expect(titleOf('recovered', 'fetch', false)).toBe('fetch failed, then recovered');
    expect(titleOf('check', 'report', true)).toBe('Completed with a failed check');
    expect(titleOf('check', 'report', false)).toBe('A check failed');
  });

  it('never calls a step that saved nothing by the name of the one before it', () => {
    const before = { seq: 1, description: 'load' };
    expect(whoFailed(before, undefined, 'disk is full', true)).not.toContain('load');
    expect(whoFailed(before, 'boom', 'disk is full', true)).toBe('boom');
    expect(whoFailed(before, undefined, 'disk is full', false)).toBe('load');
    expect(whoFailed({ seq: 4 }, undefined, 'disk is full', false)).toBe('Step 4');
  });

  it('says once that a step failed whose name says so', () => {
    expect(titleOf('failed', 'Failed at step 0: parse', false)).toBe('Failed at step 0: parse');
    expect(titleOf('failed', 'parse (error)', false)).toBe('parse failed');
  });

  it('is there for what went wrong alone', () => {
    const { error: _, ...well } = failed;
    expect(isWrong(failed)).toBe(true);
    expect(isWrong({ ...well, outcome: 'check_failed' })).toBe(true);
    expect(isWrong({ ...well, outcome: 'completed' })).toBe(false);
  });
});

describe('the facts', () => {
  it('say how far back the last good checkpoint is, and what going back costs', () => {
    const good = (back: number) => ({ ...ref, seq: 1, back });
    expect([1, 8].map((back) => costWords(good(back)))).toEqual(['1 step would be redone', '8 steps would be redone']);
    expect(backWords(good(1))).toBe('1 step back');
    // Nothing that was saved would be redone.
    expect(costWords(good(0))).not.toMatch(/\d/);
    expect(backWords(good(0))).not.toMatch(/\d/);
  });

  it('name what was not looked at, or not yet', () => {
    expect(lookedWords(failed)).toEqual([]);
    const gap = { ref, seq: 3, reason: 'torn' };
    expect(lookedWords({ ...failed, examined: { n: 3, of: 4, gaps: [gap] } }).join(' ')).toMatch(/#03.*torn/);
    expect(lookedWords({ ...failed, examined: { n: 340, of: 10_000, gaps: [], partial: true } })).toEqual([
      'Looked at 340 of 10,000 steps.',
    ]);
  });

  it('leave the root of a path out', () => {
    expect([pathWords('$.a.b'), pathWords('$[0].a'), pathWords('$')]).toEqual(['a.b', '[0].a', '$']);
  });
});

describe('the values of a change', () => {
  const plain = (text: string): string => text;
  const lineOf = (width: number): string => `"q13 | series=Attic | reader=Anna | wall=clay | tape=${width} | flag=ok"`;

  it('are given from where they differ, if they are long', () => {
    const line = { path: '$.a', before: lineOf(414), after: lineOf(41_400) };
    expect(valueHeads(line, plain)).toEqual(['…tape=414 | flag=ok"', '…tape=41400 | flag=ok"']);
    expect(valueHeads({ path: '$.a', before: '4.2', after: '4200' }, plain)).toEqual(['4.2', '4200']);
  });

  it('are masked before they are cut', () => {
    const line = { path: '$.a', before: lineOf(414), after: lineOf(41_400) };
    const shown = (text: string): string => text.replaceAll('q13', '•••').replaceAll('41400', '•••');
    expect(valueHeads(line, shown).join()).not.toContain('41400');
  });
});
