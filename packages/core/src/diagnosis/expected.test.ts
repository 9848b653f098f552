/** An error that says what a figure should be: the one value with which it would be that. */
import { describe, expect, it } from 'vitest';
import { suspectsOf } from './diagnose.ts';
import { stepsOf, type State } from './testing/written.ts';
import type { Suspect } from './types.ts';

const AMOUNTS = [31.4, 28.15, 44.6, 37.85, 29.3, 41.2];
const COUNTS = [3, 5, 2, 4, 6, 3];
type Row = { readonly id: string; readonly amount: number; readonly count: number };
const rows: Row[] = AMOUNTS.map((amount, nth) => ({ id: `L-${nth + 1}`, amount, count: COUNTS[nth] ?? 0 }));
const sumOf = (of: readonly Row[], valueOf: (row: Row) => number): number =>
  Number(of.reduce((sum, row) => sum + valueOf(row), 0).toFixed(2));
const amountOf = ({ amount }: Row): number => amount;
const productOf = ({ amount, count }: Row): number => amount * count;

/** Loads all rows as they were read, but for one; adds them up, and fails. */
function run(
  wrong: Partial<Row>,
  valueOf: (row: Row) => number,
  error: (is: number, should: number) => string,
): Suspect[] {
  const written = rows.map((row) => (row.id === 'L-4' ? { ...row, ...wrong } : row));
  const messages = [
    { role: 'user', content: 'Enter all lines and add them up, please.' },
    { role: 'tool', content: rows.map(({ id, amount, count }) => `${id} | ${amount} | ${count}`).join('\n') },
  ];
  const sum = sumOf(written, valueOf);
  const states: State[] = [
    { n: 0, rows: [], messages: messages.slice(0, 1) },
    { n: 1, rows: written, messages },
    { n: 2, rows: written, messages },
    { n: 3, rows: written, messages, sum },
    { n: 4, rows: written, messages: [...messages, { role: 'agent', content: 'All is added up now.' }], sum },
  ];
  return suspectsOf(stepsOf(states), { error: error(sum, sumOf(rows, valueOf)) });
}

const says = ({ reasons = [], path = '' }: Partial<Suspect> = {}): string => `${path}: ${reasons.join(' ')}`;

describe('a value that explains the difference', () => {
  it('is the one that was read', () => {
    const [first] = run({ amount: 33.95 }, amountOf, (is, should) => `sum is ${is}, the ledger has ${should}`);
    expect(says(first)).toMatch(
      /^\$\.rows\[3\]\.amount: .*With 37\.85 here, 208\.6 would be 212\.5, as the error says\./,
    );
  });

  it('is found in a sum of products, and in what is a share of a sum', () => {
    const products = run({ amount: 73.85 }, productOf, (is, should) => `expected ${should}, got ${is}`);
    expect(says(products[0])).toContain('With 37.85 here');
    const taxed = run(
      { amount: 33.95 },
      (row) => row.amount * 1.21,
      (is, should) => `${is} instead of ${should}`,
    );
    expect(says(taxed[0])).toContain('With 37.85 here');
  });

  it('is one without a slip of its point', () => {
    const [first] = run({ amount: 3785 }, amountOf, (is, should) => `got ${is}, not ${should}`);
    expect(says(first)).toContain('With 37.85 here');
  });

  it('is told as stored, where it was there before', () => {
    const lines = (amount: string): string =>
      `[${rows.map((row) => `{"id":"${row.id}","amount":${row.id === 'L-4' ? amount : row.amount}}`).join(',')}]`;
    const texts = [
      `{"n":0,"rows":${lines('37.850')}}`,
      `{"n":1,"rows":${lines('37.850')}}`,
      `{"n":2,"rows":${lines('33.95')}}`,
      `{"n":3,"rows":${lines('33.95')},"sum":208.6}`,
    ];
    const steps = stepsOf(texts.map(() => ({}))).map((step, at) => ({ ...step, text: texts[at] ?? '' }));
    const [first] = suspectsOf(steps, { error: 'sum is 208.6, the ledger has 212.5' });
    expect(says(first)).toContain('With 37.850 here, 208.6 would be 212.5');
  });

  it('is none where the values add up to nothing', () => {
    const even = [5.5, -5.5, 7.25, -7.25].map((amount, nth) => ({ id: `L-${nth}`, amount }));
    const states: State[] = [{ rows: [] }, { rows: even }, { rows: even, fee: 12.5 }, { rows: even, fee: 12.5, n: 3 }];
    const found = suspectsOf(stepsOf(states), { error: 'the fee is 12.5, not 14.75' });
    expect(found.map(says).join('\n')).not.toContain('as the error says');
  });

  it.each([
    ['the error has one figure', { amount: 33.95 }, (is: number) => `the sum is ${is}`],
    ['nobody said that value', { amount: 33.95 }, (is: number) => `the sum is ${is}, not 215.77`],
    ['the figure is in no state', { amount: 33.95 }, (_: number, should: number) => `${should}, not 208.7`],
  ])('is none where %s', (_where, wrong, error) => {
    expect(run(wrong, amountOf, error).map(says).join('\n')).not.toContain('as the error says');
  });
});

it('takes a row of a report for what its entry says, however odd it is there', () => {
  const papers = ['okafor2019', 'ito2016', 'sato2018', 'wolf2020'].map((key) => ({ key, kind: 'cohort' }));
  const odd = [...papers, { key: 'lind2021a', kind: 'COHORT' }];
  const list = [...papers, { key: 'lind2021a', kind: 'COHORT' }].map(({ key, kind }) => [key, kind]);
  const states = [{ n: 0 }, { n: 1, papers: odd }, { n: 2, papers: odd }, { n: 3, papers: odd, report: { list } }];
  const [first] = suspectsOf(stepsOf([...states, { ...states[3], n: 4 }]), { error: 'paper lind2021a was refused' });
  expect(first?.path).toBe('$.papers[4].kind');
});
