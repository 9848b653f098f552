/** Figures that are worked out from the entries of a list: the error names them, and the cause is an entry. */
import { describe, expect, it } from 'vitest';
import { suspectsOf } from './diagnose.ts';
import { stepsOf, type State } from './testing/written.ts';
import type { Suspect } from './types.ts';

const first = (states: readonly State[], error: string): Suspect | undefined =>
  suspectsOf(stepsOf(states), { error })[0];
const told = (suspect: Suspect | undefined): string => `${suspect?.seq} ${suspect?.path}`;

const COUNTS = [812, 655, 1_204, 433, 978];
const tables = COUNTS.map((rows, nth) => ({ id: `t${nth + 1}`, rows }));
const sum = (of: readonly { readonly rows: number }[]): number => of.reduce((all, { rows }) => all + rows, 0);

describe('a sum that the error names', () => {
  it('is not blamed where it matches the entries: what it adds up is', () => {
    const wrong = tables.map((table) => (table.id === 't4' ? { ...table, rows: 334 } : table));
    const states: State[] = [
      { tables, totals: { expected: 0, seen: 0, failed: 0 } },
      { tables, totals: { expected: sum(tables), seen: 0, failed: 0 } },
      { tables: wrong, totals: { expected: sum(wrong), seen: 0, failed: 0 } },
      { tables: wrong, totals: { expected: sum(wrong), seen: 2, failed: 0 } },
    ];
    const suspect = first(states, `totals.expected ${sum(wrong)} is not what was counted`);
    expect(told(suspect)).toBe('3 $.tables[3].rows');
    expect(suspect?.reasons.join()).toContain('which is calculated from this');
  });

  it('is blamed where it does not match them', () => {
    const states: State[] = [
      { tables, totals: { expected: 0, seen: 0, failed: 0 } },
      { tables, totals: { expected: 9_999, seen: 0, failed: 0 } },
      { tables, totals: { expected: 9_999, seen: 2, failed: 0 } },
    ];
    expect(first(states, 'totals.expected 9999 is not what was counted')?.path).toBe('$.totals.expected');
  });
});

const MEDIA = ['water', 'gas', 'heat', 'water', 'gas', 'heat', 'water', 'gas'];
const meters = MEDIA.map((medium, nth) => ({ id: `m${nth}`, medium, used: 13.5 + nth * 7.25 }));
const usedOf = (medium: string): number =>
  sum(meters.flatMap((one) => (one.medium === medium ? [{ rows: one.used }] : [])));

it('tells the figure that is not what the entries of its name come to, where the others are', () => {
  const sums = { water: usedOf('water'), gas: usedOf('gas') - 28, heat: usedOf('heat') };
  const states: State[] = [{ meters }, { meters, sums }, { meters, sums, done: true }];
  const suspect = first(states, 'control figures differ');
  expect(told(suspect)).toBe('2 $.sums.gas');
  expect(suspect?.reasons.join()).toContain('the entries they are named after');
  const whole = { ...sums, gas: usedOf('gas') };
  expect(
    told(first([{ meters }, { meters, sums: whole }, { meters, sums: whole, done: true }], 'control figures differ')),
  ).not.toBe('2 $.sums.gas');
});

describe('of sums by kind the one that is off', () => {
  const sums = { water: usedOf('water'), gas: usedOf('gas') - 28, heat: usedOf('heat') };
  const tours = ['water', 'gas', 'heat'].map((name) => ({
    name,
    stops: meters.flatMap(({ id, medium, used }) => (medium === name ? [{ id, used }] : [])),
  }));
  const maps = {
    medium: Object.fromEntries(meters.map(({ id, medium }) => [`M-${id}`, medium])),
    used: Object.fromEntries(meters.map(({ id, used }) => [`M-${id}`, used])),
  };

  it.each([
    ['is told where the kinds are lists', { tours }],
    ['is told where the fields are maps', { maps }],
  ])('%s', (_where, state: State) => {
    const states: State[] = [state, { ...state, sums }, { ...state, sums, done: true }];
    expect(told(first(states, 'control figures differ'))).toBe('2 $.sums.gas');
  });
});

describe('the end of a run', () => {
  const states = (state: string): State[] =>
    [3, 2, 1, 0].map((left) => ({ tables, plan: { left }, state: left === 0 ? state : 'running', limit: 4 }));

  it('blames neither a countdown that reached zero nor the last status', () => {
    const wrong = states('completed').map((one, at) => (at > 1 ? { ...one, limit: 7 } : one));
    expect(first(wrong, 'validation failed')?.path).toBe('$.limit');
  });
});

it('tells an average of only some of the entries', () => {
  const mean = (of: typeof meters): number =>
    Math.round((sum(of.map(({ used }) => ({ rows: used }))) / of.length) * 100) / 100;
  // What is worked out for the report in the end is mostly a symptom.
  const of = (figure: number): State[] =>
    [0, 1, 2, 3, 4, 5].map((n) => ({ meters, n, ...(n === 0 ? {} : { figures: { meanUsed: figure } }) }));
  const part = first(of(mean(meters.slice(0, 4))), 'the report was sent back');
  expect(told(part)).toBe('2 $.figures.meanUsed');
  expect(part?.reasons.join()).toContain('the average of only some');
  expect(first(of(mean(meters)), 'the report was sent back')?.reasons.join() ?? '').not.toContain(
    'the average of only some',
  );
});

describe('a sum that leaves one entry out', () => {
  const all = meters.map((one) => ({ ...one, state: 'read', site: `S-${one.id}` }));
  const usedBy = (of: readonly { readonly used: number }[]): number => of.reduce((sum, { used }) => sum + used, 0);
  const run = (of: typeof all, used: number): State[] =>
    [0, 1, 2, 3, 4, 5].map((n) => ({ meters: of, n, ...(n < 2 ? {} : { report: { used } }) }));
  const leaves = 'It adds up all entries but "m5".';
  const told = (states: readonly State[]): string =>
    suspectsOf(stepsOf(states), { error: 'the report was sent back' })
      .flatMap(({ reasons }) => reasons)
      .join();

  it('is told by the name of that entry', () => {
    const suspect = first(run(all, usedBy(all.filter(({ id }) => id !== 'm5'))), 'the report was sent back');
    expect(`${suspect?.seq} ${suspect?.path}`).toBe('3 $.report.used');
    expect(suspect?.reasons[0]).toBe(leaves);
  });

  it('is right where something tells the entry from all others', () => {
    const marked = all.map((one) => (one.id === 'm5' ? { ...one, state: 'void' } : one));
    expect(told(run(marked, usedBy(marked.filter(({ id }) => id !== 'm5'))))).not.toContain('It adds up all');
  });

  it('is right where the entry is gone by then', () => {
    const left = all.filter(({ id }) => id !== 'm5');
    const states = run(left, usedBy(left));
    expect(told([{ meters: all, n: 0 }, ...states.slice(1)])).not.toContain('It adds up all');
  });

  it('is behind where it runs along', () => {
    const states = all.map((_one, nth) => ({ meters: all, n: nth, running: usedBy(all.slice(0, nth + 1)) }));
    expect(told(states)).not.toContain('It adds up all');
  });
});
