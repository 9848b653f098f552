/** What a client sees whose grants say what it may read: everything else is as if it weren't there. */
import { InspectorError, overlaid, type CheckpointSource, type StoreId } from '@checkpoint-inspector/core';
import { createInspector, type Inspector } from '../inspector.ts';
import type { StoreService, TaskList } from '../stores/types.ts';
import type { ActTarget } from './grants.ts';

/**
 * The same inspector over the stores and tasks that `may` names, asked at each look: lists, search and errors are made again
 * over what is left, so that nothing else can be in them.
 */
export function narrowedInspector(whole: Inspector, may: (target: ActTarget) => boolean): Inspector {
  const stores = narrowedStores(whole.stores, may);
  const { changes, agents, proposals, meter } = whole;
  const own = createInspector({ stores, changes, readOnly: true });
  const visible = { list: () => proposals.list().filter(({ store, plan }) => may({ store, task: plan.task })) };
  return { ...own, changes, agents, meter, proposals: overlaid(proposals, visible) };
}

function narrowedStores(stores: StoreService, may: (target: ActTarget) => boolean): StoreService {
  const source = (store: StoreId): CheckpointSource => {
    if (!may({ store })) throw new InspectorError('not_found', `No store "${store}" is open.`, { data: { store } });
    return narrowedSource(stores.source(store), (task) => may({ store, task }));
  };
  return overlaid(stores, {
    source,
    list: () => stores.list().filter(({ id }) => may({ store: id })),
    // Another thread would open the whole store.
    origin: () => undefined,
    async tasks(query) {
      const list: TaskList = await stores.tasks(query);
      const items = list.items.filter(({ store, id }) => may({ store, task: id }));
      return { ...list, items, failures: list.failures.filter(({ store }) => may({ store })) };
    },
  });
}

/** A task that may not be seen is one that isn't there. */
function narrowedSource(source: CheckpointSource, may: (task: string) => boolean): CheckpointSource {
  const { raw, beside, part } = source;
  return overlaid(source, {
    async tasks(query) {
      const page = await source.tasks(query);
      return { ...page, items: page.items.filter(({ id }) => may(id)) };
    },
    checkpoints: async (task, query) => (may(task) ? source.checkpoints(task, query) : { items: [] }),
    async *lineage(task, options) {
      if (may(task)) yield* source.lineage(task, options);
    },
    meta: async (ref, options) => (may(ref.task) ? source.meta(ref, options) : undefined),
    state: async (ref, options) => (may(ref.task) ? source.state(ref, options) : undefined),
    latest: async (task, options) => (may(task) ? source.latest(task, options) : { basis: 'none' }),
    find: async (id, options) => (await source.find(id, options)).filter(({ task }) => may(task)),
    ...(raw && { raw: async (ref, options) => (may(ref.task) ? raw.call(source, ref, options) : undefined) }),
    ...(beside && { beside: async (ref, options) => (may(ref.task) ? beside.call(source, ref, options) : undefined) }),
    ...(part && {
      part: async (ref, ...rest) => (may(ref.task) ? part.call(source, ref, ...rest) : undefined),
    }),
    // These tell of other tasks, or are only quicker.
    ...Object.fromEntries(LEFT_OUT.map((name) => [name, undefined])),
  });
}

const LEFT_OUT = ['lineageParts', 'values', 'version', 'diff', 'damage'] as const;
