import { InspectorError, sha256Hex, type CheckpointRef, type CheckpointSource } from '@checkpoint-inspector/core';
import { realPath } from '@checkpoint-inspector/io';
import type { Intent, StorePlace } from './journal/types.ts';
import type { Context } from './types.ts';

/** Where annotations of a store are kept, so that they are found again under any name. */
export function placeOf(source: CheckpointSource): StorePlace {
  const [first, ...others] = placesOf(source);
  return first === undefined ? `store:${source.info.id}` : [first, ...others];
}

/** @throws InspectorError no_store if another store has taken the name */
export function openSource(context: Context, intent: Pick<Intent, 'store' | 'location'>): CheckpointSource {
  const source = context.sources(intent.store);
  if (intent.location === undefined || isAt(source, intent.location)) return source;
  throw new InspectorError('no_store', `The store for this change isn't open: ${intent.location}.`, {
    remedy: 'Open it and try again.',
    data: { location: intent.location },
  });
}

/** True for the store that a change, or a word about it, was kept for. */
export function isAt(source: CheckpointSource, place: string | undefined): boolean {
  return place !== undefined && placesOf(source).includes(place);
}

/** What the store says it is; earlier versions kept the path that it was opened by. */
function placesOf({ info: { identity, location } }: CheckpointSource): string[] {
  const places = [identity, location === undefined ? undefined : realPath(location)];
  return [...new Set(places.filter((place) => place !== undefined))];
}

/**
 * What tells the content that is stored under a ref from any other; `undefined` where nothing is stored. The bytes
 * themselves where the store has them: what a watcher knows of them may be a moment old.
 */
export async function storedRevision(source: CheckpointSource, ref: CheckpointRef): Promise<string | undefined> {
  const bytes = await source.raw?.(ref);
  // Our own stores write it with the state, and it need not be a hash of the text.
  if (source.raw && source.info.system !== 'native') return bytes && sha256Hex(bytes);
  if (source.raw && bytes === undefined) return undefined;
  const meta = await source.meta(ref);
  return meta && (meta.revision ?? (await source.state(ref))?.revision);
}
