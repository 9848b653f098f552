import { createRegistry, foreignSystems } from '@checkpoint-inspector/systems/registry';
import type { SystemEntry } from '@checkpoint-inspector/systems/registry';
import type { Isolate } from '../reader/index.ts';

const native: SystemEntry = {
  id: 'native',
  label: 'Checkpoint Inspector',
  readsDatabases: true,
  load: async () => (await import('@checkpoint-inspector/stores/sqlite')).sqliteSystem,
};

/** Every system this program reads, each loaded when a store of it is met; databases are read apart where told how. */
export function defaultRegistry(isolate?: Isolate) {
  const entries = [native, ...foreignSystems];
  if (isolate === undefined) return createRegistry(entries);
  return createRegistry(
    entries.map((entry) =>
      entry.readsDatabases ? { ...entry, load: async () => isolate(entry.id, entry.label) } : entry,
    ),
  );
}
