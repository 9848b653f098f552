/** The scalars of an array's items, side by side. */
import { isSame } from './measure.ts';
import { type ArrayFront, Container, Long, type SharedValue } from './types.ts';

interface Made {
  readonly values: readonly SharedValue[];
  readonly source: object;
}

/** For an item that isn't a small object of scalars. */
const NOWHERE = -1;
/** What a wide item is made of lies side by side already. */
const MOST_MEMBERS = 32;

/**
 * What is the same as before is found by it without a look at what was made of each item: those are spread over all of
 * the memory, and after an agent's step none of them is in the processor's caches any more. Arrays that grew out of one
 * another share it, each with a length of its own.
 */
export class Front implements ArrayFront {
  /** Of each item its keys, as one cell, and its scalars. */
  readonly #cells: unknown[];
  /** Of each item: where it begins. */
  readonly #starts: number[];
  readonly #length: number;

  private constructor(cells: unknown[], starts: number[]) {
    this.#cells = cells;
    this.#starts = starts;
    this.#length = starts.length;
  }

  /**
   * Of values that were made of `source`, the first `same` of which are those that `before` is of. Absent unless the last
   * is an agent's own object.
   */
  static of({ values, source }: Made, before: ArrayFront | undefined, same: number): Front | undefined {
    if (!Array.isArray(source) || !isPlain(source.at(-1))) return undefined;
    const { cells, starts } = before instanceof Front ? before.#upTo(same) : { cells: [], starts: [] };
    for (const value of values.slice(starts.length)) {
      const scalars = scalarsOf(value);
      starts.push(scalars ? cells.length : NOWHERE);
      if (scalars) cells.push(scalars.keys, ...scalars.values);
    }
    return new Front(cells, starts);
  }

  isSame(at: number, item: unknown): boolean {
    const start = at < this.#length ? this.#starts[at] : undefined;
    if (start === undefined || start === NOWHERE || !isPlain(item)) return false;
    const cells = this.#cells;
    const keys = cells[start];
    if (!Array.isArray(keys)) return false;
    let nth = 0;
    for (const key in item) {
      const own = item[key];
      const cell = cells[start + 1 + nth];
      if (key !== keys[nth] || !isSame(own, cell)) return false;
      nth++;
    }
    return nth === keys.length;
  }

  /** The very arrays, to be added to, where nothing has been added to them yet. */
  #upTo(length: number): { cells: unknown[]; starts: number[] } {
    if (length >= this.#length && this.#starts.length === this.#length)
      return { cells: this.#cells, starts: this.#starts };
    const starts = this.#starts.slice(0, Math.min(length, this.#length));
    const end = this.#starts.slice(starts.length).find((start) => start !== NOWHERE);
    return { cells: this.#cells.slice(0, end), starts };
  }
}

interface Scalars {
  readonly keys: readonly string[];
  readonly values: readonly unknown[];
}

function scalarsOf(value: SharedValue): Scalars | undefined {
  if (!(value instanceof Container)) return undefined;
  const { keys, values } = value;
  if (keys === undefined || keys.length === 0 || keys.length > MOST_MEMBERS) return undefined;
  if (values.some((one) => one instanceof Container)) return undefined;
  return { keys, values: values.map((one) => (one instanceof Long ? one.value : one)) };
}

/** An object that is written by its keys: neither an array nor boxed, and without a `toJSON`. */
function isPlain(item: unknown): item is Readonly<Record<string, unknown>> {
  if (typeof item !== 'object' || item === null || Object.getPrototypeOf(item) !== Object.prototype) return false;
  return typeof Reflect.get(item, 'toJSON') !== 'function';
}
