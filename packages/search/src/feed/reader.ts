import { InspectorError, type CheckpointSource } from '@checkpoint-inspector/core';
import type { NewText, PendingDocument, StoreIndex } from '../cache/types.ts';
import { Signal } from './turns.ts';

interface ReaderDeps {
  readonly source: CheckpointSource;
  readonly index: StoreIndex;
  /** A turn of background work. @throws Stopped */
  readonly turn: () => Promise<void>;
  /** One step of upkeep; false when there is none to do. */
  readonly tidy: () => boolean;
}

/** Larger states are found by their facts and their step's name only: reading one would hold up everything. */
const MOST_BYTES = 8_000_000;
const TOO_LARGE = 'Larger than 8 MB, so search covers only its name and details.';
const BATCH = 500;
/** Read at once: a folder then looks at its files once for all of them. */
const MOST_AT_ONCE = 128;
const MOST_BYTES_AT_ONCE = 1_000_000;
const SLICE_MS = 8;
const WRITES_PER_TIDY = 4;
const BUSY_MS = 1_000;

/** Reads the states that wait and writes them into the index, the newest first. */
export class Reader {
  readonly #deps: ReaderDeps;
  readonly #wake = new Signal();
  #isAtWork = true;
  #writes = 0;

  constructor(deps: ReaderDeps) {
    this.#deps = deps;
  }

  get isIdle(): boolean {
    return !this.#isAtWork;
  }

  wake(): void {
    this.#isAtWork = true;
    this.#wake.set();
  }

  /** Continues until a turn is refused. @throws Stopped, and what the index throws */
  async run(): Promise<never> {
    for (;;) {
      await this.#deps.turn();
      const task = this.#deps.index.nextWaiting();
      this.#isAtWork = task !== undefined;
      if (task !== undefined) await this.#readSome(task);
      else if (!this.#deps.tidy()) await this.#wake.wait();
    }
  }

  async #readSome(task: string): Promise<void> {
    for (const some of inPortions(this.#deps.index.waiting(task, BATCH))) {
      await this.#deps.turn();
      const texts = await Promise.all(some.map((waiting) => this.#read(waiting)));
      await this.#write(
        task,
        texts.filter((text) => text !== undefined),
      );
    }
  }

  async #write(task: string, texts: readonly NewText[]): Promise<void> {
    for (let done = 0; done < texts.length;) {
      await this.#deps.turn();
      done += this.#deps.index.write(task, texts.slice(done), performance.now() + SLICE_MS);
      this.#writes += 1;
      if (this.#writes % WRITES_PER_TIDY !== 0) continue;
      await this.#deps.turn();
      this.#deps.tidy();
    }
  }

  /** Nothing where there is no text: then the index says why. */
  async #read({ doc, ref, sizeBytes, description }: PendingDocument): Promise<NewText | undefined> {
    const named = { doc, ...(description === undefined ? {} : { description }) };
    if (sizeBytes > MOST_BYTES) return { ...named, reason: TOO_LARGE };
    const { source, index } = this.#deps;
    try {
      const state = await source.state(ref);
      if (state !== undefined) return { ...named, text: state.text };
      index.drop(doc);
    } catch (thrown) {
      const error = InspectorError.from(thrown);
      if (error.code === 'not_found') index.drop(doc);
      else if (error.code === 'busy') await new Promise((resolve) => setTimeout(resolve, BUSY_MS).unref());
      else if (error.code === 'no_store') throw error;
      else if (error.code === 'locked' || error.code === 'wrong_key') index.setUnread(doc, 'locked', error.message);
      else index.setUnread(doc, 'unreadable', error.message);
    }
    return undefined;
  }
}

function* inPortions(waiting: readonly PendingDocument[]): Generator<PendingDocument[]> {
  let portion: PendingDocument[] = [];
  let bytes = 0;
  for (const document of waiting) {
    const isFull = portion.length >= MOST_AT_ONCE || bytes + document.sizeBytes > MOST_BYTES_AT_ONCE;
    if (isFull && portion.length > 0) {
      yield portion;
      portion = [];
      bytes = 0;
    }
    portion.push(document);
    bytes += Math.min(document.sizeBytes, MOST_BYTES);
  }
  if (portion.length > 0) yield portion;
}
