import { Follower, parentOf, prefixesOf, reversed } from '../diff/follow.ts';
import type { Difference } from '../diff/types.ts';
import { formatPath, parsePath, type Path } from '../json/path.ts';
import { placeOfRemoved } from './moved.ts';

/** Where so many values came and went in one step, none is looked for under another name. */
const MOST_SWAPPED = 200;

/** What one step changed, ready to be asked about many paths of the state before it and of the one after. */
class Step {
  readonly #items: readonly Difference[];
  readonly #swapped: readonly Difference[];
  readonly forth: Follower;
  readonly back: Follower;
  /** Paths with a change at them or below. */
  readonly oldTouched = new Set<string>();
  readonly newTouched = new Set<string>();
  readonly moved = new Set<string>();
  /** Values that were replaced as a whole: nothing below them is the same value any longer. */
  readonly oldWhole = new Set<string>();
  readonly newWhole = new Set<string>();

  constructor(items: readonly Difference[]) {
    this.#items = items;
    this.#swapped = reversed(items);
    this.forth = new Follower(items);
    this.back = new Follower(this.#swapped);
    for (const item of items) this.#touch(item);
  }

  #touch({ kind, path, from }: Difference): void {
    const own = parsePath(path);
    const isThere = kind !== 'removed';
    const wasThere = kind !== 'added';
    const now = isThere ? own : atOr(this.forth.place(parentOf(path)));
    const old = kind === 'moved' ? parsePath(from ?? '$') : atOr(this.back.place(wasThere ? own : parentOf(path)));
    const oldOwn = kind === 'removed' ? own : old;
    for (const prefix of now ? prefixesOf(now) : []) this.newTouched.add(prefix);
    for (const prefix of oldOwn ? prefixesOf(oldOwn) : []) this.oldTouched.add(prefix);
    if (kind === 'moved') this.moved.add(path);
    if (kind !== 'type-changed' && kind !== 'changed') return;
    this.newWhole.add(path);
    if (old) this.oldWhole.add(formatPath(old));
  }

  /** Where a value that this step brought was before under another name. */
  cameFrom(path: Path, place: { readonly removed: Difference; readonly depth: number }): Path | undefined {
    if (this.#items.length > MOST_SWAPPED) return undefined;
    return placeOfRemoved(this.#swapped, place.removed, path.slice(place.depth), undefined);
  }
}

const atOr = (place: ReturnType<Follower['place']>): Path | undefined => ('at' in place ? place.at : undefined);

/** Of one row of a diff: the steps that changed its value, by their place on the way, the newest first. */
export interface StepsOfRow {
  readonly at: readonly number[];
  /** False where a step on the way can't be read: an older change may lie there. */
  readonly whole: boolean;
}

/**
 * Which steps between two checkpoints changed the rows of their diff. Elements of arrays and renamed values are
 * followed to where they were before.
 * @param steps the differences of each step on the way, the oldest first; `undefined` where a state can't be read
 * @example new StepsBetween([firstDiff, secondDiff]).of(row).at // [1]: only the second step changed it
 */
export class StepsBetween {
  readonly #steps: readonly (Step | undefined)[];

  constructor(steps: readonly (readonly Difference[] | undefined)[]) {
    this.#steps = steps.map((items) => items && new Step(items));
  }

  of(item: Difference): StepsOfRow {
    return item.kind === 'removed' ? this.#removed(item) : this.#written(item);
  }

  /** From the last state back, until the step that brought the value. */
  #written({ path, kind }: Difference): StepsOfRow {
    const at: number[] = [];
    let place = parsePath(path);
    for (let index = this.#steps.length - 1; index >= 0; index--) {
      const step = this.#steps[index];
      if (step === undefined) return { at, whole: false };
      const text = formatPath(place);
      const before = step.back.place(place);
      const touched = kind === 'moved' ? step.moved.has(text) : step.newTouched.has(text);
      const isWhole = hasParent(step.newWhole, place);
      if (touched || isWhole || 'removed' in before) at.push(index);
      if (isWhole) break;
      const next = 'at' in before ? before.at : step.cameFrom(place, before);
      if (next === undefined) break;
      place = next;
    }
    return { at, whole: true };
  }

  /** From the first state on: what is removed may come again and be removed again. */
  #removed({ path }: Difference): StepsOfRow {
    const at: number[] = [];
    let place = parsePath(path);
    let isThere = true;
    for (const [index, step] of this.#steps.entries()) {
      if (step === undefined) return { at: [], whole: false };
      const text = formatPath(place);
      if (!isThere) {
        if (!step.newTouched.has(text)) continue;
        at.unshift(index);
        isThere = true;
        continue;
      }
      const after = step.forth.place(place);
      const isWhole = hasParent(step.oldWhole, place);
      if ('removed' in after || isWhole || step.oldTouched.has(text)) at.unshift(index);
      isThere = 'at' in after && !isWhole;
      if (isThere && 'at' in after) place = after.at;
    }
    return { at, whole: true };
  }
}

const hasParent = (paths: ReadonlySet<string>, path: Path): boolean =>
  paths.size > 0 && prefixesOf(path.slice(0, -1)).some((prefix) => path.length > 0 && paths.has(prefix));
