/** The stores as the thread has them open: by the target that the server opened. */
import { InspectorError, storeId } from '@checkpoint-inspector/core';
import type { CheckpointSource } from '@checkpoint-inspector/core';
import type { Opener } from '../stores/service.ts';
import type { StoreOrigin } from './types.ts';

interface Opened {
  readonly origin: StoreOrigin;
  readonly source: Promise<CheckpointSource>;
}

export function openedStores(registry: Opener) {
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
      if (known && known.origin.target === origin.target && known.origin.key === origin.key) return;
      void forget(origin.id);
      const source = openOne(registry, origin);
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

/** @throws InspectorError not_found and what the system's reader throws */
async function openOne(registry: Opener, origin: StoreOrigin): Promise<CheckpointSource> {
  const { target, system, label, location } = origin;
  let count = 0;
  const sources = await registry.open(target, {
    label,
    location: location ?? target,
    nameStore: () => storeId(`s${count++}`),
  });
  const wanted = sources.find(
    ({ info }) => info.system === system && info.label === label && info.location === location,
  );
  const own = wanted ?? (sources.length === 1 ? sources[0] : undefined);
  await Promise.all(sources.filter((source) => source !== own).map(async (source) => source.close?.()));
  if (own === undefined) throw new InspectorError('not_found', `The store "${label}" is not at its place any more.`);
  if (origin.key !== undefined) await own.unlock?.(origin.key);
  return own;
}
