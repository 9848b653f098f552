import { encodeCells } from './cells.ts';
import { spotOf, type RowImage, type RowPlace, type RowState } from './mark.ts';

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
    const before = earlier ? earlier.before : step.before;
    this.#steps[index] = {
      table: step.table,
      ...(before ? { before } : {}),
      ...(step.after ? { after: step.after } : {}),
    };
    this.#places.delete(placeId(step.table, from));
    this.#places.set(placeId(step.table, step.after ?? from), index);
  }

  /** One for each row, as it was first and is at last. */
  steps(): Step[] {
    return this.#steps.filter(({ before, after }) => before ?? after);
  }

  images(): RowImage[] {
    return this.steps().map(toImage);
  }
}

export function toImage({ table, before, after }: Step): RowImage {
  return {
    mark: {
      kind: 'row',
      table,
      ...(before ? { before: spotOf(before) } : {}),
      ...(after ? { after: spotOf(after) } : {}),
    },
    ...(before ? { content: encodeCells(before.cells) } : {}),
  };
}

function placeId(table: string, { rowid, key }: RowPlace): string {
  const place = key.size > 0 ? Buffer.from(encodeCells(key)).toString('base64') : String(rowid);
  return JSON.stringify([table, place]);
}
