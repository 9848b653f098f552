/** Long work in a thread that answers requests: it stops, and they have their turn. */
import type { InSteps } from './in-steps.ts';

/** Long work stops for others at least so often. */
const TURN_MS = 8;

export interface Pause {
  /** Resolves at once, or after other work had its turn. Call it between two small pieces of work. */
  (): Promise<void> | undefined;
}

/** @example const pause = createPause(); for (const row of rows) { look(row); await pause(); } */
export function createPause(turnMs = TURN_MS): Pause {
  let since = performance.now();
  return () => {
    if (performance.now() - since < turnMs) return undefined;
    return new Promise((resume) => {
      const next = (): void => {
        since = performance.now();
        resume();
      };
      // Browsers have none.
      if (typeof setImmediate === 'undefined') setTimeout(next);
      else setImmediate(next);
    });
  };
}

/** Runs long work to its end and lets other requests in between. */
export async function paced<T>(work: InSteps<T>, pause = createPause()): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await pause();
  }
}
