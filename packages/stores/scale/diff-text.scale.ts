/**
 * Differences between two texts against parsing both and the fastest library, interleaved, by processor time, on modules
 * built as users run them.
 */
import { built } from '@checkpoint-inspector/config/built';
import jsonPatch from 'fast-json-patch';
import microdiff from 'microdiff';
import { expect, it } from 'vitest';
import { few, stateOf } from './states.ts';

const { diffJson } = await built<typeof import('@checkpoint-inspector/core')>('@checkpoint-inspector/core');

const ROUNDS = 9;
/** Code runs slowly until it has been compiled, and the time of compiling it is measured, too. */
const WARM_UP = 12;
/** So many characters are compared in a round, however small the texts are. */
const CHARACTERS = 4_000_000;

interface Case {
  readonly name: string;
  readonly before: object;
  readonly after: object;
  readonly rows: number;
  /** How many times the time of the fastest library it may take. */
  readonly most: number;
}

const changed = (bytes: number, most: number): Case => {
  const state = stateOf(1, bytes);
  return { name: `7 changes in ${bytes / 1e6} MB`, before: state, after: few(state), rows: 7, most };
};

const recordsOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `r${n}`, name: `record ${n}`, tags: ['a', 'b'], n }));

/** The libraries say at least one row for each record behind it. */
function inserted(count: number): Case {
  const records = recordsOf(count);
  const after = [{ id: 'new', name: 'record', tags: [], n: 0 }, ...records];
  return {
    name: `one in front of ${count} records`,
    before: { records },
    after: { records: after },
    rows: 1,
    most: 0.7,
  };
}

function moved(count: number): Case {
  const records = recordsOf(count);
  const after = records.filter((_, n) => n !== 7).toSpliced(count - 20, 0, ...records.slice(7, 8));
  return { name: `one of ${count} records moved`, before: { records }, after: { records: after }, rows: 1, most: 1 };
}

const CASES: readonly Case[] = [
  changed(100_000, 1.3),
  changed(1_000_000, 1),
  changed(18_000_000, 0.7),
  inserted(10_000),
  moved(10_000),
  inserted(100_000),
  moved(100_000),
];

it.each(CASES)('$name', ({ name, before, after, rows, most }) => {
  const [old, own] = [JSON.stringify(before), JSON.stringify(after)];
  const times = Math.max(1, Math.round(CHARACTERS / own.length));
  expect(diffJson(old, own).items).toHaveLength(rows);
  const works = new Map<string, () => unknown>([
    ['ours', () => diffJson(old, own)],
    ['microdiff', () => microdiff(JSON.parse(old) as object, JSON.parse(own) as object)],
    ['fast-json-patch', () => jsonPatch.compare(JSON.parse(old) as object, JSON.parse(own) as object)],
  ]);
  // With 100,000 records it has no stack left.
  if (name.includes('100000')) works.delete('microdiff');
  const measured = new Map([...works.keys()].map((side) => [side, [] as number[]]));
  for (let round = -WARM_UP; round < ROUNDS; round++)
    for (const [side, work] of works) {
      const spent = cpu(work, times);
      if (round >= 0) measured.get(side)?.push(spent);
    }
  const medians = [...measured].map(([side, spent]) => [side, median(spent)] as const);
  const [[, ours] = ['', NaN], ...others] = medians;
  const [peer, theirs] = others.reduce((best, other) => (other[1] < best[1] ? other : best), ['', Infinity]);
  console.log(`measured: diff of texts, ${name}: ${(ours / theirs).toFixed(2)} times parsing both and ${peer}`);
  expect(ours / theirs).toBeLessThan(most);
});

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

function cpu(work: () => unknown, times: number): number {
  const before = process.cpuUsage();
  for (let n = 0; n < times; n++) work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
