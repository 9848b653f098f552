import { afterEach, describe, expect, it, vi } from 'vitest';
import { suspectsOf } from './diagnose.ts';
import { Examination } from './examination.ts';
import { Spread } from './spread.ts';
import { stepsOf, type State } from './testing/written.ts';
import { leafOf } from './tree.ts';
import { readTree } from './read.ts';

const leaf = (value: unknown) => {
  const found = leafOf(readTree(JSON.stringify(value)));
  if (found === undefined) throw new Error('No plain value.');
  return found;
};

function oddness(value: unknown, others: readonly unknown[]): number {
  const spread = new Spread();
  const own = leaf(value);
  for (const one of [own, ...others.map(leaf)]) spread.enter(one);
  return spread.oddness(own);
}

describe('what is odd among all values of a slot', () => {
  it('is a size far from all others, another sign, the only zero', () => {
    const prices = [12, 14, 11, 13, 12, 15];
    expect(oddness(1300, prices)).toBeGreaterThan(0.5);
    expect(oddness(-13, prices)).toBeGreaterThan(0.5);
    expect(oddness(0, prices)).toBeGreaterThan(0.5);
    expect(oddness(13, prices)).toBe(0);
  });

  it('is another kind or another spelling, where the others agree', () => {
    const days = ['2026-01-02', '2026-01-03', '2026-01-04', '2026-01-05'];
    expect(oddness('02.01.2026', days)).toBeGreaterThan(0.5);
    expect(oddness(20260102, days)).toBeGreaterThan(0.5);
    expect(oddness('2026-01-06', days)).toBe(0);
    expect(oddness('Anna', ['b-7', 'C d', '9', 'e_f'])).toBe(0);
  });

  it('is an id that another one has', () => {
    const ids = ['A-1', 'A-2', 'A-3', 'A-4', 'A-5'];
    expect(oddness('A-3', ids)).toBeGreaterThan(0.5);
    expect(oddness('A-6', ids)).toBe(0);
  });
});

afterEach(() => vi.restoreAllMocks());

/** How many changes of a run are compared with their neighbours. */
function looked(states: readonly State[], worst: string): number {
  const look = vi.spyOn(Examination.prototype, 'look');
  expect(suspectsOf(stepsOf(states))[0]?.path).toBe(worst);
  const { length } = look.mock.calls;
  vi.restoreAllMocks();
  return length;
}

/** One change is wrong, and the last. */
const runOf = (size: number): State[] =>
  Array.from({ length: 12 }, (_, step) => ({
    rows: Array.from({ length: size }, (_row, at) => ({
      id: `row-${at}`,
      price: at === 3 && step === 11 ? 90_000 : 10 + ((at * 7 + step) % 13),
    })),
  }));

it('compares few changes with their neighbours, however many there are', () => {
  expect(looked(runOf(20), '$.rows[3].price')).toBeLessThan(30);
  expect(looked(runOf(100), '$.rows[3].price')).toBeLessThan(60);
});

it('compares none that cannot be as likely as those that were', () => {
  const sizes = Array.from({ length: 80 }, (_, at) => 10 + ((at * 7) % 13));
  const states = Array.from({ length: 10 }, (_step, step) => ({
    rows: sizes.slice(0, 40).map((size, at) => ({ id: `row-${at}`, size: at + 3 < step ? size * 1_000 : size })),
    loaded: step < 3 ? [] : sizes.map((size, at) => ({ id: `new-${at}`, size })),
  }));
  expect(looked([...states, ...states.slice(-1)], '$.rows[0].size')).toBeLessThan(40);
});
