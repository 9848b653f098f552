/** Changes of texts that were asked for, and of those that nobody asked for. */
import { describe, expect, it } from 'vitest';
import { suspectsOf } from './diagnose.ts';
import { stepsOf, type State } from './testing/written.ts';
import type { Suspect } from './types.ts';

const suspects = (states: readonly State[]): Suspect[] =>
  suspectsOf(stepsOf(states.map((state, n) => ({ n, ...state }))), { error: 'the audit was not passed' });

describe('a figure in a rule', () => {
  const rules = (limit: number): State => ({
    plan: ['Read all parts first.', `Parts above ${limit} pieces go to the second reviewer.`, 'Then send the report.'],
  });
  const run = (...states: readonly State[]): string =>
    suspects(states)
      .flatMap(({ reasons }) => reasons)
      .join(' ');

  it('is told where it changed alone', () => {
    const [first] = suspects([rules(400), rules(400), rules(400), rules(4000), rules(4000)]);
    expect(first?.path).toBe('$.plan[1]');
    expect(first?.reasons.join(' ')).toContain('In the text, only 400 changed, to 4000.');
  });

  it('is none where the text changes again and again, or in more than that', () => {
    const digest = (step: number): State => ({ ...rules(400), digest: `Up to step ${step} all parts were read.` });
    expect(run(rules(400), digest(1), digest(1), digest(4), digest(4))).not.toContain('In the text');
    expect(run(rules(1), rules(2), rules(2), rules(3), rules(3))).not.toContain('In the text');
    const other = {
      plan: ['Read all parts first.', 'Boxes above 4000 pieces go to the second reviewer.', 'Then send the report.'],
    };
    expect(run(rules(400), rules(400), rules(400), other, other)).not.toContain('In the text');
  });
});

describe('a value that is taken away', () => {
  const mails = ['ida', 'ben', 'mia', 'eva', 'ole', 'tom'].map((name, nth) => ({
    id: `m-${nth}`,
    reach: `${name}@club.example`,
  }));
  const without = mails.map((one) => (one.id === 'm-3' ? { ...one, reach: null } : one));
  const messages = [
    { role: 'user', content: 'Bring the list up to date.' },
    { role: 'agent', content: 'I read all of it.' },
  ];
  const score = (content: string): number => {
    const said = [...messages, { role: 'user', content }];
    const states = [
      { mails, messages: [] },
      { mails, messages },
      { mails: without, messages: said },
      { mails: without, messages: said },
    ];
    return suspects(states).find(({ path }) => path === '$.mails[3].reach')?.score ?? 0;
  };

  it('is what somebody asked for, in these words or others', () => {
    const usual = score('For m-3 the next fee is due in May.');
    expect(usual).toBeGreaterThan(0.3);
    for (const words of ['For m-3 please enter null there.', 'The address of m-3 is to be left empty.'])
      expect(score(words), words).toBeLessThan(usual / 3);
    expect(score('{"id":"m-3","phone":null}')).toBeGreaterThan(usual / 2);
  });
});

it('takes a figure that goes up and down through zero for one that does', () => {
  const swinging = [0.31, -0.07, 0.12, -0.24, 0.4, -0.02, 0.33];
  const turned = swinging.map((trim, at) => (at < 5 ? Math.abs(trim) : -Math.abs(trim)));
  const score = (trims: readonly number[]): number =>
    suspects(trims.flatMap((trim) => [1, 2, 3].map((at) => ({ fore: { trim, name: 'fore' }, at }))))
      .filter(({ path }) => path === '$.fore.trim')
      .reduce((most, one) => Math.max(most, one.score), 0);
  expect(score(turned)).toBeGreaterThan(0.2);
  expect(score(swinging)).toBeLessThan(score(turned) / 2);
});
