import { encodeCells } from './cells.ts';
import type { RowImage } from './images.ts';
import { spotOf, type RowPlace, type RowState } from './row-engine.ts';

/** One row before and after one op. */
export interface Step {
  readonly table: string;
  readonly before?: RowState;
  readonly after?: RowState;
}

/** Collects the steps of one transaction: a row touched twice has one image, from its first state to its last. */
export class Ledger {
  readonly #steps: Step[] = [];
  /** Place of a row now, or of one that went, to the index of its step. */
  readonly #places = new Map<string, number>();

  add(step: Step): void {
    const from = step.before ?? step.after;
    if (!from) return;
    const known = this.#places.get(placeId(step.table, from));
    const earlier = known === undefined ? undefined : this.#steps[known];
    const index = known ?? this.#steps.length;
    this.#steps[index] = {
      table: step.table,
      ...(earlier ? pick('before', earlier.before) : pick('before', step.before)),
      ...pick('after', step.after),
    };
    this.#places.delete(placeId(step.table, from));
    this.#places.set(placeId(step.table, step.after ?? from), index);
  }

  images(): RowImage[] {
    return this.#steps.filter(({ before, after }) => before ?? after).map(toImage);
  }
}

function toImage({ table, before, after }: Step): RowImage {
  return {
    mark: {
      kind: 'row',
      table,
      ...(before ? { before: spotOf(before) } : {}),
      ...(after ? { after: spotOf(after) } : {}),
    },
    ...(before ? { cells: before.cells } : {}),
  };
}

function pick<K extends string>(name: K, state: RowState | undefined): { [P in K]?: RowState } {
  return state ? ({ [name]: state } as { [P in K]: RowState }) : {};
}

function placeId(table: string, { rowid, key }: RowPlace): string {
  const place = key.size > 0 ? Buffer.from(encodeCells(key)).toString('base64') : String(rowid);
  return JSON.stringify([table, place]);
}
