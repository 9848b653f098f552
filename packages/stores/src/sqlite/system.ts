import { basename } from 'node:path';
import type {
  CheckpointMeta,
  CheckpointStore,
  Match,
  OpenOptions,
  StoreId,
  System,
  Target,
} from '@checkpoint-inspector/core';
import { pathOf } from '@checkpoint-inspector/core';
import { isOurs, lookInto } from '@checkpoint-inspector/io';
import { openSqliteStore, SqliteStore } from './store.ts';

/** Our own SQLite files, as the registry opens them: read-only. */
export const sqliteSystem: System = {
  id: 'native',
  label: 'Checkpoint Inspector',

  async detect(target: Target): Promise<Match | undefined> {
    if (target.kind !== 'path' || target.is !== 'file') return undefined;
    return lookInto(target.path, (db) => {
      if (!isOurs(db)) return undefined;
      return { system: 'native', because: 'a store of this program', confidence: 1 };
    });
  },

  async open(target: Target, options: OpenOptions) {
    const { path } = pathOf(target);
    const label = options.label === '' ? basename(path) : options.label;
    const id = options.nameStore(label);
    const named = { path, id, label };
    const source = await openSqliteStore({ ...named, location: options.location, readOnly: true });
    return [Object.assign(source, { save: (...given: Save) => saveBeside(named, given) })];
  },
};

type Save = Parameters<CheckpointStore['save']>;

/** The inspector only reads its connection, so a save gets one of its own for the moment. */
async function saveBeside(named: { path: string; id: StoreId; label: string }, given: Save): Promise<CheckpointMeta> {
  // A file that is gone must not be made again.
  const store = new SqliteStore(named, { create: false });
  try {
    return await store.save(...given);
  } finally {
    await store.close();
  }
}
