import { rngOf } from '@checkpoint-inspector/core/testing';
import { workload } from '@checkpoint-inspector/stores/scale/workload';
import { expect, it } from 'vitest';
import { deltaBytes, deltaOf, type Delta } from './delta.ts';

function applied(before: unknown, delta: Delta | undefined): unknown {
  if (delta === undefined) return before;
  if (delta[0] === 0) return delta[1];
  if (delta[0] === 2) return (before as unknown[]).toSpliced(delta[1], delta[2], ...delta[3]);
  if (delta[0] === 3) return (before as unknown[]).map((item, at) => applied(item, delta[1][at]));
  const members = before as Record<string, unknown>;
  const changed = Object.entries(delta[1]).map(([key, own]) => [key, applied(members[key], own)] as const);
  const kept = Object.entries(members).filter(([key]) => !delta[2].includes(key));
  return { ...Object.fromEntries(kept), ...Object.fromEntries(changed) };
}

it('is enough to build every state of a run from its parent, and small beside it', () => {
  const states = new Map<string, object>();
  let deltas = 0;
  let whole = 0;
  for (const { id, parent, state } of workload(7, 150)) {
    const before = states.get(parent ?? '');
    if (before !== undefined) {
      expect(applied(before, JSON.parse(JSON.stringify(deltaOf(before, state) ?? null)) ?? undefined)).toEqual(state);
      deltas += deltaBytes(before, state);
    }
    whole += deltaBytes(undefined, state);
    states.set(id, state);
  }
  expect(whole).toBeGreaterThan(40 * deltas);
});

it('is enough for values of any kind that change in any way', () => {
  const rng = rngOf('delta', 1);
  const value = (depth: number): unknown => {
    if (depth > 2 || rng.chance(0.3)) return rng.int(0, 3);
    const items = Array.from({ length: rng.int(0, 5) }, () => value(depth + 1));
    return rng.chance(0.5) ? items : Object.fromEntries(items.map((item, at) => [`k${at}`, item]));
  };
  for (let run = 0; run < 2_000; run++) {
    const [before, after] = [value(0), value(0)];
    expect(applied(before, deltaOf(before, after))).toEqual(after);
  }
});

it('is nothing where nothing differs', () => {
  expect(deltaOf({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] })).toBeUndefined();
  expect(deltaBytes({ a: 1 }, { a: 1 })).toBe(0);
});

it('takes the shorter way', () => {
  expect(deltaOf({ a: 'long enough', b: 1 }, { a: 'long enough', b: 2 })).toEqual([1, { b: [0, 2] }, []]);
  expect(deltaOf([1, 2, 3, 4, 5, 6], [1, 2, 9, 3, 4, 5, 6])).toEqual([2, 2, 0, [9]]);
  expect(deltaOf({ a: 1, b: 2, c: 3 }, {})).toEqual([0, {}]);
});
