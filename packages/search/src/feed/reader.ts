import { InspectorError, type CheckpointSource } from '@checkpoint-inspector/core';
import type { NewText, PendingDocument } from '../cache/types.ts';
import type { RemoteIndex } from '../host/contract.ts';
import { Signal } from './turns.ts';

interface ReaderDeps {
  readonly source: CheckpointSource;
  readonly index: RemoteIndex;
  /** How long one piece of writing may take, in ms. */
  readonly sliceMs: number;
  /** A turn of background work. @throws Stopped */
  readonly turn: () => Promise<void>;
}

/** Larger states are found by their facts and their step's name only: reading one would hold up everything. */
const MOST_BYTES = 8_000_000;
const TOO_LARGE = 'Larger than 8 MB, so search covers only its name and details.';
const BATCH = 2_000;
/** Read at once: a folder then looks at its files once for all of them. */
const MOST_AT_ONCE = 128;
const MOST_BYTES_AT_ONCE = 1_000_000;
const WRITES_PER_TIDY = 4;
const BUSY_MS = 1_000;

/** Reads the states that wait and writes them into the index, the newest first. */
export class Reader {
  readonly #deps: ReaderDeps;
  readonly #wake = new Signal();
  #isAtWork = true;
  #writes = 0;
  /** Of the state that was read last: a row that is a line of a log says nothing of the size of its state. */
  #lastCharacters = MOST_BYTES_AT_ONCE;

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
    const { index, turn } = this.#deps;
    for (;;) {
      await turn();
      const waiting = await index.waiting(BATCH);
      // Something that came while this was asked has set the signal.
      this.#isAtWork = waiting.length > 0 || this.#wake.isSet;
      if (waiting.length > 0) await this.#readSome(waiting);
      else if (!(await index.tidy())) await this.#wake.wait();
    }
  }

  /** While one portion is written, the next one is read. */
  async #readSome(waiting: readonly PendingDocument[]): Promise<void> {
    let writing: Promise<void> = Promise.resolve();
    try {
      for (let at = 0; at < waiting.length;) {
        const some = portionOf(waiting, at, this.#lastCharacters);
        at += some.length;
        await this.#deps.turn();
        const texts = await Promise.all(some.map((one) => this.#read(one)));
        await writing;
        writing = this.#write(texts.filter((text) => text !== undefined));
        // It is waited for, and what it throws is thrown, with the next portion.
        writing.catch(() => undefined);
      }
    } finally {
      await writing;
    }
  }

  async #write(texts: readonly NewText[]): Promise<void> {
    const { index, sliceMs, turn } = this.#deps;
    for (let done = 0; done < texts.length;) {
      await turn();
      done += await index.write(texts.slice(done), sliceMs);
      this.#writes += 1;
      if (this.#writes % WRITES_PER_TIDY !== 0) continue;
      await turn();
      await index.tidy();
    }
  }

  /** Nothing where there is no text: then the index says why. */
  async #read({ doc, ref, sizeBytes, description }: PendingDocument): Promise<NewText | undefined> {
    const named = { doc, task: ref.task, ...(description === undefined ? {} : { description }) };
    if (sizeBytes > MOST_BYTES) return { ...named, reason: TOO_LARGE };
    const { source, index } = this.#deps;
    try {
      const state = await source.state(ref, { mostCharacters: MOST_BYTES });
      if (state === undefined) await index.drop(doc);
      else {
        this.#lastCharacters = state.text.length;
        return { ...named, text: state.text };
      }
    } catch (thrown) {
      const error = InspectorError.from(thrown);
      if (error.code === 'not_found') await index.drop(doc);
      else if (error.code === 'busy') await new Promise((resolve) => setTimeout(resolve, BUSY_MS).unref());
      else if (error.code === 'no_store') throw error;
      else if (error.code === 'too_large') return { ...named, reason: TOO_LARGE };
      else if (error.code === 'locked' || error.code === 'wrong_key')
        await index.setUnread(doc, 'locked', error.message);
      else await index.setUnread(doc, 'unreadable', error.message);
    }
    return undefined;
  }
}

/** What is read at once from there on, at least one: as much as fits where states are as large as the last one was. */
function portionOf(waiting: readonly PendingDocument[], from: number, lastCharacters: number): PendingDocument[] {
  let bytes = 0;
  let to = from;
  for (; to < waiting.length && to - from < MOST_AT_ONCE; to++) {
    bytes += Math.max(waiting[to]?.sizeBytes ?? 0, lastCharacters);
    if (bytes > MOST_BYTES_AT_ONCE && to > from) break;
  }
  return waiting.slice(from, to);
}
