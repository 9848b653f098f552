/** The lowest lane used per depth, of one subtree: a list that can be moved down as a whole at no cost. */
export interface Contour {
  head: number;
  headLane: number;
  tail: number;
  tailLane: number;
  length: number;
}

/** Lists share two arrays: the next depth's cell, and how many lanes lower it is. A cell is a node's index. */
export class Contours {
  readonly #next: Int32Array;
  readonly #drop: Int32Array;

  constructor(size: number) {
    this.#next = new Int32Array(size).fill(-1);
    this.#drop = new Int32Array(size);
  }

  /** The contour with one depth more above it. */
  above(cell: number, lane: number, below: Contour | undefined): Contour {
    if (!below) return { head: cell, headLane: lane, tail: cell, tailLane: lane, length: 1 };
    this.#next[cell] = below.head;
    this.#drop[cell] = below.headLane - lane;
    return { ...below, head: cell, headLane: lane, length: below.length + 1 };
  }

  /**
   * Hangs a branch below `used`, from the same depth on: how far down it moves, and what is used then.
   * Costs the shorter of the two, and those cells are never looked at again: together linear.
   */
  hang(used: Contour | undefined, branch: Contour, lowest: number): { readonly down: number; readonly used: Contour } {
    let cell = used?.head ?? -1;
    let lane = used?.headLane ?? 0;
    let most = lowest;
    let left = Math.min(used?.length ?? 0, branch.length);
    for (; left > 0; left--) {
      most = Math.max(most, lane);
      lane += this.#drop[cell] ?? 0;
      cell = this.#next[cell] ?? -1;
    }
    const down = most + 1;
    const moved = { ...branch, headLane: branch.headLane + down, tailLane: branch.tailLane + down };
    if (!used || used.length <= branch.length) return { down, used: moved };
    this.#next[branch.tail] = cell;
    this.#drop[branch.tail] = lane - moved.tailLane;
    return { down, used: { ...moved, tail: used.tail, tailLane: used.tailLane, length: used.length } };
  }
}
