import { formatPath, parsePath, type Path } from '../json/path.ts';
import type { Difference } from './types.ts';

/** Where a value of the old state is in the new one; else which row removed it, and how deep that row is. */
export type Place = { readonly at: Path } | { readonly removed: Difference; readonly depth: number };

interface Shifts {
  /** Old indices that are not at their place any longer, in order. */
  readonly left: number[];
  /** From an old index to the path that it has now. */
  readonly moves: Map<number, string>;
}

const ELEMENT = /^(.*)\[(\d+)\]$/s;

/** Follows paths from the old state into the new one by the rows of their diff: array elements may have another index. */
export class Follower {
  readonly #gone = new Map<string, Difference>();
  readonly #shifts = new Map<string, Shifts>();
  /** Of arrays of the new state: indices of elements that came or moved there, in order. */
  readonly #taken = new Map<string, number[]>();

  constructor(items: readonly Difference[]) {
    for (const item of items) {
      if (item.kind === 'removed') this.#gone.set(item.path, item);
      if (item.kind === 'removed') this.#leave(item.path);
      if (item.kind === 'moved') this.#leave(item.from ?? '', item.path);
      if (item.kind === 'added' || item.kind === 'moved') this.#take(item.path);
    }
    for (const { left } of this.#shifts.values()) left.sort((a, b) => a - b);
    for (const taken of this.#taken.values()) taken.sort((a, b) => a - b);
  }

  place(path: Path): Place {
    const at: (string | number)[] = [];
    let [was, now] = ['$', '$'];
    for (const [depth, step] of path.entries()) {
      const old = formatPath([step]).slice(1);
      const removed = this.#gone.get(was + old);
      if (removed) return { removed, depth: depth + 1 };
      const next = typeof step === 'number' ? this.#indexOf(was, now, step) : step;
      at.push(next);
      was += old;
      now += next === step ? old : formatPath([next]).slice(1);
    }
    return { at };
  }

  #leave(path: string, to?: string): void {
    const [, array = '', index] = ELEMENT.exec(path) ?? [];
    if (index === undefined) return;
    const shifts: Shifts = this.#shifts.get(array) ?? { left: [], moves: new Map() };
    this.#shifts.set(array, shifts);
    shifts.left.push(Number(index));
    if (to !== undefined) shifts.moves.set(Number(index), to);
  }

  #take(path: string): void {
    const [, array = '', index] = ELEMENT.exec(path) ?? [];
    if (index === undefined) return;
    const taken = this.#taken.get(array) ?? [];
    this.#taken.set(array, taken);
    taken.push(Number(index));
  }

  /** The new index of an array element that is not removed: moved ones say it, the others keep their order. */
  #indexOf(was: string, now: string, index: number): number {
    const shifts = this.#shifts.get(was);
    const [, array, moved] = ELEMENT.exec(shifts?.moves.get(index) ?? '') ?? [];
    if (moved !== undefined && array === now) return Number(moved);
    let at = index;
    for (const gone of shifts?.left ?? []) {
      if (gone >= index) break;
      at--;
    }
    for (const taken of this.#taken.get(now) ?? []) {
      if (taken > at) break;
      at++;
    }
    return at;
  }
}

/** The rows seen from the new state: what was added is what the way back removes. Only for following places. */
export function reversed(items: readonly Difference[]): Difference[] {
  return items.flatMap(({ kind, path, from, before, after }): Difference[] => {
    if (kind === 'added') return [{ kind: 'removed', path, ...(after === undefined ? {} : { before: after }) }];
    if (kind === 'removed') return [{ kind: 'added', path, ...(before === undefined ? {} : { after: before }) }];
    return kind === 'moved' && from !== undefined ? [{ kind, path: from, from: path }] : [];
  });
}

/** @example prefixesOf(parsePath('$.a[0]')) // ['$', '$.a', '$.a[0]'] */
export function prefixesOf(path: Path): string[] {
  let text = '$';
  return ['$', ...path.map((step) => (text += formatPath([step]).slice(1)))];
}

export const parentOf = (path: string): Path => parsePath(path).slice(0, -1);
