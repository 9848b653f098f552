import { createHash } from 'node:crypto';
import { toEnd, type InSteps } from '@checkpoint-inspector/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hashedInSteps, quotedPieces, STEP } from './long-text.ts';

function stops(work: InSteps<unknown>): number {
  let count = 0;
  while (!work.next().done) count += 1;
  return count;
}

/** Around the ends of pieces: pairs, halves of them, quotes, and what a report masks. */
const texts = fc
  .array(fc.constantFrom('😀', '\ud83d', '\ude00', '"', '\\', '<', 'ü', '\n', 'sk-abcdef1hij2LMN3pqr4STUvwx', 'a'), {
    maxLength: 8,
  })
  .chain((words) =>
    fc.integer({ min: 0, max: 4 }).map((less) => `${'x'.repeat(STEP - less)}${words.join('')}${'y'.repeat(STEP)}`),
  );

it('says of a long text what the same work says at once', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect([...quotedPieces(text)].join('')).toBe(JSON.stringify(text));
      expect(toEnd(hashedInSteps(text))).toBe(createHash('sha256').update(text).digest('hex'));
    }),
    { numRuns: 50 },
  );
});

it('stops several times in a long text', () => {
  const text = JSON.stringify(Array.from({ length: STEP / 8 }, (_, n) => `message ${n}`));
  expect([...quotedPieces(text)].length).toBeGreaterThan(text.length / STEP);
  expect(stops(hashedInSteps(text))).toBeGreaterThanOrEqual(Math.floor(text.length / STEP));
});
