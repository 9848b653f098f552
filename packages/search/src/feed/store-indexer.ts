import { setTimeout as sleep } from 'node:timers/promises';
import { InspectorError, withOptions, type CheckpointSource, type StoreId } from '@checkpoint-inspector/core';
import type { IndexCounts } from '../cache/types.ts';
import { remoteIndex, type IndexHost, type Place, type RemoteIndex } from '../host/contract.ts';
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
  /** Its index is in memory only, because it is private and nobody has agreed that it is kept. */
  readonly unkept?: true;
}

interface IndexerDeps {
  readonly source: CheckpointSource;
  readonly host: IndexHost;
  /** Where the store is in the indexes. */
  readonly place: Place;
  readonly turns: Turns;
  /** False while nothing of this store may be written on a disk. */
  readonly mayKeep: () => boolean;
  /** False once nothing of this store may be written into this index any longer. */
  readonly mayWrite: () => boolean;
  /** Told of every error. */
  readonly onError: (error: InspectorError) => void;
}

/** Thrown while it is not clear whether something may be written. */
class Held extends Error {}

const RETRY_MS = 5_000;
/** Room is made by people, if at all. */
const DISK_FULL_MS = 60_000;
const HELD_MS = 100;

/** Keeps the index of one store up to date until it is stopped. */
export class StoreIndexer {
  readonly source: CheckpointSource;
  readonly place: Place;
  readonly #index: RemoteIndex;
  readonly #lister: Lister;
  readonly #reader: Reader;
  readonly #ended: Promise<unknown>;
  readonly #onError: (error: InspectorError) => void;
  readonly #mayKeep: () => boolean;
  readonly #stop = new AbortController();
  #isStopped = false;
  #problem: string | undefined;

  constructor({ source, host, place, turns, mayKeep, mayWrite, onError }: IndexerDeps) {
    this.#mayKeep = mayKeep;
    this.#onError = onError;
    this.source = source;
    this.place = place;
    this.#index = remoteIndex(host, place);
    const check = (): void => {
      if (this.#isStopped) throw new Stopped();
      if (!mayWrite()) throw new Held();
    };
    const turn = async (): Promise<void> => {
      await turns.take();
      check();
    };
    const index = guarded(this.#index, check);
    const asked = withOptions(source, { background: true });
    this.#reader = new Reader({ source: asked, index, turn, sliceMs: host.sliceMs });
    this.#lister = new Lister({ source: asked, index, turn, onAdded: () => this.#reader.wake() });
    this.#ended = Promise.all([this.#keepOn(this.#lister), this.#keepOn(this.#reader)]);
  }

  changed(task: string | undefined): void {
    this.#lister.changed(task);
  }

  /** Everything is indexed that can be. */
  get isSettled(): boolean {
    return this.#lister.isComplete && this.#lister.isIdle && this.#reader.isIdle;
  }

  async coverage(): Promise<SearchCoverage> {
    // Before the counts: they are then of this moment, or of a later one.
    const { isSettled } = this;
    const counts = await this.#index.counts();
    const of = this.#lister.isComplete ? counts.of : Math.max(counts.of, this.#lister.expected);
    return {
      store: this.source.info.id,
      ...counts,
      of,
      isSettled,
      ...(this.#problem === undefined ? {} : { problem: this.#problem }),
      ...(this.source.info.private && !this.#mayKeep() ? { unkept: true } : {}),
    };
  }

  /** Resolves once nothing is written any longer. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stop.abort();
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
        const ms = error instanceof Held ? HELD_MS : restAfter(InspectorError.from(error));
        await sleep(ms, undefined, { ref: false, signal: this.#stop.signal }).catch(() => undefined);
        this.#problem = undefined;
        this.#lister.restart();
      }
    }
  }

  #note(thrown: unknown): void {
    const error = InspectorError.from(thrown);
    this.#problem = error.message;
    this.#onError(error);
  }
}

const restAfter = ({ code }: InspectorError): number => (code === 'disk_full' ? DISK_FULL_MS : RETRY_MS);

/** Checks between reading from the store and writing what was read. */
function guarded(index: RemoteIndex, check: () => void): RemoteIndex {
  return {
    ...index,
    list: async (task, page) => {
      check();
      return index.list(task, page);
    },
    write: async (texts, sliceMs) => {
      check();
      return index.write(texts, sliceMs);
    },
  };
}
