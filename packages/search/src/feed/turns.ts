/** Background work gets one short turn at a time, and fewer while requests are answered. */
export class Turns {
  readonly #waiting: { readonly take: () => void; readonly leave: () => void }[] = [];
  #isRunning = false;
  #requests = 0;
  #lastRequest = Number.NEGATIVE_INFINITY;
  #heldSince: number | undefined;
  #isStopped = false;

  /** Resolves when it is this caller's turn; the turn ends when it waits again. @throws Stopped */
  take(): Promise<void> {
    if (this.#isStopped) return Promise.reject(new Stopped());
    const turn = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ take: resolve, leave: () => reject(new Stopped()) });
    });
    if (!this.#isRunning) {
      this.#isRunning = true;
      setImmediate(() => this.#next());
    }
    return turn;
  }

  /** A request begins; call the answer when it is done. */
  request(): () => void {
    this.#requests += 1;
    return () => {
      this.#requests -= 1;
      this.#lastRequest = performance.now();
    };
  }

  /** Everybody who waits leaves. */
  stop(): void {
    this.#isStopped = true;
    for (const { leave } of this.#waiting.splice(0)) leave();
  }

  #next(): void {
    if (this.#isPolite()) {
      setTimeout(() => this.#next(), PAUSE_MS).unref();
      return;
    }
    const turn = this.#waiting.shift();
    if (turn === undefined) {
      this.#isRunning = false;
      return;
    }
    turn.take();
    setImmediate(() => this.#next());
  }

  /** Waits while requests run, but never for long: a page that asks all the time must not starve the index. */
  #isPolite(): boolean {
    const now = performance.now();
    const isBusy = this.#waiting.length > 0 && (this.#requests > 0 || now - this.#lastRequest < QUIET_MS);
    this.#heldSince = isBusy ? (this.#heldSince ?? now) : undefined;
    if (!isBusy || now - (this.#heldSince ?? now) < MOST_HELD_MS) return isBusy;
    this.#heldSince = now;
    return false;
  }
}

/** Thrown to work that is to end. */
export class Stopped extends Error {}

const PAUSE_MS = 10;
const QUIET_MS = 30;
const MOST_HELD_MS = 120;

/** Wakes a loop that has nothing to do. */
export class Signal {
  #wake: (() => void) | undefined;
  #isSet = false;

  /** Set, and nobody has waited since. */
  get isSet(): boolean {
    return this.#isSet;
  }

  /** Resolves at once when it was set since the last wait. */
  wait(): Promise<void> {
    if (this.#isSet) {
      this.#isSet = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#isSet = false;
        resolve();
      };
    });
  }

  set(): void {
    this.#isSet = true;
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
