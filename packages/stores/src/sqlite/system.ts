import { basename } from 'node:path';
import type { Match, OpenOptions, System, Target } from '@checkpoint-inspector/core';
import { lookInto } from '@checkpoint-inspector/io';
import { isNative } from './schema.ts';
import { openSqliteStore } from './store.ts';

/** Our own SQLite files, as the registry opens them: read-only. */
export const sqliteSystem: System = {
  id: 'native',
  label: 'Checkpoint Inspector',

  async detect(target: Target): Promise<Match | undefined> {
    if (target.kind !== 'file') return undefined;
    return lookInto(target.path, (db) => {
      if (!isNative(db)) return undefined;
      return { system: 'native', because: 'a store of this program', confidence: 1 };
    });
  },

  async open(target: Target, options: OpenOptions) {
    const label = options.label === '' ? basename(target.path) : options.label;
    const id = options.nameStore(label);
    return [await openSqliteStore({ path: target.path, id, label, location: options.location, readOnly: true })];
  },
};
