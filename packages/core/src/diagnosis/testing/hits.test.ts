import { expect, it } from 'vitest';
import { isHit } from './hits.ts';
import type { PlantedCase } from './types.ts';

const planted: PlantedCase = {
  seed: 1,
  domain: 'any',
  fault: 'any',
  set: 'tune',
  steps: [],
  head: 'c9',
  outcome: 'failed',
  culprits: [
    { checkpoint: 'c4', path: '$.books["a.b"][2].amount' },
    { checkpoint: 'c5', path: '$.total' },
  ],
};

it.each([
  ['c4', '$.books["a.b"][2].amount', true],
  ['c4', '$.books["a.b"][2].amount.value', true],
  ['c4', '$.books["a.b"][2]', true],
  ['c4', '$.books["a.b"]', true],
  ['c4', '$.books', false],
  ['c4', '$.books["a.b"][3].amount', false],
  ['c4', '$.books["a.b"]["2"].amount', false],
  ['c5', '$.total', true],
  ['c5', '$', false],
  ['c9', '$.total', false],
])('at %s, %s is a hit: %s', (id, path, expected) => {
  expect(isHit({ id, path }, planted)).toBe(expected);
});
