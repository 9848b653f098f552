import { expect, it } from 'vitest';
import { editable, editBase, headingOf, standing } from './words.ts';

const ref = (id: string) => ({ task: 't', id });
const nameOf = ({ id }: { readonly id: string }) => `#${id}`;
const edit = { kind: 'edit', ref: ref('06'), textHash: 'h', textBytes: 2 } as const;

it('names what is proposed', () => {
  const heading = (request: Parameters<typeof headingOf>[0]['request']) => headingOf({ request, task: 't' }, nameOf);
  expect(heading({ kind: 'restore', ref: ref('06') })).toBe('Restore #06 to t');
  expect(heading(edit)).toBe('Save an edit of #06 in t');
  expect(heading({ kind: 'delete', refs: [ref('1'), ref('2')] })).toBe('Delete 2 checkpoints from t');
});

it('says whether anything was changed', () => {
  expect(standing({ outcome: 'open' }).lead).toBe('Nothing has been changed.');
  expect(standing({ outcome: 'expired' }).rest).toBe('Nothing was changed. Ask the agent to propose it again.');
});

it('compares the latest with what an edit begins from, unless that is the latest', () => {
  const latestBefore = { ref: ref('10'), basis: 'rule' } as const;
  expect(editBase({ request: edit, latestBefore })).toEqual({ from: ref('10'), to: ref('06') });
  expect(editBase({ request: edit, latestBefore: { ...latestBefore, ref: ref('06') } })).toBeUndefined();
  expect(editBase({ request: { kind: 'restore', ref: ref('06') }, latestBefore })).toBeUndefined();
});

it('is changed first in the state that it begins from; a deletion has none', () => {
  expect(editable({ request: edit })).toEqual(ref('06'));
  expect(editable({ request: { kind: 'fork', ref: ref('06') } })).toEqual(ref('06'));
  expect(editable({ request: { kind: 'delete', refs: [ref('1')] } })).toBeUndefined();
});
