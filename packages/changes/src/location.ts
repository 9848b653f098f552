import type { CheckpointSource } from '@checkpoint-inspector/core';
import { realpathSync } from 'node:fs';

/** Where a store is, spelled the same for every way to name it; absent for memory. */
export function locationOf({ info }: CheckpointSource): string | undefined {
  if (info.location === undefined) return undefined;
  try {
    return realpathSync(info.location);
  } catch {
    return info.location; // no path: a database address, or a store that is gone
  }
}

/** Where annotations of a store are kept: its location, so that they are found again under any name. */
export function placeOf(source: CheckpointSource): string {
  return locationOf(source) ?? `store:${source.info.id}`;
}
