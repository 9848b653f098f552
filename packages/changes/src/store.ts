import { InspectorError, type CheckpointSource } from '@checkpoint-inspector/core';
import { realpathSync } from 'node:fs';
import type { Intent } from './journal/types.ts';
import type { Context } from './types.ts';

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

/** @throws InspectorError no_store if another store has taken the name */
export function openSource(context: Context, intent: Pick<Intent, 'store' | 'location'>): CheckpointSource {
  const source = context.sources(intent.store);
  if (intent.location === undefined || locationOf(source) === intent.location) return source;
  throw new InspectorError('no_store', `The store of this change is not open: ${intent.location}.`, {
    remedy: 'Open that store and try again.',
    data: { location: intent.location },
  });
}
