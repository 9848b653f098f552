import type { InSteps } from '@checkpoint-inspector/core';
import { createPause } from '../failures/task-index.ts';

/** Runs long work to its end and lets other requests in between. */
export async function paced<T>(work: InSteps<T>): Promise<T> {
  const pause = createPause();
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await pause();
  }
}
