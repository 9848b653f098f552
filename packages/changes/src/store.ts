import {
  compact,
  InspectorError,
  sha256Hex,
  type CheckpointRef,
  type CheckpointSource,
  type StoreId,
} from '@checkpoint-inspector/core';
import { realPath } from '@checkpoint-inspector/io';
import type { Intent, StorePlace } from './journal/types.ts';
import type { Context } from './types.ts';

/** Where annotations of a store are kept, so that they are found again under any name. */
export function placeOf(source: CheckpointSource): StorePlace {
  const [first, ...others] = placesOf(source);
  return first === undefined ? `store:${source.info.id}` : [first, ...others];
}

type Open = Pick<Context, 'sources' | 'open'>;
type Changed = Pick<Intent, 'store' | 'location'>;

/** @throws InspectorError no_store where it isn't open */
export function openSource(context: Open, changed: Changed): CheckpointSource {
  const source = sourceOf(context, changed);
  if (source) return source;
  const { location, store } = changed;
  throw new InspectorError('no_store', `The store for this change isn't open: ${location ?? store}.`, {
    remedy: 'Open it and try again.',
    data: compact({ location }),
  });
}

/**
 * The store in which a change was made, where it is open: its place decides, since it may have another name now, and
 * another store its name. Of several stores in one place the name decides.
 */
export function sourceOf({ sources, open }: Open, { store, location }: Changed): CheckpointSource | undefined {
  const names = open?.() ?? [store];
  const named = names.includes(store) ? sources(store) : undefined;
  if (location === undefined || (named && isAt(named, location))) return named;
  const [only, ...others] = names.map((name) => sources(name)).filter((source) => isAt(source, location));
  return others.length === 0 ? only : undefined;
}

/** The place of an open store by which its changes are known, unless another store is in the same place. */
export function ownPlaceOf({ sources, open }: Open, store: StoreId): StorePlace | undefined {
  const names = open?.() ?? [];
  if (!names.includes(store)) return undefined;
  const source = sources(store);
  const places = placesOf(source);
  const isShared = names.some((name) => name !== store && places.some((place) => isAt(sources(name), place)));
  return isShared ? undefined : placeOf(source);
}

/** True for the store that a change, or a word about it, was kept for. */
function isAt(source: CheckpointSource, place: string | undefined): boolean {
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
