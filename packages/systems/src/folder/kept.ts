/** A row or event that is longer than this is read again each time it is asked for. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

interface Entry<V> {
  readonly value: V;
  readonly characters: number;
}

/**
 * What was read of a store, by its place there: at least what was used last, up to so many characters, and never twice
 * as many. Who keeps it clears it as soon as the store may have changed.
 * @example kept.get(7n) ?? kept.set(7n, readRow(text), text.length)
 */
export class Kept<K, V> {
  readonly #most: number;
  #recent = new Map<K, Entry<V>>();
  #characters = 0;
  /** What was used before all that is recent. To put each in its place at each use would cost more than to find it. */
  #before: ReadonlyMap<K, Entry<V>> = new Map();

  constructor(most = MOST_CHARACTERS) {
    this.#most = most;
  }

  get(key: K): V | undefined {
    const recent = this.#recent.get(key);
    if (recent) return recent.value;
    const before = this.#before.get(key);
    if (before) this.#add(key, before);
    return before?.value;
  }

  /** Of a key that `get` didn't find. @returns `value`, also where it is too long to be kept */
  set(key: K, value: V, characters: number): V {
    if (characters <= this.#most) this.#add(key, { value, characters });
    return value;
  }

  clear(): void {
    this.#recent.clear();
    this.#before = new Map();
    this.#characters = 0;
  }

  #add(key: K, entry: Entry<V>): void {
    if (this.#characters + entry.characters > this.#most) {
      this.#before = this.#recent;
      this.#recent = new Map();
      this.#characters = 0;
    }
    this.#recent.set(key, entry);
    this.#characters += entry.characters;
  }
}
