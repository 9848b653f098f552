import { milliseconds } from '@checkpoint-inspector/config/measure';
import { expect, it } from 'vitest';
import { normaliseMessage } from '../src/index.ts';
import { parseJson } from '../src/json/index.ts';
import { maskSecrets } from '../src/index.ts';

it('reads 5 MB of JSON within 2 s', async () => {
  const message = { id: 'm', role: 'user', content: 'What changed? '.repeat(8), meta: { tokens: 1, ok: true } };
  const text = JSON.stringify(Array.from({ length: 28_000 }, () => message));
  expect(text.length).toBeGreaterThan(5_000_000);
  // The goal is 250 ms on an idle machine; the benchmark measures it, this only catches a slow algorithm.
  expect(await milliseconds(() => parseJson(text))).toBeLessThan(2_000);
});

it('masks long texts of one kind within 2 s', async () => {
  const took = await milliseconds(() => {
    maskSecrets('sk-'.repeat(200_000));
    maskSecrets('eyJ'.repeat(200_000));
    maskSecrets('-----BEGIN '.repeat(60_000));
  });
  expect(took).toBeLessThan(2_000);
});

it('groups messages that repeat one part 100,000 times within 500 ms', async () => {
  const parts = ["'", '"a', '/a', 'a-', '1', '0x', '1,', 'a.', 'a@', '\\', ' at (', 'AError: ', 'a.', 'Error: ab <'];
  const took = await milliseconds(() => {
    for (const part of parts) normaliseMessage(part.repeat(100_000));
  });
  expect(took).toBeLessThan(500);
});
