/** Which store a tool means. */
import { accessSync, constants } from 'node:fs';
import { InspectorError, storeId, type CheckpointSource } from '@checkpoint-inspector/core';
import type { StoreService } from '@checkpoint-inspector/inspector';

export interface Wanted {
  /** The store's id, where the caller names one. */
  readonly name?: string | undefined;
  /** Chooses among several stores where only one of them knows it. */
  readonly session: string;
}

type Savable = CheckpointSource & Required<Pick<CheckpointSource, 'save'>>;

/** True when an open store can be saved to. */
export const canSave = (stores: StoreService): boolean => sourcesOf(stores).some(isSavable);

/** The named store, else the only one that fits. @throws InspectorError not_found | unsupported | invalid_input */
export async function storeToSave(stores: StoreService, { name, session }: Wanted): Promise<Savable> {
  const savable = sourcesOf(stores).filter(isSavable);
  if (name === undefined) return only(await narrowed(savable, session), 'can be saved to');
  const source = stores.source(storeId(name));
  if (isSavable(source)) return source;
  throw new InspectorError(
    'unsupported',
    `Store "${name}" (${source.info.system}) can't be saved to from here: only its own agents save there.`,
    {
      data: { stores: idsOf(savable) },
      remedy: 'Save to a Checkpoint Inspector or ctx-sys store; `data.stores` lists them.',
    },
  );
}

/** The named store, else the only one that fits, or that can be saved to. @throws InspectorError not_found | invalid_input */
export async function storeToRead(stores: StoreService, { name, session }: Wanted): Promise<CheckpointSource> {
  if (name !== undefined) return stores.source(storeId(name));
  const known = await narrowed(sourcesOf(stores), session);
  const savable = known.filter(isSavable);
  return savable.length === 1 ? only(savable, 'are open') : only(known, 'are open');
}

/** A private copy would keep the save from everybody, and a file that this user may only read takes none. */
function isSavable(source: CheckpointSource): source is Savable {
  const { location, snapshot } = source.info;
  return source.save !== undefined && snapshot === undefined && (location === undefined || isWritable(location));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch (error) {
    // What is gone is named by the save itself.
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** Those that know the session; all of them where none does. */
async function narrowed<S extends CheckpointSource>(sources: readonly S[], session: string): Promise<readonly S[]> {
  if (sources.length < 2) return sources;
  const known = await Promise.all(sources.map((source) => knows(source, session)));
  const fit = sources.filter((_source, at) => known[at]);
  return fit.length === 0 ? sources : fit;
}

/** A store that cannot be read now knows nothing. */
async function knows(source: CheckpointSource, session: string): Promise<boolean> {
  try {
    return (await source.checkpoints(session, { limit: 1 })).items.length > 0;
  } catch {
    return false;
  }
}

const sourcesOf = (stores: StoreService) => stores.list().map(({ id }) => stores.source(id));
const idsOf = (sources: readonly CheckpointSource[]) => sources.map(({ info }) => info.id);

function only<S extends CheckpointSource>(fit: readonly S[], what: string): S {
  const [first] = fit;
  if (first !== undefined && fit.length === 1) return first;
  const ids = idsOf(fit);
  const message = ids.length === 0 ? `No stores ${what}.` : `${ids.length} stores ${what}: ${ids.join(', ')}.`;
  throw new InspectorError('invalid_input', message, {
    data: { stores: ids },
    remedy:
      ids.length === 0
        ? 'Open a Checkpoint Inspector or ctx-sys store.'
        : 'Name one of them: as `store`, or as store/task.',
  });
}
