/** Which call a process gets next: those that somebody waits for come first. */

interface Queued {
  /** Asked by work that nobody waits for. */
  readonly background: boolean;
}

/** So long after an answer that somebody waited for, the next question is likely to come. */
const QUIET_MS = 30;
/** While somebody asks, background work rests so many times as long as its last call took, and not less than `REST_MS`. */
const SHARE = 9;
const REST_MS = 10;

/**
 * Background calls are given out one at a time, and while somebody asks with a rest between them: so nobody waits for
 * more than one, and the work still goes on.
 * @example queue.push(call); const next = queue.take(); if (next) await run(next).finally(() => queue.ended(next));
 */
export class CallQueue<C extends Queued> {
  readonly #now: () => number;
  readonly #first: C[] = [];
  readonly #later: C[] = [];
  /** Calls given out that somebody waits for, and when the last one ended. */
  #asked = 0;
  #lastAsked = Number.NEGATIVE_INFINITY;
  /** When the background call that is out was given. */
  #since: number | undefined;
  #restUntil = Number.NEGATIVE_INFINITY;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get length(): number {
    return this.#first.length + this.#later.length;
  }

  /** Whether a call may be given now. */
  get isReady(): boolean {
    return this.#first.length > 0 || this.restMs() === 0;
  }

  push(call: C): void {
    (call.background ? this.#later : this.#first).push(call);
  }

  /** The next call; it is out until it `ended`. Absent where none may be given now. */
  take(): C | undefined {
    const first = this.#first.shift();
    if (first) {
      this.#asked += 1;
      return first;
    }
    if (this.restMs() !== 0) return undefined;
    this.#since = this.#now();
    return this.#later.shift();
  }

  /** Milliseconds until a background call may be given; absent where none waits, or another one has to end first. */
  restMs(): number | undefined {
    if (this.#later.length === 0 || this.#since !== undefined) return undefined;
    const now = this.#now();
    const isAsked = this.#asked > 0 || now - this.#lastAsked < QUIET_MS;
    return isAsked ? Math.max(0, this.#restUntil - now) : 0;
  }

  ended({ background }: C): void {
    const now = this.#now();
    if (!background) {
      this.#asked -= 1;
      this.#lastAsked = now;
      return;
    }
    this.#restUntil = now + Math.max(REST_MS, SHARE * (now - (this.#since ?? now)));
    this.#since = undefined;
  }

  /** All that wait leave. */
  clear(): C[] {
    return [...this.#first.splice(0), ...this.#later.splice(0)];
  }
}
