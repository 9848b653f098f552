import { maskSecrets, noDifference, sameRows } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import type { RunSide } from '../../lib/api.ts';
import { runsMarkdown } from './markdown.ts';
import { outcomeWords, totalsOf, verdictOf } from './words.ts';

const side = (more: Partial<RunSide>): RunSide =>
  ({
    store: 's',
    task: 't',
    end: { task: 't', id: 'e' },
    lane: 'main',
    isLatest: true,
    status: 'failed',
    steps: 10,
    ...more,
  }) as RunSide;

it('names each verdict', () => {
  const words = (row: Parameters<typeof verdictOf>[0]) => verdictOf(row).words;
  expect(words({ verdict: 'differs', differ: 2, of: 7 })).toBe('2 of 7 differ');
  expect(words({ verdict: 'differs', differ: 1 })).toBe('1 value differs');
  expect(words({ verdict: 'differs', differ: 1, of: 1, outcome: true })).toBe('outcome');
  expect(words({ verdict: 'only-a' })).toBe('only in A');
  expect(words({ verdict: 'unknown' })).toBe('not compared');
});

it('says how B compares with A, and never 0 for a figure that is not reported', () => {
  const a = side({ tokens: { value: '7570', said: 4 }, durationMs: { value: '40100', said: 4 } });
  const b = side({
    steps: 11,
    tokens: { value: '7710', said: 5 },
    costUsd: { value: '0.047', said: 5 },
    durationMs: { value: '40100', said: 1 },
  });
  expect(totalsOf({ a, b })).toEqual([
    { name: 'Steps', a: '10', b: '11', difference: '1 more in B, 10%' },
    { name: 'Time', a: '40.10 s', b: '40.10 s', difference: 'the same' },
    { name: 'Tokens', a: '7,570', b: '7,710', difference: '140 more in B, 2%' },
    { name: 'Cost', a: 'not reported', b: '$0.047', difference: '' },
  ]);
});

it('says which one finished, and how far they are the same', () => {
  expect(outcomeWords({ a: side({}), b: side({ status: 'completed' }) })).toBe('B finished the task');
  expect(outcomeWords({ a: side({}), b: side({}) })).toBe('the same');
  expect(sameRows([{ verdict: 'same' }, { verdict: 'same', outcome: true }, { verdict: 'same' }])).toBe(1);
  expect(sameRows([{ verdict: 'same' }])).toBe(1);
  expect(noDifference([{ verdict: 'same' }], 'Nothing differs.')).toBe('Nothing differs.');
  const partly = noDifference([{ verdict: 'same' }, { verdict: 'unknown' }], 'Nothing differs.');
  expect(partly).toBe('No difference found, but not every step could be compared.');
});

it('is passed on as Markdown, with secrets masked and nothing taken as markup', () => {
  const ref = { task: 't', id: 'e' };
  const key = `sk-proj-${'a1B2'.repeat(12)}`;
  const [a, b] = [side({ task: '<t>' }), side({ status: 'completed', lane: 'f1' })];
  const step = { ref, seq: 3, status: 'failed', error: `no key ${key} | x` } as const;
  const difference = { kind: 'changed', path: '$.a', before: `"${key}"`, after: '4.2' } as const;
  const found = { a, b, shared: 0, before: 0, after: 0, ignoreRules: [], examined: { n: 1, of: 1, gaps: [] } } as const;
  const rows = [{ verdict: 'same' as const }, { verdict: 'only-a' as const, a: step }];
  const shown = maskSecrets;
  const text = runsMarkdown(
    { ...found, first: { row: 1, difference }, rows },
    { link: 'http://x/', shown, shownJson: shown },
  );
  expect(text).toContain('### A: \\<t\\> (main) · B: t (f1)');
  expect(text).toContain('1 step the same in both.');
  expect(text).toMatch(/First difference: `\$\.a`, A has `"sk-p.*`, B has `4\.2`/);
  expect(text).toMatch(/\| #03 e, failed: no key .* \\\| x \| only in A \| no such step \|/);
  expect(text).not.toContain(key);
});
