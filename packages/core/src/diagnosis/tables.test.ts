/** Tables as lists of rows, what their columns come to, and lists of figures that say nothing. */
import { expect, it } from 'vitest';
import { suspectsOf } from './diagnose.ts';
import { stepsOf, type State } from './testing/written.ts';
import type { Suspect } from './types.ts';

const first = (states: readonly State[], error: string): Suspect | undefined =>
  suspectsOf(stepsOf(states), { error })[0];
const told = (suspect: Suspect | undefined): string => `${suspect?.seq} ${suspect?.path}`;

const HEAD = ['id', 'name', 'reading', 'writing', 'maths', 'malus', 'sum'];
const MARKS = [
  [900, 'Mia', 19, 24, 2.5, -1],
  [904, 'Ben', 11, 18, 13.5, -2],
  [908, 'Ida', 19, 14, 3.5, -1],
  [910, 'Jo', 7, 24, 4.5, -1],
  [912, 'Eli', 7, 18, 6.5, -3],
  [915, 'Noa', 15, 10, 6.5, -1],
];
const sumOf = ([, , ...marks]: readonly (number | string)[]): number =>
  marks.reduce<number>((sum, mark) => sum + Number(mark), 0);

it('tells the row whose columns do not add up, by the names of the columns', () => {
  const marks = [HEAD, ...MARKS.map((row) => [...row, null])];
  const summed = [HEAD, ...MARKS.map((row, nth) => [...row, nth === 3 ? 32.5 : sumOf(row)])];
  const suspect = first(
    [{ marks: [HEAD] }, { marks }, { marks: summed }, { marks: summed, done: true }],
    'not released',
  );
  expect(told(suspect)).toBe('3 $.marks[4][6]');
  expect(suspect?.reasons.join()).toContain('reading, writing, maths, malus and sum add up');
});

const LIST = ['unit', 'port', 'weight'];
const UNITS = ['OTPU7', 'MNBU3', 'CXRU4', 'SZLU9', 'TRIU2'];
const load = (weights: readonly (number | null)[]): State => ({
  sheet: [LIST, ...UNITS.map((unit, nth) => [unit, 'NLRTM', weights[nth] ?? null])],
});

it('reads what is said of a row and its column, in a text that came only once', () => {
  const given = [20_140, 21_882, 18_023, 25_105, 19_118];
  const slip = UNITS.map((unit, nth) => `Unit ${unit}: weight ${given[nth]} kg, keep it cool.`).join('\n');
  const wrong = given.map((weight, nth) => (nth === 2 ? 18_203 : weight));
  const states = [
    load([]),
    { ...load([]), slip },
    { ...load(wrong), slip: null },
    { ...load(wrong), slip: null, n: 1 },
  ];
  const suspect = first(states, 'refused by the terminal');
  expect(told(suspect)).toBe('3 $.sheet[3][2]');
  expect(suspect?.reasons.join()).toContain('18023');
});

it('takes no figure of an embedding for a value, and no list that is done for a loss', () => {
  const vector = (seed: number): number[] =>
    Array.from({ length: 6 }, (_, at) => Math.round(Math.sin(seed * 7 + at * 3) * 10_000) / 10_000);
  const todo = ['fetch', 'weigh', 'book', 'file'].map((text) => ({ text, done: true }));
  const prices = [12.5, 13.1, 12.9, 13.4, 12.2].map((price, nth) => ({ id: `p${nth}`, price }));
  const wrong = prices.map((one) => (one.id === 'p3' ? { ...one, price: 1340 } : one));
  const states: State[] = [1, 2, 3, 4, 5].map((seed) => ({
    todo: seed < 5 ? todo : [],
    prices: seed < 3 ? prices : wrong,
    memory: { a: vector(1), b: vector(seed) },
  }));
  const suspects = suspectsOf(stepsOf(states), { error: 'the order was refused' });
  expect(told(suspects[0])).toBe('3 $.prices[3].price');
  expect(suspects.some(({ path }) => path.startsWith('$.memory'))).toBe(false);
});
