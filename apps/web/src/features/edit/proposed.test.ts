import { expect, it } from 'vitest';
import { proposedDraft } from './proposed.ts';

const by = { name: 'Debugging agent' };
const original = '{"cache": true, "n": 1.0, "list": [1]}';

it('begins with the values that the agent wants, and keeps every other as it is written', () => {
  const edits = [
    { path: '$.cache', kind: 'changed', before: 'true', after: 'false' },
    { path: '$.list', kind: 'removed', before: '[1]' },
    { path: '$.ttl', kind: 'added', after: '0' },
  ] as const;
  const draft = proposedDraft(original, { by, edits, reason: 'The cache is stale.' });
  expect(JSON.parse(draft.text)).toEqual({ cache: false, n: 1, ttl: 0 });
  expect(draft.text).toContain('1.0');
  expect(draft.reason).toBe('Proposed by Debugging agent: The cache is stale.');
});

it('is the state itself where nothing is to be changed, or the values are no longer there', () => {
  expect(proposedDraft(original, { by })).toEqual({ text: original, reason: '' });
  const edits = [{ path: '$.list[7].x', kind: 'removed', before: '1' }] as const;
  expect(proposedDraft(original, { by, edits }).text).toBe(original);
});
