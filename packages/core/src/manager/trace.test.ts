import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CheckpointManager } from '../manager.ts';

interface Step {
  readonly op: 'save' | 'restore' | 'restoreById' | 'list' | 'delete' | 'deleteAll';
  readonly args: readonly [never];
  readonly result: unknown;
}

describe('the recorded behaviour of the original class', () => {
  const trace: { config: { maxPerTask: number }; steps: readonly Step[] } = JSON.parse(
    readFileSync(new URL('./fixtures/trace.json', import.meta.url), 'utf8'),
  );
  // One id saved under two tasks: the original then answers with the other task's record, and later with a dangling id.
  const oursAt = new Map<number, (original: unknown) => unknown>([
    [18, () => [trace.steps[15]?.args[0]]],
    [23, () => ({ success: false, error: 'No checkpoints found for task: task-2 ünï', remainingSteps: [] })],
  ]);

  test('is answered the same at all of its 28 steps but the two defects', async () => {
    const manager = new CheckpointManager(trace.config);
    expect(trace.steps).toHaveLength(28);
    for (const [at, step] of trace.steps.entries()) {
      const result: unknown = (await manager[step.op](...step.args)) ?? null;
      const expected = oursAt.get(at)?.(step.result) ?? step.result;
      expect(result, `step ${at}: ${step.op}`).toEqual(expected);
      if (oursAt.has(at)) expect(result).not.toEqual(step.result);
    }
  });
});
