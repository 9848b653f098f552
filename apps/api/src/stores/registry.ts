import { createRegistry, foreignSystems } from '@checkpoint-inspector/systems/registry';

/** Every system this program reads, each loaded when a store of it is met. */
export function defaultRegistry() {
  const native = {
    id: 'native',
    label: 'Checkpoint Inspector',
    load: async () => (await import('@checkpoint-inspector/stores/sqlite')).sqliteSystem,
  };
  return createRegistry([native, ...foreignSystems]);
}
