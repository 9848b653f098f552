import { describe, expect, it } from 'vitest';
import { suspectsOf } from './diagnose.ts';
import { stepsOf, type State } from './testing/written.ts';
import type { Suspect } from './types.ts';

const LOTS = ['L-1', 'L-2', 'L-3', 'L-4'];
const lines = Array.from({ length: 6 }, (_none, nth) => ({ id: `K-${nth + 1}`, lots: LOTS.slice(0, 3 + (nth % 2)) }));
const cut = (lots: readonly string[]) => lines.map((line) => (line.id === 'K-4' ? { ...line, lots } : line));

const first = (states: readonly State[]): Suspect | undefined =>
  suspectsOf(stepsOf(states), { error: 'the hand-over was refused' })[0];
const run = (changed: State, before: State): State[] => [
  { n: 1, ...before },
  { n: 2, ...before },
  { n: 3, ...before },
  { n: 4, ...changed },
  { n: 5, ...changed },
];

describe('a list of an entry that lost its values', () => {
  it('is told by the first of those that went from its end', () => {
    const suspect = first(run({ lines: cut(['L-1']) }, { lines }));
    expect(`${suspect?.seq} ${suspect?.kind} ${suspect?.path}`).toBe('4 removed $.lines[3].lots[1]');
    expect(suspect?.reasons.join(' ')).toContain('The last 3 values of its list were removed at once.');
  });

  it('is told where nothing is left', () => {
    const suspect = first(run({ lines: cut([]) }, { lines }));
    expect(suspect?.path).toMatch(/^\$\.lines\[3\]\.lots/);
    expect(suspect?.reasons.join(' ')).toContain('All 4 values of its list were removed at once.');
  });

  it('is none of its own, or one that is worked off from the front', () => {
    const told = (states: readonly State[]): string =>
      suspectsOf(stepsOf(states), { error: 'the hand-over was refused' })
        .flatMap(({ reasons }) => reasons)
        .join(' ');
    expect(told(run({ top: ['L-1'] }, { top: LOTS }))).not.toContain('of its list were removed');
    expect(told(run({ lines: cut(['L-3', 'L-4']) }, { lines }))).not.toContain('of its list were removed');
  });
});
