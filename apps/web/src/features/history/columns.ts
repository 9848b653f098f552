/** Which columns of the history are taken in which rows. The first belongs to the main lane. */
export class Columns {
  readonly #taken: { readonly from: number; readonly to: number }[][];
  /** By parent: the line that its forks join, and the row from which it runs. */
  readonly #trunks = new Map<number, { readonly column: number; readonly from: number }>();

  constructor(count: number) {
    this.#taken = Array.from({ length: count }, () => []);
  }

  /** The first column that is free in all these rows. */
  take(from: number, to: number): number | undefined {
    const column = this.#taken.findIndex((runs, at) => at > 0 && runs.every((run) => run.to < from || run.from > to));
    if (column < 0) return undefined;
    this.#taken[column]?.push({ from, to });
    return column;
  }

  /** Later forks of the same parent may join this line below its own lowest checkpoint. */
  open(parent: number, column: number, from: number): void {
    this.#trunks.set(parent, { column, from });
  }

  /** The line to this parent that passes row `at`. */
  trunk(parent: number, at: number): number | undefined {
    const trunk = this.#trunks.get(parent);
    return trunk && trunk.from < at ? trunk.column : undefined;
  }
}
