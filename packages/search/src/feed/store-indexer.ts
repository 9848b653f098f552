import { InspectorError, type CheckpointSource, type StoreId } from '@checkpoint-inspector/core';
import type { IndexCounts, SearchCache, StoreIndex } from '../cache/types.ts';
import { Lister } from './lister.ts';
import { Reader } from './reader.ts';
import { Stopped, type Turns } from './turns.ts';

/** How much of a store can be found: `of` = indexed + locked + unreadable + what still waits. */
export interface SearchCoverage extends IndexCounts {
  readonly store: StoreId;
  /** False while it is still being read. */
  readonly isSettled: boolean;
  /** Why the index does not get on. */
  readonly problem?: string;
}

interface IndexerDeps {
  readonly source: CheckpointSource;
  readonly cache: SearchCache;
  /** In which the store is known to the cache. */
  readonly key: string;
  readonly turns: Turns;
  /** False once nothing of this store may be written into this cache any longer. */
  readonly mayWrite: () => boolean;
  /** Told that the cache is damaged. */
  readonly onDamage: () => void;
}

/** Thrown while it is not clear whether something may be written. */
class Held extends Error {}

const RETRY_MS = 5_000;
const HELD_MS = 100;

/** Keeps the index of one store up to date until it is stopped. */
export class StoreIndexer {
  readonly source: CheckpointSource;
  readonly cache: SearchCache;
  readonly key: string;
  readonly #index: StoreIndex;
  readonly #lister: Lister;
  readonly #reader: Reader;
  readonly #ended: Promise<unknown>;
  readonly #onDamage: () => void;
  #isStopped = false;
  #problem: string | undefined;

  constructor({ source, cache, key, turns, mayWrite, onDamage }: IndexerDeps) {
    this.#onDamage = onDamage;
    this.source = source;
    this.cache = cache;
    this.key = key;
    this.#index = cache.store(key);
    const check = (): void => {
      if (this.#isStopped) throw new Stopped();
      if (!mayWrite()) throw new Held();
    };
    const turn = async (): Promise<void> => {
      await turns.take();
      check();
    };
    const index = guarded(this.#index, check);
    this.#reader = new Reader({ source, index, turn, tidy: () => cache.tidy() });
    this.#lister = new Lister({ source, index, turn, onAdded: () => this.#reader.wake() });
    this.#ended = Promise.all([this.#keepOn(this.#lister), this.#keepOn(this.#reader)]);
  }

  changed(task: string | undefined): void {
    this.#lister.changed(task);
  }

  coverage(): SearchCoverage {
    const counts = this.#index.counts();
    const of = this.#lister.isComplete ? counts.of : Math.max(counts.of, this.#lister.expected);
    return {
      store: this.source.info.id,
      ...counts,
      of,
      isSettled: this.#lister.isComplete && this.#lister.isIdle && this.#reader.isIdle,
      ...(this.#problem === undefined ? {} : { problem: this.#problem }),
    };
  }

  /** Resolves once nothing is written any longer. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#lister.stop();
    this.#reader.wake();
    await this.#ended;
  }

  /** A store that fails is tried again a little later. */
  async #keepOn(work: Lister | Reader): Promise<void> {
    while (!this.#isStopped) {
      try {
        await work.run();
      } catch (error) {
        if (error instanceof Stopped || this.#isStopped) return;
        if (!(error instanceof Held)) this.#note(error);
        await new Promise((resolve) => setTimeout(resolve, error instanceof Held ? HELD_MS : RETRY_MS).unref());
        this.#problem = undefined;
        this.#lister.restart();
      }
    }
  }

  #note(thrown: unknown): void {
    const error = InspectorError.from(thrown);
    this.#problem = error.message;
    if (isDamage(error, this.cache)) this.#onDamage();
  }
}

/** Whether it is the cache itself that cannot be read. */
export function isDamage(error: InspectorError, cache: SearchCache): boolean {
  return error.code === 'unreadable' && cache.path !== undefined && error.data?.['path'] === cache.path;
}

/** Checks between reading from the store and writing what was read. */
function guarded(index: StoreIndex, check: () => void): StoreIndex {
  return {
    ...index,
    list: (task, page) => {
      check();
      return index.list(task, page);
    },
    write: (task, texts, until) => {
      check();
      return index.write(task, texts, until);
    },
  };
}
