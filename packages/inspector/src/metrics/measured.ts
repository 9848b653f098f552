import { performance } from 'node:perf_hooks';
import type { Receipt } from '@checkpoint-inspector/core';
import type { ChangeService } from '@checkpoint-inspector/changes';
import { shownError } from '../shown-error.ts';
import type { Meter } from './meter.ts';

/** The same service, its applied plans timed and its refusals counted. */
export function measured(changes: ChangeService, meter: Meter): ChangeService {
  const timed = async (work: () => Promise<Receipt>): Promise<Receipt> => {
    const start = performance.now();
    try {
      const receipt = await work();
      meter.changed(receipt.request.kind, performance.now() - start);
      return receipt;
    } catch (error) {
      meter.failed('change', shownError(error).code);
      throw error;
    }
  };
  return {
    ...changes,
    apply: (planId) => timed(() => changes.apply(planId)),
    undo: (receiptId) => timed(() => changes.undo(receiptId)),
  };
}
