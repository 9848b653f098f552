/** The exact reader of JSON against JSON.parse on states, interleaved, by processor time, on modules built as users run them. */
import { built } from '@checkpoint-inspector/config/built';
import { expect, it } from 'vitest';
import { stateOf } from './states.ts';

const { parseJson } = await built<typeof import('@checkpoint-inspector/core')>('@checkpoint-inspector/core');

const ROUNDS = 15;
const WARM_UP = 3;
/** So many characters are read in a round, however small the text is. */
const CHARACTERS = 4_000_000;

it.each([100_000, 1_000_000, 18_000_000])('reads a state of %d bytes nearly as fast as JSON.parse', (bytes) => {
  const text = JSON.stringify(stateOf(1, bytes));
  const times = Math.max(1, Math.round(CHARACTERS / text.length));
  const measured = { ours: [] as number[], theirs: [] as number[] };
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const [ours, theirs] = [cpu(() => parseJson(text), times), cpu(() => JSON.parse(text) as unknown, times)];
    if (round < 0) continue;
    measured.ours.push(ours);
    measured.theirs.push(theirs);
  }
  const speed = median(measured.theirs) / median(measured.ours);
  console.log(`measured: exact reader on a state of ${bytes / 1e6} MB: ${speed.toFixed(2)} of the speed of JSON.parse`);
  expect(speed).toBeGreaterThan(0.8);
});

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

function cpu(work: () => unknown, times: number): number {
  const before = process.cpuUsage();
  for (let n = 0; n < times; n++) work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
