import type { System, Target } from '@checkpoint-inspector/core';
import {
  createRegistry,
  databaseWith,
  foreignSystems,
  orAddress,
  type SystemEntry,
} from '@checkpoint-inspector/systems/registry';
import type { Isolate } from '../reader/isolated.ts';

const NATIVE = { id: 'native', label: 'Checkpoint Inspector' };
const hasNative = databaseWith(/^checkpoints$/, ['state_hash']);

const native: SystemEntry = {
  ...NATIVE,
  readsDatabases: true,
  mayBe: orAddress(hasNative),
  load: async () => {
    const systemOf = async ({ kind }: Target): Promise<System> =>
      kind === 'address'
        ? (await import('@checkpoint-inspector/stores/postgres')).postgresSystem
        : (await import('@checkpoint-inspector/stores/sqlite')).sqliteSystem;
    return {
      ...NATIVE,
      detect: async (target) => (await systemOf(target)).detect(target),
      open: async (target, options) => (await systemOf(target)).open(target, options),
    };
  },
};

const systems = [native, ...foreignSystems];

/** Whether a store of this system is a database file, not documents. */
export const readsDatabases = (system: string): boolean =>
  systems.some((one) => one.id === system && one.readsDatabases);

/** Every system this program reads, each loaded when a store of it is met; where told how, what can take long is read apart. */
export function defaultRegistry(isolate?: Isolate, own: readonly SystemEntry[] = []) {
  if (isolate === undefined) return createRegistry([...own, ...systems]);
  return createRegistry([
    ...own,
    ...systems.map((entry) => {
      const { id, label, load } = entry;
      if (entry.readsDatabases) return apart(entry, isolate);
      // What it is, its names tell: only opening takes long.
      if (entry.readsWhole)
        return { ...entry, load: async () => ({ ...(await load()), open: isolate(id, label).open }) };
      return entry;
    }),
  ]);
}

/** Files are read apart. A server limits its own statements and holds nothing else up, and changes need it open here. */
function apart(entry: SystemEntry, isolate: Isolate): SystemEntry {
  const load = async (): Promise<System> => {
    const files = isolate(entry.id, entry.label);
    const systemFor = async (target: Target) => (target.kind === 'address' ? entry.load() : files);
    return {
      ...files,
      // What a folder is its names and a description tell: only a database is opened apart.
      detect: async (target) =>
        (target.kind === 'path' && target.is === 'folder' ? await entry.load() : await systemFor(target)).detect(
          target,
        ),
      open: async (target, options) => (await systemFor(target)).open(target, options),
    };
  };
  // A hostile file isn't opened here, so its tables aren't known.
  return { ...entry, load, mayBe: (sight) => sight.is !== 'folder' || entry.mayBe?.(sight) !== false };
}
