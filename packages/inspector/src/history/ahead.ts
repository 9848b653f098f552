/** The values of the checkpoints of a branch, many at a time from a store that reads what they share once. */
import { formatPath, InspectorError } from '@checkpoint-inspector/core';
import type { BranchStep, CheckpointSource, Path, StateValue } from '@checkpoint-inspector/core';

/** So many checkpoints and bytes of states at a time: a millisecond or two, between which others get their turn. */
const MOST = 50;
const MOST_BYTES = 1_000_000;

export class ValuesAhead {
  readonly #source: CheckpointSource;
  /** Root first. */
  readonly #branch: readonly BranchStep[];
  readonly #path: Path;
  readonly #known = new Map<number, StateValue>();
  /** Those before this place have not been read. */
  #read: number;

  constructor(source: CheckpointSource, branch: readonly BranchStep[], path: Path) {
    this.#source = source;
    this.#branch = branch;
    this.#path = path;
    this.#read = branch.length;
  }

  /** Asked from the end of the branch to its root. @returns undefined where it has to be read on its own */
  async at(position: number): Promise<StateValue | undefined> {
    if (position < this.#read) await this.#load(position);
    return this.#known.get(position);
  }

  async #load(position: number): Promise<void> {
    const places = this.#placesFrom(position);
    this.#known.clear();
    this.#read = Math.min(position, ...places);
    if (places.length < 2) return;
    const refs = places.flatMap((at) => this.#branch[at]?.ref ?? []);
    const values = await this.#valuesOf(refs);
    for (const [nth, at] of places.entries()) {
      const value = values[nth];
      if (value !== undefined) this.#known.set(at, value);
    }
  }

  /** Going back, as many as are small enough together. */
  #placesFrom(position: number): number[] {
    const places: number[] = [];
    let bytes = 0;
    for (let at = position; at >= 0 && places.length < MOST; at--) {
      const row = this.#branch[at]?.row;
      if (row === undefined) continue;
      bytes += row.facts?.sizeBytes ?? MOST_BYTES;
      if (bytes > MOST_BYTES) break;
      places.push(at);
    }
    return places;
  }

  /** Of states one of which cannot be read, each is asked for on its own: that says which one, and why. */
  async #valuesOf(refs: readonly BranchStep['ref'][]): Promise<readonly (StateValue | undefined)[]> {
    try {
      return (await this.#source.values?.(refs, formatPath(this.#path))) ?? [];
    } catch (error) {
      if (!InspectorError.is(error) || error.code === 'internal') throw error;
      return [];
    }
  }
}
