/** Which store a tool means. */
import { InspectorError, storeId } from '@checkpoint-inspector/core';
import type { CheckpointMeta, CheckpointSource, CheckpointStore, NewCheckpoint } from '@checkpoint-inspector/core';
import type { StoreService } from '../services.ts';
import { locate } from '../stores/service.ts';

/** The named store, else the only writable one. @throws InspectorError not_found | unsupported | invalid_input */
export function storeToSave(stores: StoreService, name: string | undefined): CheckpointSource {
  const writable = sourcesOf(stores).filter(isWritable);
  if (name === undefined) return only(writable, writable, 'can be saved to');
  const source = stores.source(storeId(name));
  if (isWritable(source)) return source;
  throw new InspectorError(
    'unsupported',
    `Store "${name}" belongs to ${source.info.system}: only its agents save there.`,
    {
      data: { stores: idsOf(writable) },
      remedy: 'Save to a store of Checkpoint Inspector; `data.stores` lists them.',
    },
  );
}

/** The named store, else the only one, else the only writable one. @throws InspectorError not_found | invalid_input */
export function storeToRead(stores: StoreService, name: string | undefined): CheckpointSource {
  if (name !== undefined) return stores.source(storeId(name));
  const all = sourcesOf(stores);
  return only(all.length === 1 ? all : all.filter(isWritable), all, 'are open');
}

/**
 * Saves as an agent does. A file was opened here for reading only, so a second connection is made for the moment.
 * @throws InspectorError invalid_input | busy | disk_full | no_store
 */
export async function saveTo(source: CheckpointSource, checkpoint: NewCheckpoint): Promise<CheckpointMeta> {
  const { id, label, location } = source.info;
  if (location === undefined && isStore(source)) return source.save(checkpoint, { ifExists: 'refuse' });
  const { openSqliteStore } = await import('@checkpoint-inspector/stores/sqlite');
  const store = await openSqliteStore({ path: await locate(location ?? ''), id, label });
  try {
    return await store.save(checkpoint, { ifExists: 'refuse' });
  } finally {
    await store.close();
  }
}

/** Our own format, and the original at hand: a private copy would keep the save from everybody. */
function isWritable(source: CheckpointSource): boolean {
  const { system, location, snapshot } = source.info;
  return system === 'native' && snapshot === undefined && (location !== undefined || isStore(source));
}

function isStore(source: CheckpointSource): source is CheckpointStore {
  return 'save' in source;
}

const sourcesOf = (stores: StoreService) => stores.list().map(({ id }) => stores.source(id));
const idsOf = (sources: readonly CheckpointSource[]) => sources.map(({ info }) => info.id);

function only(fit: readonly CheckpointSource[], listed: readonly CheckpointSource[], what: string): CheckpointSource {
  const [first] = fit;
  if (first !== undefined && fit.length === 1) return first;
  const ids = idsOf(listed);
  const message = ids.length === 0 ? `No stores ${what}.` : `${ids.length} stores ${what}: ${ids.join(', ')}.`;
  throw new InspectorError('invalid_input', message, {
    data: { stores: ids },
    remedy: ids.length === 0 ? 'Open a store of Checkpoint Inspector.' : 'Name one of them as `store`.',
  });
}
