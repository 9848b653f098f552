import { afterEach, expect, it, vi } from 'vitest';
import { suspectsOf } from './diagnose.ts';
import { Survey } from './places.ts';
import type { DiagnosedStep } from './types.ts';

/** One entry of many changes at each step. */
function runOf(steps: number, size: number): DiagnosedStep[] {
  const rows = Array.from({ length: size }, (_, at) => ({ id: `row-${at}`, price: 10 + at, owner: `team ${at % 3}` }));
  return Array.from({ length: steps }, (_, step) => {
    const price = 1_000 + step;
    const changed = rows.map((row, at) => (step > 0 && at === step % 10 ? { ...row, price } : row));
    const status = step === steps - 1 ? 'failed' : 'completed';
    return {
      ref: { task: 'run', id: String(step) },
      seq: step + 1,
      status,
      text: JSON.stringify({ step, rows: changed }),
    };
  });
}

afterEach(() => vi.restoreAllMocks());

/** Values that are read in a diagnosis. */
function valuesRead(steps: number, size: number): number {
  const leaf = vi.spyOn(Survey.prototype, 'leaf');
  suspectsOf(runOf(steps, size));
  const { length } = leaf.mock.calls;
  leaf.mockRestore();
  return length;
}

it('reads the values that changed, and not every value of every state', () => {
  const perStep = (size: number): number => (valuesRead(60, size) - valuesRead(20, size)) / 40;
  expect(perStep(100)).toBeLessThan(30);
  expect(perStep(400)).toBeLessThan(perStep(100) * 1.1);
});
