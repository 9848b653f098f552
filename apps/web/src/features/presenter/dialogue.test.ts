import { expect, it } from 'vitest';
import { newestFailed, sentencesOf } from './dialogue.ts';

const ref = (id: string) => ({ task: 't', id });
const diagnosis = {
  error: { message: 'the totals differ', checkpoint: ref('c-10'), seq: 10 },
  failingStep: { ref: ref('c-10'), seq: 10 },
  lastGood: { ref: ref('c-6'), seq: 6, back: 4 },
  suspects: [
    { ref: ref('c-7'), seq: 7, path: '$.a.total', before: '4.2', after: '4200', reasons: ['Larger than before.', 'x'] },
  ],
  outcome: 'suspects',
};

const plain = (text: string) =>
  sentencesOf(text).map((parts) => parts.map((part) => (typeof part === 'string' ? part : `[${part.text}]`)).join(''));

it('answers in three sentences, each step and value a link', () => {
  expect(plain(JSON.stringify({ diagnosis }))).toEqual([
    'It failed at [#10]: the totals differ.',
    'The likely cause is [a.total 4.2 → 4200] at [#07]: larger than before.',
    'The last good checkpoint is [#06]; restore or fork from there.',
  ]);
});

it('says so where nothing stands out, nothing failed, or the answer is another one', () => {
  expect(plain(JSON.stringify({ diagnosis: { ...diagnosis, outcome: 'unclear' } }))[1]).toBe(
    'No change before the failure stands out.',
  );
  expect(plain(JSON.stringify({ diagnosis: { suspects: [], outcome: 'healthy' } }))).toEqual([
    'No checkpoint of it failed.',
  ]);
  expect(plain('{}')).toEqual(['The answer is not the one that was expected.']);
});

it('finds the newest failed checkpoint of a list', () => {
  expect(newestFailed('{"items":[{"id":"c"},{"id":"b","status":"failed"},{"id":"a","status":"failed"}]}')).toBe('b');
  expect(newestFailed('{"items":[]}')).toBeUndefined();
});
