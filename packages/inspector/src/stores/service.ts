/** Holds the open stores and answers over all of them. */
import { resolve } from 'node:path';
import { compact, InspectorError, isAddress, shownAddress, shownTarget, storeIdFrom } from '@checkpoint-inspector/core';
import type { CheckpointSource, OpenedAs, OpenOptions, StoreId, StoreInfo, Unwatch } from '@checkpoint-inspector/core';
import { resolveTarget } from '@checkpoint-inspector/systems/registry';
import {
  placeOf,
  withSidecar,
  type Annotations,
  type Journal,
  type ParentEdge,
  type StorePlace,
} from '@checkpoint-inspector/changes';
import { withLabels } from '../annotations.ts';
import type { StoreOrigin, MergedTaskQuery, StoreFailure, StoresEvent, StoreService, TaskList } from './types.ts';
import { brief } from '../errors.ts';
import { createAgreed, type Agreed } from './agreed.ts';
import { createTaskLists, openEach, type NamedTarget, type TaskLists } from './task-lists.ts';
import { labelOf } from './labels.ts';
import { listTasks } from './merged.ts';

/** Opens what is found at a path or address; the registry of systems does. */
export interface Opener {
  open(path: string, options: OpenOptions): Promise<readonly CheckpointSource[]>;
  /** Absent: nothing below a home folder is known. */
  discoverHome?(home: string): Promise<readonly { readonly path: string }[]>;
}

export interface StoreServiceOptions {
  readonly registry: Opener;
  /** Parents that the journal keeps for a store, as they are at each call. */
  readonly sidecar?: (source: CheckpointSource) => () => readonly ParentEdge[];
  /** Labels that people gave, kept in the journal; absent while none is open. */
  readonly annotations?: () => Annotations | undefined;
  /** Where stores keep what they have read, for the next time; absent: in memory only. */
  readonly stateFolder?: string | undefined;
  /** How long a merged list, and the next store at a start, wait for one store. Default 3 s. */
  readonly timeLimitMs?: number;
}

/** More tasks that changed are not told one by one. */
const MOST_NAMED = 20;

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
export const createStoreService = (options: StoreServiceOptions): StoreService => new OpenStores(options);

/** Stores with what a journal keeps of them: parents and labels. */
export const storesOver = (
  journal: Journal,
  options: Pick<StoreServiceOptions, 'registry' | 'stateFolder'>,
): StoreService =>
  createStoreService({
    ...options,
    sidecar: (source) => {
      let known: StorePlace | undefined;
      // Where a store is doesn't change while it is open, and finding out asks the file system.
      return () => journal.sidecar((known ??= placeOf(source)), source.info.id);
    },
    annotations: () => journal.annotations,
  });

class OpenStores implements StoreService {
  readonly #options: StoreServiceOptions;
  readonly #timeLimitMs: number;
  readonly #open = new Map<string, OpenStore>();
  readonly #opening = new Map<string, Promise<StoreInfo[]>>();
  readonly #reserved = new Set<string>();
  readonly #listeners = new Set<(event: StoresEvent) => void>();
  /** Stores inside an opened folder that could not be opened. */
  readonly #failed: StoreFailure[] = [];
  readonly #lists: TaskLists;
  readonly #agreed: Agreed;

  constructor(options: StoreServiceOptions) {
    this.#options = options;
    this.#timeLimitMs = options.timeLimitMs ?? 3000;
    this.#agreed = createAgreed(options.stateFolder);
    this.#lists = createTaskLists(this.#timeLimitMs, (store, tasks) => this.#emitFound(store, tasks));
  }

  list(): StoreInfo[] {
    return [...this.#open.values()].map(({ source }) => source.info);
  }

  source(store: StoreId): CheckpointSource {
    return this.#find(store).source;
  }

  origin(store: StoreId): StoreOrigin | undefined {
    const { source, as, key } = this.#find(store);
    if (as === undefined) return undefined;
    const { id, label, location } = source.info;
    return { id, as, label, ...compact({ location, key }) };
  }

  mayKeep(store: StoreId): boolean {
    const opened = this.#open.get(store);
    if (opened === undefined || opened.unlocked) return false;
    const { info } = opened.source;
    return info.private !== true || this.#agreed.has(info);
  }

  agreeToKeep(store: StoreId): void {
    this.#agreed.add(this.#find(store).source.info);
    this.#emit({ kind: 'stores' });
  }

  add(source: CheckpointSource): void {
    this.#keep(source);
    this.#emit({ kind: 'stores' });
  }

  async open(location: string, name?: string): Promise<StoreInfo[]> {
    const target = await resolveTarget(location);
    const place = target.kind === 'path' ? target.path : target.url;
    const known = [...this.#open.values()].filter((store) => store.target === place);
    if (known.length > 0) return known.map(({ source }) => source.info);
    const shown = target.kind === 'path' ? location : shownTarget(target);
    const label = name ?? labelOf(shownTarget(target), this.#places());
    const running = this.#opening.get(place) ?? this.#openTarget(place, shown, label);
    this.#opening.set(place, running);
    return running.finally(() => this.#opening.delete(place));
  }

  openAll(targets: readonly NamedTarget[]): Promise<void> {
    return openEach(targets, {
      open: (location, name) => this.open(location, name),
      isAnyOpen: () => this.#open.size > 0,
      patienceMs: this.#timeLimitMs,
      onFailure: (location, name, error) => {
        const shown = isAddress(location) ? shownAddress(location) : resolve(location);
        const label = name ?? labelOf(shown, this.#places());
        this.#failed.push({ store: storeIdFrom(label, (taken) => this.#open.has(taken)), error: brief(error) });
        this.#emit({ kind: 'stores' });
      },
    });
  }

  async openHome(home: string): Promise<StoreInfo[]> {
    const found = (await this.#options.registry.discoverHome?.(home)) ?? [];
    await this.openAll(found.map(({ path }) => ({ location: path })));
    const places = new Set(found.map(({ path }) => path));
    return [...this.#open.values()].flatMap(({ source, target = '' }) => (places.has(target) ? [source.info] : []));
  }

  touch(store: StoreId, task?: string): void {
    this.#lists.touch(store);
    this.#emit({ kind: 'change', store, ...compact({ task }) });
  }

  async unlock(store: StoreId, key: string): Promise<void> {
    const opened = this.#find(store);
    const { source } = opened;
    if (!source.unlock) throw new InspectorError('unsupported', `${source.info.label} contains nothing encrypted.`);
    const before = opened.unlocked ?? false;
    opened.unlocked = true;
    await source.unlock(key).catch((error: unknown) => {
      opened.unlocked = before;
      throw error;
    });
    opened.key = key;
    this.#lists.forget(store);
    this.touch(store);
  }

  async close(store: StoreId): Promise<void> {
    const { source, unwatch } = this.#find(store);
    this.#open.delete(store);
    this.#lists.forget(store);
    unwatch?.();
    this.#emit({ kind: 'stores' });
    await source.close?.();
  }

  async closeAll(): Promise<void> {
    await Promise.all(this.list().map(({ id }) => this.close(id)));
  }

  async tasks(query: MergedTaskQuery = {}): Promise<TaskList> {
    const asked = query.store === undefined ? [...this.#open.values()] : [this.#find(query.store)];
    const sources = asked.map(({ source }) => source);
    const list = await listTasks(this.#lists, sources, query);
    return { ...list, failures: [...this.#failed, ...list.failures] };
  }

  onEvent(listener: (event: StoresEvent) => void): Unwatch {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** What is open, and what is being opened. */
  #places(): string[] {
    return [...[...this.#open.values()].flatMap(({ target }) => target ?? []), ...this.#opening.keys()];
  }

  /** The lists know it already. */
  #emitFound(store: StoreId, tasks: readonly string[]): void {
    if (!this.#open.has(store)) return;
    if (tasks.length > MOST_NAMED) this.#emit({ kind: 'change', store });
    else for (const task of tasks) this.#emit({ kind: 'change', store, task });
  }

  #emit(event: StoresEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #find(store: StoreId): OpenStore {
    const found = this.#open.get(store);
    if (found === undefined) throw new InspectorError('not_found', `No store "${store}" is open.`, { data: { store } });
    return found;
  }

  #keep(opened: CheckpointSource, from: Pick<OpenStore, 'target' | 'as'> = {}): void {
    const { sidecar, annotations } = this.#options;
    const store = opened.info.id;
    const withParents = sidecar ? withSidecar(opened, sidecar(opened)) : opened;
    const source = annotations ? withLabels(withParents, annotations) : withParents;
    if (this.#open.has(store)) throw new InspectorError('invalid_input', `A store "${store}" is already open.`);
    const unwatch = source.watch?.((change) => this.touch(store, change.task));
    this.#open.set(store, { source, unwatch, ...from });
  }

  async #openTarget(target: string, location: string, label: string): Promise<StoreInfo[]> {
    const names: StoreId[] = [];
    const nameStore = (name: string) => {
      const id = storeIdFrom(name, (taken) => this.#open.has(taken) || this.#reserved.has(taken));
      this.#reserved.add(id);
      names.push(id);
      return id;
    };
    try {
      const onFailure = (name: string, error: unknown) =>
        this.#failed.push({ store: nameStore(name), error: brief(error) });
      const ways = new Map<CheckpointSource, OpenedAs>();
      const onOpened = (source: CheckpointSource, as: OpenedAs) => void ways.set(source, as);
      const options = { label, location, nameStore, onFailure, onOpened, stateFolder: this.#options.stateFolder };
      const sources = await this.#options.registry.open(target, options);
      for (const source of sources) this.#keep(source, { target, ...compact({ as: ways.get(source) }) });
      this.#emit({ kind: 'stores' });
      return sources.map((source) => source.info);
    } finally {
      for (const name of names) this.#reserved.delete(name);
    }
  }
}
