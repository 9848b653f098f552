/** Python's states are msgpack: reading them may take a few times what JSON.parse takes of the same data as JSON. */
import { openSqlite } from '@checkpoint-inspector/io';
import { expect, it } from 'vitest';
import { msgpackToJson } from '../src/langgraph/msgpack/read.ts';

const STATES = 1_000;
const ROUNDS = 15;
const FIXTURE = new URL('../src/langgraph/fixtures/py.sqlite', import.meta.url).pathname;

function processorTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** What Python wrote, over and over, but for the few that have NaN, which JSON.parse refuses. */
function states(): readonly { readonly bytes: Uint8Array; readonly text: string }[] {
  const database = openSqlite(FIXTURE, { readOnly: true });
  const rows = database.prepare<{ bytes: Uint8Array }>('SELECT checkpoint AS bytes FROM checkpoints').all();
  database.close();
  const known = rows
    .map(({ bytes }) => ({ bytes, text: msgpackToJson(bytes) }))
    .filter(({ text }) => !text.includes('NaN'));
  return Array.from({ length: STATES }, (_, n) => known[n % known.length] ?? expect.fail('no row'));
}

it('decodes 1,000 states of Python in at most 3 times what JSON.parse takes', () => {
  const all = states();
  // In turns, so that a busy machine slows both; measured on a quiet one: 1.9 times.
  const ratios = Array.from({ length: ROUNDS }, () => {
    const parsed = processorTime(() => all.forEach(({ text }) => void JSON.parse(text)));
    return processorTime(() => all.forEach(({ bytes }) => void msgpackToJson(bytes))) / parsed;
  });
  const [median = Infinity] = ratios.toSorted((a, b) => a - b).slice(ROUNDS >> 1);
  expect(median).toBeLessThanOrEqual(3);
});
