/** Wakes a loop that has nothing to do. */
export class Signal {
  #wake: (() => void) | undefined;
  #isSet = false;

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
