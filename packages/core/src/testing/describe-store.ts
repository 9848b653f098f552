import { describe } from 'vitest';
import type { StoreOptions } from '../contract.ts';
import { checkpoint } from './builders.ts';
import { keepCases } from './cases/keep.ts';
import { editPlanCases } from './cases/edit-plan.ts';
import { planCases } from './cases/plan.ts';
import { saveCases } from './cases/save.ts';
import { writeCases } from './cases/writes.ts';
import { sourceCases } from './describe-source.ts';
import { runCases, type Skip } from './run.ts';
import type { OpenedStore, StoreContext } from './store-context.ts';

/** What `describeStore` needs. */
export interface StoreSuite {
  /** A new, empty store with these options. */
  readonly open: (options: StoreOptions) => Promise<OpenedStore>;
  readonly skip?: readonly Skip[];
}

const storeCases = [...saveCases, ...keepCases, ...planCases, ...editPlanCases, ...writeCases];
const sourceNames = new Set(sourceCases.map((item) => item.name));

/**
 * Checks a store of our own: all of the reading contract on a filled store, then
 * saving, eviction, removal, plans and durability on empty ones.
 * @example describeStore('memory', { open: async (options) => ({ store: new MemoryStore(options), apply }) });
 */
export function describeStore(name: string, { open, skip = [] }: StoreSuite): void {
  const part = (wanted: (test: string) => boolean) =>
    skip.map((item) => ({ ...item, tests: item.tests.filter(wanted) }));
  describe(name, () => {
    describe('as a source', () => {
      runCases(
        sourceCases,
        () => openFilled(open),
        part((test) => sourceNames.has(test)),
      );
    });
    describe('as a store', () => {
      runCases(
        storeCases,
        () => openEmpty(open),
        part((test) => !sourceNames.has(test)),
      );
    });
  });
}

async function openFilled(open: StoreSuite['open']) {
  const { store, teardown } = await open({});
  for (let at = 0; at < 12; at++) {
    await store.save(
      checkpoint(at % 3 === 0 ? 'Run: a/b' : `run-${at % 3}`, `cp-${at}`, { createdAt: '2026-01-01T00:00:00Z' }),
    );
  }
  await store.save(
    checkpoint('run-1', 'fork', { parent: { task: 'run-1', id: 'cp-1' }, status: 'failed', description: 'boom' }),
  );
  await store.save(checkpoint('run-2', 'cp-0', { parent: { task: 'Run: a/b', id: 'cp-0' } }));
  return { context: store, ...(teardown ? { teardown } : {}) };
}

async function openEmpty(open: StoreSuite['open']) {
  const opened: OpenedStore[] = [];
  const context: StoreContext = {
    open: async (options = {}) => {
      const store = await open(options);
      opened.push(store);
      return store;
    },
  };
  const teardown = async () => {
    for (const store of opened) await store.teardown?.();
  };
  return { context, teardown };
}
