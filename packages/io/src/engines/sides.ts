import type { FailedStep } from './images.ts';

/** Which side of a change is on the disk. `both` where the change changes nothing. */
export type Side = 'before' | 'after' | 'both' | 'neither';

export interface Settled {
  readonly outcome: 'completed' | 'rolled-back';
  readonly skipped: readonly number[];
  readonly failed: readonly FailedStep[];
}

export function sideOf(before: boolean, after: boolean): Side {
  if (before && after) return 'both';
  if (before) return 'before';
  return after ? 'after' : 'neither';
}
