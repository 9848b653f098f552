import { realpathSync } from 'node:fs';
import type { CheckpointSource } from '@checkpoint-inspector/core';

/** Where a store is, spelled the same for every way to name it; absent for memory. */
export function locationOf({ info }: CheckpointSource): string | undefined {
  if (info.location === undefined) return undefined;
  try {
    return realpathSync(info.location);
  } catch {
    return info.location; // not a path: a database address, or a store that is gone
  }
}
