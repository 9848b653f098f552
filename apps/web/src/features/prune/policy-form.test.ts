import { describe, expect, it } from 'vitest';
import { FIRST_FORM, type PolicyForm, policyIn } from './PolicyFields.tsx';

const form = (part: Partial<PolicyForm>): PolicyForm => ({ ...FIRST_FORM, days: '', ...part });

describe('policyIn', () => {
  it.each<[string, Partial<PolicyForm>, object]>([
    ['the age it opens with', { days: '30' }, { olderThanDays: 30 }],
    ['half a day', { days: '0.5' }, { olderThanDays: 0.5 }],
    ['none of the newest', { newest: '0' }, { beyondNewest: 0 }],
    [
      'all of them',
      { days: '1', newest: '2', status: ['failed'], text: ' x ' },
      { olderThanDays: 1, beyondNewest: 2, status: ['failed'], text: 'x' },
    ],
  ])('takes %s', (_, part, policy) => {
    expect(policyIn(form(part))).toEqual({ policy });
  });

  it.each<[string, Partial<PolicyForm>, string]>([
    ['nothing', {}, 'Set at least one'],
    ['a word for days', { days: 'old' }, '0 or more days.'],
    ['a negative age', { days: '-1' }, 'not -1'],
    ['half a checkpoint', { newest: '1.5' }, 'whole number'],
  ])('says what is wrong with %s', (_, part, words) => {
    expect(policyIn(form(part))).toEqual({ reason: expect.stringContaining(words) });
  });
});
