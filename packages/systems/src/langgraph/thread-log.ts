import { randomUUID } from 'node:crypto';

/** Older entries are dropped: whoever asks for so many changes is as well served by the whole list. */
const KEPT = 4_000;

/** What changed since a mark. */
export interface Logged {
  readonly mark: string;
  /** Absent where the mark is of another log, or too old. */
  readonly threads?: ReadonlySet<string>;
  /** Rows were changed in a way that tells no thread. */
  readonly mayBeMore: boolean;
}

/** The threads that changed, one after the other, so that everyone can be told those since their own mark. */
export class ThreadLog {
  /** Of this reading of the file: nothing is known of what another one has told. */
  readonly #name = randomUUID();
  /** `undefined`: any thread may have changed. */
  #entries: (string | undefined)[] = [];
  #dropped = 0;

  add(threads: Iterable<string | undefined>): void {
    for (const thread of threads) this.#entries.push(thread);
    if (this.#entries.length <= 2 * KEPT) return;
    this.#dropped += this.#entries.length - KEPT;
    this.#entries = this.#entries.slice(-KEPT);
  }

  since(mark: string | undefined): Logged {
    const [name, place] = mark?.split(' ') ?? [];
    const at = Number(place) - this.#dropped;
    const now = `${this.#name} ${this.#dropped + this.#entries.length}`;
    if (name !== this.#name || !(at >= 0 && at <= this.#entries.length)) return { mark: now, mayBeMore: true };
    const entries = this.#entries.slice(at);
    const threads = new Set(entries.filter((thread) => thread !== undefined));
    return { mark: now, threads, mayBeMore: entries.includes(undefined) };
  }
}
