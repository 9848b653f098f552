import { InspectorError } from '@checkpoint-inspector/core';
import type { CheckpointSource, StoreId, StoreInfo, Unwatch } from '@checkpoint-inspector/core';
import { sqliteVersion } from '@checkpoint-inspector/io';
import { lostIndex, type IndexHost, type IndexId } from '../host/contract.ts';
import { StoreIndexer } from './store-indexer.ts';
import { Turns } from './turns.ts';

/** The open stores, as far as search asks about them. */
export interface SearchedStores {
  list(): readonly StoreInfo[];
  /** @throws InspectorError not_found */
  source(store: StoreId): CheckpointSource;
  /** False where what it tells must not be written anywhere: a key opened it, or it is private and nobody agreed. */
  mayKeep(store: StoreId): boolean;
  onEvent(listener: (event: StoreEvent) => void): Unwatch;
}

/** `stores`: one was opened or closed; `change`: one of them, and one task where known. */
type StoreEvent =
  | { readonly kind: 'stores' }
  | { readonly kind: 'change'; readonly store: StoreId; readonly task?: string };

/** An indexer for each open store, and the indexes that they write into. */
export class Indexers {
  readonly turns = new Turns();
  readonly host: IndexHost;
  readonly #stores: SearchedStores;
  readonly #folder: string | undefined;
  readonly #running = new Map<StoreId, StoreIndexer>();
  #file: IndexId | undefined;
  #memory: IndexId | undefined;
  #unwatch: Unwatch | undefined;
  #wasMadeAnew = false;
  #isClosed = false;
  #ending: Promise<unknown> = Promise.resolve();

  constructor(host: IndexHost, stores: SearchedStores, folder: string | undefined) {
    this.host = host;
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

  /** Begins again where the error says that an index was lost. */
  mend(error: unknown): void {
    const lost = [this.#file, this.#memory].find((index) => lostIndex(error, index) !== undefined);
    if (lost === undefined) return;
    if (lostIndex(error, lost) === 'damaged') this.#makeAnew(lost);
    else this.#beginAgain();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unwatch?.();
    for (const store of this.#running.keys()) this.#end(store);
    this.turns.stop();
    await this.#ending;
    await this.host.close();
  }

  #inMemory(): IndexId {
    return (this.#memory ??= this.host.open({}));
  }

  #onDisk(): IndexId {
    return (this.#file ??= this.#folder === undefined ? this.#inMemory() : this.host.open({ folder: this.#folder }));
  }

  /** What must not be written, and what has no identity of its own, is kept in memory only. */
  #indexFor(store: StoreId): IndexId {
    const mayKeep = this.#stores.mayKeep(store) && this.#stores.source(store).info.identity !== undefined;
    return mayKeep ? this.#onDisk() : this.#inMemory();
  }

  /** The indexers of the stores that are open now, each with the index it belongs in. */
  #follow(): void {
    if (this.#isClosed) return;
    const open = new Set(this.#stores.list().map(({ id }) => id));
    for (const [store, { source, place }] of this.#running)
      if (!open.has(store) || this.#stores.source(store) !== source || this.#indexFor(store) !== place.index)
        this.#end(store);
    for (const store of open) if (!this.#running.has(store)) this.#begin(store);
  }

  #begin(store: StoreId): void {
    const source = this.#stores.source(store);
    const index = this.#indexFor(store);
    const { system, identity = store, label } = source.info;
    const place = { index, key: `${system}\n${identity}\n${label}` };
    const mayKeep = () => this.#stores.mayKeep(store);
    const mayWrite = () => index === this.#memory || mayKeep();
    const onError = (error: InspectorError) => this.mend(error);
    const { host, turns } = this;
    this.#running.set(store, new StoreIndexer({ source, host, place, turns, mayKeep, mayWrite, onError }));
  }

  #end(store: StoreId): void {
    const indexer = this.#running.get(store);
    this.#running.delete(store);
    if (indexer !== undefined) this.#ending = Promise.all([this.#ending, indexer.stop()]);
  }

  /** The damaged file goes; a second one would be damaged as well, so then memory serves. */
  #makeAnew(damaged: IndexId): void {
    for (const [store, indexer] of this.#running) if (indexer.place.index === damaged) this.#end(store);
    // Before another one is opened in its place: closing it would take the side files of that one away.
    this.#ending = Promise.all([this.#ending, this.host.drop(damaged)]);
    const anew = this.#wasMadeAnew || this.#folder === undefined ? undefined : { folder: this.#folder, anew: true };
    this.#file = anew === undefined ? this.#inMemory() : this.host.open(anew);
    this.#wasMadeAnew = true;
    this.#follow();
  }

  /** The thread that had the indexes stopped: after a while another one is tried. */
  #beginAgain(): void {
    for (const store of this.#running.keys()) this.#end(store);
    this.#file = undefined;
    this.#memory = undefined;
    setTimeout(() => this.#follow(), AGAIN_MS).unref();
  }
}

const AGAIN_MS = 1_000;
