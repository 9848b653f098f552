import { expect, it } from 'vitest';
import { fixedOf, maskedIn, newestFailed, type Part, sentencesOf, tokensOf } from './dialogue.ts';

const at = (step: number) => ({ checkpoint: `s/t/c-${step}`, step });
const failed = {
  outcome: 'failed',
  error: { message: 'the totals differ' },
  failed: at(10),
  lastGood: { ...at(6), stepsBack: 4 },
  writes: [
    { ...at(9), path: '$.a.rank', after: '[1]' },
    { ...at(7), path: '$.a.total', before: '4.2', after: '4200' },
  ],
  named: [{ text: 'total', path: '$.a.total', writtenBy: at(7), before: '4.2', after: '4200' }],
};

const words = (sentences: readonly (readonly Part[])[]): string[] =>
  sentences.map((parts) => parts.map((part) => (typeof part === 'string' ? part : `[${part.text}]`)).join(''));

const plain = (text: string): string[] => words(sentencesOf(text));

it('answers with facts alone, each step and value a link', () => {
  expect(plain(JSON.stringify(failed))).toEqual([
    'It failed at [#10]: the totals differ.',
    'The error names [a.total 4.2 → 4200], last written at [#07].',
    'It wrote, newest first: [a.rank [1]] at [#09], [a.total 4.2 → 4200] at [#07].',
    'The last good checkpoint is [#06]; restore or fork from there.',
  ]);
});

it('says so where nothing was written or named, nothing failed, or the answer is another one', () => {
  const { error, lastGood: _, ...rest } = failed;
  const bare = { outcome: 'failed', error, failed: rest.failed };
  expect(plain(JSON.stringify(bare))).toEqual(['It failed at [#10]: the totals differ.', 'It wrote no data.']);
  const never = { ...bare, named: [{ text: 'margin' }] };
  expect(plain(JSON.stringify(never))[1]).toBe('The error names margin, which this run never wrote.');
  expect(plain(JSON.stringify({ outcome: 'completed' }))).toEqual(['None of its checkpoints failed.']);
  expect(plain('{}')).toEqual(['The answer was not what was expected.']);
});

it('finds the newest failed checkpoint of a list', () => {
  expect(newestFailed('{"items":[{"id":"c"},{"id":"b","status":"failed"},{"id":"a","status":"failed"}]}')).toBe('b');
  expect(newestFailed('{"items":[]}')).toBeUndefined();
});

it('tells from the list whether it is fixed: by the latest, else by a fork that completed', () => {
  const failed = { id: 'c-3', parentId: 'c-2', seq: 3, status: 'failed', isLatest: true };
  const before = { id: 'c-2', seq: 2, status: 'completed' };
  const fixed = { id: 'f-4', parentId: 'c-2', seq: 4, status: 'completed' };
  const told = (...items: readonly object[]): string[] => words(fixedOf(JSON.stringify({ items })));
  expect(told(failed, before)).toEqual(['No: the latest is still [#03], which failed.']);
  expect(told(failed, fixed, before)).toEqual([
    'No: the latest is still [#03], which failed.',
    'A fork completed at [#04]; restore it to resume from there.',
  ]);
  expect(told({ ...fixed, isLatest: true }, { ...failed, isLatest: false }, before)).toEqual([
    'Yes: [#04] completed and is the latest, so the task resumes from there.',
  ]);
  expect(told()).toEqual(['No checkpoint is the latest.']);
  expect(words(fixedOf('{}'))).toEqual(['The answer is not the one that was expected.']);
});

it('counts what was read, and what was masked in it', () => {
  expect(tokensOf('x'.repeat(400), 'abc')).toBe(101);
  expect(maskedIn('{"masked":2}', '{"masked":1}', '{}', 'x')).toBe(3);
});
