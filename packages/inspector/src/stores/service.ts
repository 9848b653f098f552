/** Holds the open stores and answers over all of them. */
import { basename, dirname, join, resolve } from 'node:path';
import { InspectorError, isAddress, shownAddress, shownTarget, storeIdFrom } from '@checkpoint-inspector/core';
import type { CheckpointSource, OpenedAs, OpenOptions, StoreId, StoreInfo, Unwatch } from '@checkpoint-inspector/core';
import { resolveTarget } from '@checkpoint-inspector/systems/registry';
import type { Annotations, ParentEdge } from '@checkpoint-inspector/changes';
import { withLabels } from '../annotations.ts';
import type { StoreOrigin, MergedTaskQuery, StoreEvent, StoreFailure, StoreService, TaskList } from './types.ts';
import { given } from '../lib/given.ts';
import { brief } from '../errors.ts';
import { pageOfTasks } from './merge.ts';
import { withSidecar } from '@checkpoint-inspector/changes';
import { openEach, createTaskLists } from './task-lists.ts';

/** Opens what is found at a path or address; the registry of systems does. */
export interface Opener {
  open(path: string, options: OpenOptions): Promise<readonly CheckpointSource[]>;
}

export interface StoreServiceOptions {
  readonly registry: Opener;
  /** Parents that the journal keeps for a store. */
  readonly sidecar?: (store: StoreId) => readonly ParentEdge[];
  /** Labels that people gave, kept in the journal; absent while none is open. */
  readonly annotations?: () => Annotations | undefined;
  /** How long a merged list, and the next store at a start, wait for one store. Default 3 s. */
  readonly timeLimitMs?: number;
}

interface OpenStore {
  readonly source: CheckpointSource;
  /** What the user pointed at. */
  readonly target?: string;
  readonly as?: OpenedAs;
  readonly unwatch: Unwatch | undefined;
  /** The key that opened it, in memory only. */
  key?: string;
  /** Set before a key is tried, so that nothing it opens is taken for what lies open. */
  unlocked?: boolean;
}

/**
 * @example
 * const stores = createStoreService({ registry: defaultRegistry() });
 * await stores.open('./checkpoints.sqlite');
 */
export function createStoreService(options: StoreServiceOptions): StoreService {
  const { registry, sidecar, annotations, timeLimitMs = 3000 } = options;
  const open = new Map<string, OpenStore>();
  const opening = new Map<string, Promise<StoreInfo[]>>();
  const reserved = new Set<string>();
  const listeners = new Set<(event: StoreEvent) => void>();
  /** Stores inside an opened folder that could not be opened. */
  const failed: StoreFailure[] = [];
  const lists = createTaskLists(timeLimitMs);

  const emit = (event: StoreEvent) => {
    for (const listener of listeners) listener(event);
  };

  const touch = (store: StoreId, task?: string) => {
    lists.forget(store);
    emit({ kind: 'change', store, ...(task === undefined ? {} : { task }) });
  };

  const find = (store: StoreId): OpenStore => {
    const found = open.get(store);
    if (found === undefined) throw new InspectorError('not_found', `No store "${store}" is open.`, { data: { store } });
    return found;
  };

  const keep = (opened: CheckpointSource, from: Pick<OpenStore, 'target' | 'as'> = {}) => {
    const store = opened.info.id;
    const withParents = sidecar ? withSidecar(opened, () => sidecar(store)) : opened;
    const source = annotations ? withLabels(withParents, annotations) : withParents;
    if (open.has(store)) throw new InspectorError('invalid_input', `A store "${store}" is open already.`);
    const unwatch = source.watch?.((change) => touch(store, change.task));
    open.set(store, { source, unwatch, ...from });
  };

  const openTarget = async (target: string, location: string, label: string): Promise<StoreInfo[]> => {
    const names: StoreId[] = [];
    const nameStore = (name: string) => {
      const id = storeIdFrom(name, (taken) => open.has(taken) || reserved.has(taken));
      reserved.add(id);
      names.push(id);
      return id;
    };
    try {
      const onFailure = (name: string, error: unknown) => failed.push({ store: nameStore(name), error: brief(error) });
      const ways = new Map<CheckpointSource, OpenedAs>();
      const onOpened = (source: CheckpointSource, as: OpenedAs) => void ways.set(source, as);
      const sources = await registry.open(target, { label, location, nameStore, onFailure, onOpened });
      for (const source of sources) keep(source, { target, ...given({ as: ways.get(source) }) });
      emit({ kind: 'stores' });
      return sources.map((source) => source.info);
    } finally {
      for (const name of names) reserved.delete(name);
    }
  };

  const close = async (store: StoreId) => {
    const { source, unwatch } = find(store);
    open.delete(store);
    lists.forget(store);
    unwatch?.();
    emit({ kind: 'stores' });
    await source.close?.();
  };

  const openAt = async (location: string, name: string | undefined): Promise<StoreInfo[]> => {
    const target = await resolveTarget(location);
    const place = target.kind === 'path' ? target.path : target.url;
    const known = [...open.values()].filter((store) => store.target === place);
    if (known.length > 0) return known.map(({ source }) => source.info);
    const shown = target.kind === 'path' ? location : shownTarget(target);
    const running = opening.get(place) ?? openTarget(place, shown, name ?? labelOf(shownTarget(target)));
    opening.set(place, running);
    return running.finally(() => opening.delete(place));
  };

  const openAll = openEach({
    open: openAt,
    isAnyOpen: () => open.size > 0,
    patienceMs: timeLimitMs,
    onFailure: (location, name, error) => {
      const label = name ?? labelOf(isAddress(location) ? shownAddress(location) : resolve(location));
      failed.push({ store: storeIdFrom(label, (taken) => open.has(taken)), error: brief(error) });
      emit({ kind: 'stores' });
    },
  });

  const readTasks = async (query: MergedTaskQuery): Promise<TaskList> => {
    const asked = query.store === undefined ? [...open.values()] : [find(query.store)];
    const failures: StoreFailure[] = [];
    const found = await Promise.all(
      asked.map(async ({ source }) => {
        try {
          return await lists.read(source, query.text);
        } catch (error) {
          failures.push({ store: source.info.id, error: brief(error) });
          return [];
        }
      }),
    );
    const tasks = found.flat().filter((task) => query.status === undefined || task.status === query.status);
    return { ...pageOfTasks(tasks, query), failures: [...failed, ...failures] };
  };

  return {
    list: () => [...open.values()].map(({ source }) => source.info),
    source: (store) => find(store).source,
    origin: (store) => originOf(find(store)),
    isUnlocked: (store) => open.get(store)?.unlocked ?? false,
    add(source) {
      keep(source);
      emit({ kind: 'stores' });
    },
    open: openAt,
    openAll,
    touch,
    async unlock(store, key) {
      const opened = find(store);
      const { source } = opened;
      if (!source.unlock)
        throw new InspectorError('unsupported', `${source.info.label} holds nothing that a key would open.`);
      const before = opened.unlocked ?? false;
      opened.unlocked = true;
      await source.unlock(key).catch((error: unknown) => {
        opened.unlocked = before;
        throw error;
      });
      opened.key = key;
      lists.forget(store);
      emit({ kind: 'change', store });
    },
    close,
    closeAll: async () => void (await Promise.all([...open.values()].map(({ source }) => close(source.info.id)))),
    tasks: (query = {}) => readTasks(query),
    onEvent(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function originOf({ source, as, key }: OpenStore): StoreOrigin | undefined {
  if (as === undefined) return undefined;
  const { id, label, location } = source.info;
  return { id, as, label, ...given({ location, key }) };
}

/** `checkpoints` says nothing: such a name gets its folder's in front, `.kaizen/checkpoints`. */
function labelOf(target: string): string {
  const name = basename(target);
  return name === 'checkpoints' ? join(basename(dirname(target)), name) : name;
}
