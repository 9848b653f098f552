import type { SharedState } from '@checkpoint-inspector/core';

/** Of the texts of the states; in memory a state takes a little more, but most have most in common. */
const MAX_BYTES = 64 * 1024 * 1024;

/** States in memory by their root, for the next save to be compared with. The one used last always stays. */
export class KnownStates {
  readonly #states = new Map<number, SharedState>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get(root: number): SharedState | undefined {
    const state = this.#states.get(root);
    if (state) this.set(root, state);
    return state;
  }

  set(root: number, state: SharedState): void {
    this.#drop(root);
    this.#states.set(root, state);
    this.#bytes += state.bytes;
    for (const oldest of this.#states.keys()) {
      if (this.#bytes <= this.#maxBytes || this.#states.size === 1) return;
      this.#drop(oldest);
    }
  }

  clear(): void {
    this.#states.clear();
    this.#bytes = 0;
  }

  #drop(root: number): void {
    const state = this.#states.get(root);
    if (!state) return;
    this.#states.delete(root);
    this.#bytes -= state.bytes;
  }
}
