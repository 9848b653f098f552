import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  decodeLineageInSteps,
  encodeLineage,
  forkTreeInSteps,
  lanesInSteps,
  type LineageColumns,
  usageInSteps,
} from './index.ts';
import { type InSteps, sortInSteps, toEnd } from './in-steps.ts';
import { lineageRow } from './testing/builders.ts';

const COUNT = 20_000;
const rows = Array.from({ length: COUNT }, (_, at) =>
  lineageRow('t', `c${at}`, at + 1, at === 0 ? undefined : `c${at % 5 === 0 ? at >> 1 : at - 1}`),
);

function stops(work: InSteps<unknown>): number {
  let count = 0;
  while (!work.next().done) count += 1;
  return count;
}

test('work over many rows can be interrupted several times for each pass over them', () => {
  const tree = toEnd(forkTreeInSteps('t', rows));
  const used = rows.map(({ id }) => ({ id, taskId: 't', costUsd: 0.1 }));
  for (const work of [
    forkTreeInSteps('t', rows),
    lanesInSteps(tree),
    decodeLineageInSteps(JSON.parse(encodeLineage('t', rows)) as LineageColumns),
    usageInSteps(used, () => 'all'),
  ])
    expect(stops(work)).toBeGreaterThanOrEqual(COUNT / 500 - 1);
});

test('what groups used is added up exactly, however many checkpoints a group has', () => {
  const used = Array.from({ length: 1_234 }, (_, at) => ({ id: `${at}`, taskId: 't', costUsd: 0.1 }));
  const sums = toEnd(usageInSteps(used, ({ id }) => (Number(id) < 1_200 ? 'long' : 'short')));
  expect(sums.get('long')?.costUsd).toEqual({ value: '120', said: 1_200 });
  expect(sums.get('short')).toEqual({ checkpoints: 34, costUsd: { value: '3.4', said: 34 } });
});

test('sorting with stops gives the order of sorting at once, equal items included', () => {
  const lists = fc.array(fc.nat(40), { maxLength: 12 }).chain((few) =>
    fc.constantFrom(0, 1, 500, 4_000).map((times) =>
      // Long lists of few keys, in order and out of order, so that runs are joined and merged.
      [...few, ...Array.from({ length: times }, (_, at) => few[at % Math.max(1, few.length)] ?? at)].map((key, at) => ({
        key,
        at,
      })),
    ),
  );
  const byKey = (a: { key: number }, b: { key: number }): number => a.key - b.key;
  fc.assert(
    fc.property(lists, (list) => {
      expect(toEnd(sortInSteps(list, byKey))).toEqual(list.toSorted(byKey));
    }),
    { numRuns: 60 },
  );
  expect(stops(sortInSteps(rows, (a, b) => b.seq - a.seq))).toBeGreaterThanOrEqual(COUNT / 500 - 1);
});
