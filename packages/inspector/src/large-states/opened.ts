/** The stores as the thread has them open: by the target that the server opened. */
import { isDeepStrictEqual } from 'node:util';
import { InspectorError, shownTarget, storeId } from '@checkpoint-inspector/core';
import type { CheckpointSource, System } from '@checkpoint-inspector/core';
import type { StoreOrigin } from '../stores/types.ts';

/** The systems by their ids; the registry has them. */
export interface Systems {
  system(id: string): Promise<System>;
}

interface Opened {
  readonly origin: StoreOrigin;
  readonly source: Promise<CheckpointSource>;
}

export function openedStores(systems: Systems) {
  const stores = new Map<string, Opened>();
  const forget = async (store: string): Promise<void> => {
    const known = stores.get(store);
    stores.delete(store);
    const source = await known?.source.catch(() => undefined);
    await source?.close?.();
  };
  return {
    /** Opens the store unless it is open in just this way. */
    know(origin: StoreOrigin): void {
      const known = stores.get(origin.id);
      if (known && isSamePlace(known.origin, origin) && known.origin.key === origin.key) return;
      void forget(origin.id);
      const source = openOne(systems, origin);
      // A failure is told to whoever asks, and the next question tries again.
      source.catch(() => stores.delete(origin.id));
      stores.set(origin.id, { origin, source });
    },
    source(store: string): Promise<CheckpointSource> {
      const known = stores.get(store);
      if (known) return known.source;
      return Promise.reject(new InspectorError('not_found', `No store "${store}" is open.`, { data: { store } }));
    },
    forget,
  };
}

const isSamePlace = (a: StoreOrigin, b: StoreOrigin): boolean =>
  a.as.system === b.as.system && isDeepStrictEqual(a.as.target, b.as.target);

/** @throws InspectorError not_found and what the system's reader throws */
async function openOne(systems: Systems, { as, label, location, key }: StoreOrigin) {
  let count = 0;
  const system = await systems.system(as.system);
  const nameStore = () => storeId(`s${count++}`);
  const sources = await system.open(as.target, {
    label: as.label,
    location: location ?? shownTarget(as.target),
    nameStore,
  });
  // Several projects of one database: each is called by its own name.
  const own = sources.length === 1 ? sources[0] : sources.find(({ info }) => info.label === label);
  await Promise.all(sources.filter((source) => source !== own).map(async (source) => source.close?.()));
  if (own === undefined) throw new InspectorError('not_found', `The store "${label}" is not at its place any more.`);
  if (key !== undefined) await own.unlock?.(key);
  return own;
}
