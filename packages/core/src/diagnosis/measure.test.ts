import { expect, it } from 'vitest';
import { suspectsOf } from './diagnose.ts';
import { isHit } from './testing/hits.ts';
import { healthyCase, plantedCase } from './testing/planted.ts';
import { branchOf } from './testing/rankings.ts';
import type { RunCase } from './testing/types.ts';

/** Floors below what was measured; the scale run prints the whole table over all systems. */
const FLOORS = { tune: [0.6, 0.85], 'held-out': [0.6, 0.75] } as const;
const RUNS = 24;

const answer = (run: RunCase) => {
  const branch = branchOf(run);
  const steps = branch.map(({ id, status, description, text }, at) => ({
    ref: { task: 'run', id },
    seq: at + 1,
    status,
    ...(description === undefined ? {} : { description }),
    text,
  }));
  const error = branch.at(-1)?.error;
  return suspectsOf(steps, error === undefined ? {} : { error });
};

const isSure = (score: number): boolean => score >= 0.5;

interface Outcome {
  /** Place of the culprit in the answer; -1 where it is not in it. */
  readonly rank: number;
  readonly isSure: boolean;
}

const outcomes = { tune: outcomesOf('tune'), 'held-out': outcomesOf('held-out') };

function outcomesOf(set: RunCase['set']): readonly Outcome[] {
  return Array.from({ length: RUNS }, (_, seed): Outcome => {
    const planted = plantedCase(seed, set);
    const suspects = answer(planted);
    const rank = suspects.findIndex(({ ref, path }) => isHit({ id: ref.id, path }, planted));
    return { rank, isSure: isSure(suspects[0]?.score ?? 0) };
  });
}

it.each(['tune', 'held-out'] as const)('finds the planted fault first or among the first three: %s', (set) => {
  const share = (most: number): number => outcomes[set].filter(({ rank }) => rank >= 0 && rank < most).length / RUNS;
  console.log(
    `${set}, seeds 0 to ${RUNS - 1}: first ${(100 * share(1)).toFixed(0)} %, among three ${(100 * share(3)).toFixed(0)} %`,
  );
  expect(share(1)).toBeGreaterThanOrEqual(FLOORS[set][0]);
  expect(share(3)).toBeGreaterThanOrEqual(FLOORS[set][1]);
});

it('is mostly right where it calls a change likely', () => {
  const sure = Object.values(outcomes).flatMap((set) => set.filter((one) => one.isSure));
  const right = sure.filter(({ rank }) => rank === 0).length;
  console.log(`sure of ${sure.length} of ${2 * RUNS}, right in ${right}`);
  expect(sure.length).toBeGreaterThan(RUNS);
  expect(right / sure.length).toBeGreaterThan(0.8);
});

it('gives the same answer to the same run', () => {
  const run = plantedCase(3);
  expect(answer(run)).toEqual(answer(run));
});

it('is rarely sure about a run in which nothing was planted', () => {
  const sure = Array.from({ length: 24 }, (_, seed) => answer(healthyCase(seed))[0]?.score ?? 0).filter(isSure);
  expect(sure.length).toBeLessThanOrEqual(3);
});
