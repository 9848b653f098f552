import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { share, type SharedState, valuesOf } from './index.ts';

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

function heap(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

it('holds what is new of each text, and none of the texts', () => {
  const long = 'the same in every text '.repeat(50_000);
  const messages: object[] = [];
  let before: SharedState | undefined;
  const start = heap();
  for (let n = 0; n < 30; n++) {
    messages.push({ a_rather_long_key_of_a_message: n, text: `the ${n}th text of them all` });
    const text = JSON.stringify({ long, messages }).replaceAll('"the ', '"\\u0074he ');
    before = share(valuesOf(text), { hash, before }).state;
  }
  expect(before?.bytes).toBeGreaterThan(1_000_000);
  // Two copies of the long one at most, where every text would be thirty.
  expect(heap() - start).toBeLessThan(10_000_000);
});
