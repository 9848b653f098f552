import type { Event } from './events.ts';
import { isBlank, type Leaf } from './leaf.ts';
import { decimalsOf } from './values.ts';

const FEWEST = 3;
/** Share of a group that has to do the same. */
const NEARLY_ALL = 0.75;
/** Pairs of values from which a line is drawn. */
const TRIED = 4;

/** What one step did to the same field of many entries: a factor, a change of units, a next stage, another spelling. */
export class Act {
  readonly #group: readonly Event[];
  readonly #line: Line | undefined;
  readonly #next: ReadonlyMap<string, ReadonlyMap<string, number>>;

  /** @param group changes of one slot in one step */
  constructor(group: readonly Event[]) {
    this.#group = group.filter(({ before }) => !isBlank(before));
    this.#line = lineOf(this.#group);
    this.#next = nextOf(this.#group);
  }

  /** It would have changed too. */
  isFor(leaf: Leaf | undefined): boolean {
    if (leaf === undefined || isBlank(leaf) || this.#group.length < FEWEST) return false;
    const ways = this.#next.get(leaf.text);
    if (ways !== undefined) return Math.max(...ways.values()) > 1;
    if (this.#line !== undefined && leaf.number !== undefined) return isMovedBy(this.#line, leaf);
    return this.#isRespelt(leaf);
  }

  /** What the others became from the same, or by the same line, and this did not. */
  isOff({ before, after }: Event): boolean {
    if (before === undefined || after === undefined || isBlank(before) || this.#group.length <= FEWEST) return false;
    if (this.#line !== undefined && before.number !== undefined)
      return after.number === undefined || !isOn(this.#line, before, after);
    const ways = this.#next.get(before.text);
    return ways?.get(after.text) === 1 && Math.max(...ways.values()) > 2;
  }

  /** Nothing else was done to it than to the others. */
  isPart({ before, after }: Event): boolean {
    if (before === undefined || after === undefined || isBlank(before)) return false;
    return this.#line !== undefined && isMovedBy(this.#line, before) && isOn(this.#line, before, after);
  }

  #isRespelt(leaf: Leaf): boolean {
    const [first] = this.#group;
    const [was, is] = [spelling(first?.before), spelling(first?.after)];
    if (was === is || spelling(leaf) !== was) return false;
    return this.#group.every(({ before, after }) => spelling(before) === was && spelling(after) === is);
  }
}

const spelling = (leaf: Leaf | undefined): string => (leaf === undefined ? '' : `${leaf.kind} ${leaf.shape}`);

interface Line {
  readonly slope: number;
  readonly offset: number;
}

const valueOn = ({ slope, offset }: Line, { number = 0 }: Leaf): number => number * slope + offset;

/** As far as it is rounded. */
const roundingOf = (expected: number, { value }: Leaf): number =>
  Math.abs(expected) * 1e-3 + 0.51 * 10 ** -decimalsOf(value);

function isOn(line: Line, before: Leaf, after: Leaf): boolean {
  const expected = valueOn(line, before);
  return Math.abs(expected - (after.number ?? Number.NaN)) <= roundingOf(expected, after);
}

/** It is moved, and not by as little as it may be rounded. */
function isMovedBy(line: Line, leaf: Leaf): boolean {
  const expected = valueOn(line, leaf);
  return Math.abs(expected - (leaf.number ?? expected)) > FAR * roundingOf(expected, leaf);
}

const FAR = 4;

/** The line on which nearly all of them moved: through nothing, or through two of them. */
function lineOf(group: readonly Event[]): Line | undefined {
  const pairs = group.flatMap(({ before, after }) =>
    before?.number === undefined || after?.number === undefined
      ? []
      : [{ before, after, x: before.number, y: after.number }],
  );
  const enough = Math.max(FEWEST, group.length * NEARLY_ALL);
  if (pairs.length < enough) return undefined;
  const tried: Line[] = [];
  for (const [at, one] of pairs.slice(0, TRIED).entries()) {
    if (one.x !== 0) tried.push({ slope: one.y / one.x, offset: 0 });
    // What is counted up has its reasons, one by one.
    if (Math.abs(one.y - one.x) !== 1) tried.push({ slope: 1, offset: one.y - one.x });
    for (const other of pairs.slice(at + 1, TRIED)) {
      const slope = (other.y - one.y) / (other.x - one.x);
      // Two points are on some line, whatever was done.
      if (pairs.length > FEWEST && Number.isFinite(slope) && slope !== 0)
        tried.push({ slope, offset: one.y - slope * one.x });
    }
  }
  let best: Line | undefined;
  let most = enough - 1;
  for (const line of tried) {
    const of = pairs.filter(({ before, after }) => isMovedBy(line, before) && isOn(line, before, after)).length;
    if (of > most) [best, most] = [line, of];
  }
  return best;
}

/** By what was there, what came in its place and how often. */
function nextOf(group: readonly Event[]): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const next = new Map<string, Map<string, number>>();
  for (const { before, after } of group) {
    const from = before?.text ?? '';
    const to = after?.text ?? '';
    const ways = next.get(from) ?? new Map<string, number>();
    next.set(from, ways.set(to, (ways.get(to) ?? 0) + 1));
  }
  return next;
}
