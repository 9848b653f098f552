/**
 * The same answers over one store that is in memory, for a page without a server. Nothing here, nor what it imports,
 * may need Node.
 */
import { compact, InspectorError, type CheckpointSource } from '@checkpoint-inspector/core';
import { createExplanations, type Explanations } from './explain/service.ts';
import { createFailures, type Failures } from './failures/service.ts';
import { createLanes, type Lanes } from './stores/lanes.ts';
import { createSummaries, type Summaries } from './stores/summaries.ts';
import { createTrees, type Trees } from './stores/trees.ts';
import type { StoreService, TaskList } from './stores/types.ts';

export { searchStates } from '@checkpoint-inspector/search/offline';
export { besideAt } from './beside.ts';
export { compareRuns } from './compare/compare.ts';
export { ndjson, openHistory } from './history/lines.ts';
export { stepsBetween } from './history/steps.ts';
export { findTask, metaOf, metasOf, rawOf, resolveRef, stateOf } from './stores/lookup.ts';

export interface Offline {
  readonly stores: StoreService;
  readonly explanations: Explanations;
  readonly failures: Failures;
  readonly summaries: Summaries;
  readonly trees: Trees;
  readonly lanes: Lanes;
}

/** @example const { explanations } = createOffline(new BundleSource(info, bundle, read)); */
export function createOffline(source: CheckpointSource): Offline {
  const stores = oneStore(source);
  const explanations = createExplanations({ stores });
  const trees = createTrees(stores);
  const failures = createFailures(stores);
  const summaries = createSummaries();
  return { stores, explanations, failures, summaries, trees, lanes: createLanes(stores, trees, { summaries }) };
}

/** It is open, never changes, and there is no other. */
function oneStore(source: CheckpointSource): StoreService {
  const refused = (): never => {
    throw new InspectorError('unsupported', 'This page is a file: it shows one bundle, and nothing else.');
  };
  return {
    list: () => [source.info],
    source: (store) => (store === source.info.id ? source : refused()),
    origin: () => undefined,
    mayKeep: () => true,
    agreeToKeep: refused,
    openHome: async () => refused(),
    open: async () => refused(),
    openAll: async () => refused(),
    add: refused,
    unlock: async () => refused(),
    close: async () => refused(),
    closeAll: async () => refused(),
    tasks: async ({ status, text, limit, cursor } = {}): Promise<TaskList> => {
      const { items, ...page } = await source.tasks(compact({ text, limit, cursor }));
      const wanted = items.filter((task) => status === undefined || task.status === status);
      const failedFirst = wanted.toSorted((a, b) => Number(b.status === 'failed') - Number(a.status === 'failed'));
      return { ...(page.cursor !== undefined && { cursor: page.cursor }), items: failedFirst, failures: [] };
    },
    touch: () => undefined,
    onEvent: () => () => undefined,
  };
}
