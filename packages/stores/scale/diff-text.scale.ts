/**
 * Differences between two texts against parsing both and the fastest library, interleaved, by processor time. Our modules
 * run here as tests run them, a third slower than built ones.
 */
import { diffJson } from '@checkpoint-inspector/core';
import microdiff from 'microdiff';
import { expect, it } from 'vitest';
import { few, stateOf } from './states.ts';

const ROUNDS = 9;
const WARM_UP = 3;
/** So many characters are compared in a round, however small the texts are. */
const CHARACTERS = 4_000_000;

interface Case {
  readonly name: string;
  readonly before: object;
  readonly after: object;
  readonly rows: number;
  /** How many times the library's time it may take. */
  readonly most: number;
}

const changed = (bytes: number): Case => {
  const state = stateOf(1, bytes);
  return { name: `7 changes in ${bytes / 1e6} MB`, before: state, after: few(state), rows: 7, most: 2.8 };
};

const recordsOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `r${n}`, name: `record ${n}`, tags: ['a', 'b'], n }));

/** The library says one row for each record behind it. */
function inserted(count: number): Case {
  const records = recordsOf(count);
  const after = [{ id: 'new', name: 'record', tags: [], n: 0 }, ...records];
  return { name: `one in front of ${count} records`, before: { records }, after: { records: after }, rows: 1, most: 1 };
}

function moved(count: number): Case {
  const records = recordsOf(count);
  const after = records.filter((_, n) => n !== 7).toSpliced(count - 20, 0, ...records.slice(7, 8));
  return { name: `one of ${count} records moved`, before: { records }, after: { records: after }, rows: 1, most: 1.5 };
}

const CASES: readonly Case[] = [
  changed(100_000),
  changed(1_000_000),
  changed(18_000_000),
  inserted(10_000),
  moved(10_000),
];

it.each(CASES)('$name', ({ name, before, after, rows, most }) => {
  const [old, own] = [JSON.stringify(before), JSON.stringify(after)];
  const times = Math.max(1, Math.round(CHARACTERS / own.length));
  const ours = (): unknown => diffJson(old, own);
  const theirs = (): unknown => microdiff(JSON.parse(old) as object, JSON.parse(own) as object);
  expect(diffJson(old, own).items).toHaveLength(rows);
  const ratios: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const ratio = cpu(ours, times) / cpu(theirs, times);
    if (round >= 0) ratios.push(ratio);
  }
  const ratio = ratios.toSorted((a, b) => a - b)[ROUNDS >> 1] ?? NaN;
  console.log(`measured: diff of texts, ${name}: ${ratio.toFixed(2)} times parsing both and microdiff`);
  expect(ratio).toBeLessThan(most);
});

it.each([inserted(100_000), moved(100_000)])(
  '$name, where the library has no stack left',
  ({ before, after, rows }) => {
    const [old, own] = [JSON.stringify(before), JSON.stringify(after)];
    expect(diffJson(old, own).items).toHaveLength(rows);
    expect(() => microdiff(before, after)).toThrow(RangeError);
  },
);

function cpu(work: () => unknown, times: number): number {
  const before = process.cpuUsage();
  for (let n = 0; n < times; n++) work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
