import { createRegistry, foreignSystems, type SystemEntry } from '@checkpoint-inspector/systems/registry';
import type { Isolate } from '../reader/isolated.ts';

const native: SystemEntry = {
  id: 'native',
  label: 'Checkpoint Inspector',
  readsDatabases: true,
  load: async () => (await import('@checkpoint-inspector/stores/sqlite')).sqliteSystem,
};

const systems = [native, ...foreignSystems];

/** Whether a store of this system is a database file, not documents. */
export const readsDatabases = (system: string): boolean =>
  systems.some((one) => one.id === system && one.readsDatabases);

/** Every system this program reads, each loaded when a store of it is met; databases are read apart where told how. */
export function defaultRegistry(isolate?: Isolate) {
  if (isolate === undefined) return createRegistry(systems);
  return createRegistry(
    systems.map((entry) =>
      entry.readsDatabases ? { ...entry, load: async () => isolate(entry.id, entry.label) } : entry,
    ),
  );
}
