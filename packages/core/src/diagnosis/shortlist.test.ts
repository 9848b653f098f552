import { afterEach, describe, expect, it, vi } from 'vitest';
import { suspectsOf } from './diagnose.ts';
import { Examination } from './examination.ts';
import { Spread } from './spread.ts';
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

/** Changes that are compared with their neighbours: one of them is wrong, and the last. */
function looked(size: number): number {
  const look = vi.spyOn(Examination.prototype, 'look');
  const states = Array.from({ length: 12 }, (_, step) => ({
    rows: Array.from({ length: size }, (_row, at) => ({
      id: `row-${at}`,
      price: at === 3 && step === 11 ? 90_000 : 10 + ((at * 7 + step) % 13),
    })),
  }));
  const suspects = suspectsOf(
    states.map((state, step) => ({
      ref: { task: 'run', id: String(step) },
      seq: step + 1,
      status: step === 11 ? 'failed' : 'completed',
      text: JSON.stringify(state),
    })),
  );
  expect(suspects[0]?.path).toBe('$.rows[3].price');
  const { length } = look.mock.calls;
  vi.restoreAllMocks();
  return length;
}

it('compares few changes with their neighbours, however many there are', () => {
  expect(looked(20)).toBeLessThan(30);
  expect(looked(100)).toBeLessThan(60);
});
