import { InspectorError } from '@checkpoint-inspector/core';
import type { CheckpointSource, StoreId, StoreInfo, Unwatch } from '@checkpoint-inspector/core';
import { sqliteVersion } from '@checkpoint-inspector/io';
import { openCache } from '../cache/cache.ts';
import type { SearchCache } from '../cache/types.ts';
import { StoreIndexer, isDamage } from './store-indexer.ts';
import { Turns } from './turns.ts';

/** The open stores, as far as search asks about them. */
export interface SearchedStores {
  list(): readonly StoreInfo[];
  /** @throws InspectorError not_found */
  source(store: StoreId): CheckpointSource;
  /** True once a key was tried on it and not refused: what it tells then must not be written anywhere. */
  isUnlocked(store: StoreId): boolean;
  onEvent(listener: (event: StoreEvent) => void): Unwatch;
}

/** `stores`: one was opened or closed; `change`: one of them, and one task where known. */
type StoreEvent =
  | { readonly kind: 'stores' }
  | { readonly kind: 'change'; readonly store: StoreId; readonly task?: string };

/** An indexer for each open store, and the caches that they write into. */
export class Indexers {
  readonly turns = new Turns();
  readonly #stores: SearchedStores;
  readonly #folder: string | undefined;
  readonly #running = new Map<StoreId, StoreIndexer>();
  #file: SearchCache | undefined;
  #memory: SearchCache | undefined;
  #unwatch: Unwatch | undefined;
  #wasMadeAnew = false;
  #ending: Promise<unknown> = Promise.resolve();

  constructor(stores: SearchedStores, folder: string | undefined) {
    this.#stores = stores;
    this.#folder = folder;
  }

  all(): StoreIndexer[] {
    return [...this.#running.values()];
  }

  /** Begins to follow the stores. @throws InspectorError unsupported without SQLite */
  start(): void {
    // Where no SQLite loads there is no index: said here, and not at the next event of a store.
    if (this.#unwatch === undefined) sqliteVersion();
    this.#unwatch ??= this.#stores.onEvent((event) => {
      this.#follow();
      if (event.kind === 'change') this.#running.get(event.store)?.changed(event.task);
    });
    this.#follow();
  }

  /** Makes the index on the disk again where the error says that it is damaged; false for any other error. */
  mend(thrown: unknown): boolean {
    if (this.#file === undefined || !isDamage(InspectorError.from(thrown), this.#file)) return false;
    this.#makeAnew();
    return true;
  }

  async close(): Promise<void> {
    this.#unwatch?.();
    for (const store of this.#running.keys()) this.#end(store);
    this.turns.stop();
    await this.#ending;
    this.#file?.close();
    if (this.#memory !== this.#file) this.#memory?.close();
  }

  #inMemory(): SearchCache {
    return (this.#memory ??= openCache());
  }

  #onDisk(): SearchCache {
    return (this.#file ??= this.#folder === undefined ? this.#inMemory() : openCache({ folder: this.#folder }));
  }

  /** What a key opened, and what has no identity of its own, is kept in memory only. */
  #cacheFor(store: StoreId): SearchCache {
    const isPrivate = this.#stores.isUnlocked(store) || this.#stores.source(store).info.identity === undefined;
    return isPrivate ? this.#inMemory() : this.#onDisk();
  }

  /** The indexers of the stores that are open now, each with the cache it belongs in. */
  #follow(): void {
    const open = new Set(this.#stores.list().map(({ id }) => id));
    for (const [store, { source, cache }] of this.#running)
      if (!open.has(store) || this.#stores.source(store) !== source || this.#cacheFor(store) !== cache)
        this.#end(store);
    for (const store of open) if (!this.#running.has(store)) this.#begin(store);
  }

  #begin(store: StoreId): void {
    const source = this.#stores.source(store);
    const cache = this.#cacheFor(store);
    const { system, identity = store, label } = source.info;
    const key = `${system}\n${identity}\n${label}`;
    const mayWrite = () => cache === this.#memory || !this.#stores.isUnlocked(store);
    const onDamage = () => this.#makeAnew();
    this.#running.set(store, new StoreIndexer({ source, cache, key, turns: this.turns, mayWrite, onDamage }));
  }

  #end(store: StoreId): void {
    const indexer = this.#running.get(store);
    this.#running.delete(store);
    if (indexer !== undefined) this.#ending = Promise.all([this.#ending, indexer.stop()]);
  }

  /** The damaged file goes; a second one would be damaged as well, so then memory serves. */
  #makeAnew(): void {
    const damaged = this.#file;
    if (damaged?.path === undefined || this.#folder === undefined) return;
    for (const [store, indexer] of this.#running) if (indexer.cache === damaged) this.#end(store);
    this.#ending = this.#ending.then(() => damaged.close());
    this.#file = this.#wasMadeAnew ? this.#inMemory() : openCache({ folder: this.#folder, anew: true });
    this.#wasMadeAnew = true;
    this.#follow();
  }
}
