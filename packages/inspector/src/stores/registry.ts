import type { System, Target } from '@checkpoint-inspector/core';
import { createRegistry, foreignSystems, type SystemEntry } from '@checkpoint-inspector/systems/registry';
import type { Isolate } from '../reader/isolated.ts';

const native: SystemEntry = {
  id: 'native',
  label: 'Checkpoint Inspector',
  readsDatabases: true,
  load: async () => {
    const { sqliteSystem } = await import('@checkpoint-inspector/stores/sqlite');
    const { postgresSystem } = await import('@checkpoint-inspector/stores/postgres');
    const systemOf = ({ kind }: Target): System => (kind === 'address' ? postgresSystem : sqliteSystem);
    return {
      ...sqliteSystem,
      detect: (target) => systemOf(target).detect(target),
      open: (target, options) => systemOf(target).open(target, options),
    };
  },
};

const systems = [native, ...foreignSystems];

/** Whether a store of this system is a database file, not documents. */
export const readsDatabases = (system: string): boolean =>
  systems.some((one) => one.id === system && one.readsDatabases);

/** Every system this program reads, each loaded when a store of it is met; where told how, what can take long is read apart. */
export function defaultRegistry(isolate?: Isolate) {
  if (isolate === undefined) return createRegistry(systems);
  return createRegistry(
    systems.map((entry) => {
      const { id, label, load } = entry;
      if (entry.readsDatabases) return apart(entry, isolate);
      // What it is, its names tell: only opening takes long.
      if (entry.readsWhole)
        return { ...entry, load: async () => ({ ...(await load()), open: isolate(id, label).open }) };
      return entry;
    }),
  );
}

/** Files are read apart. A server limits its own statements and holds nothing else up, and changes need it open here. */
function apart(entry: SystemEntry, isolate: Isolate): SystemEntry {
  const load = async (): Promise<System> => {
    const files = isolate(entry.id, entry.label);
    const systemFor = async (target: Target) => (target.kind === 'address' ? entry.load() : files);
    return {
      ...files,
      detect: async (target) => (await systemFor(target)).detect(target),
      open: async (target, options) => (await systemFor(target)).open(target, options),
    };
  };
  return { ...entry, load };
}
