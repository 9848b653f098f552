import type { Leaf } from './leaf.ts';
import { GARBLED, isLikeId, SENTENCE_END } from './siblings.ts';

/** Fewer values say nothing of what is usual. */
const FEWEST = 3;
/** So much of them is rare, and so much is nearly all. */
const RARE = 0.25;
const UNIQUE = 0.75;
/** Share of them that has to agree before one that does not is odd. */
const AGREED = 0.7;
const ENDED = 0.8;
/** A size so many times smaller or larger than all others is far from them. */
const FAR = 1.7;

/** How odd a value is at first sight, by what is odd about it. */
const ODD = { alone: 0.2, kind: 0.9, sign: 0.9, zero: 0.6, far: 0.8, end: 0.35, digits: 0.5 } as const;
const ODD_TEXT = { garbled: 0.8, empty: 0.8, cut: 0.95, spelling: 0.9, few: 0.6, twice: 1 } as const;

/**
 * What all values are like that the entries of a list ever had in one field. Built in one go over a run, it tells which
 * of them can be odd at all: to compare each with the entries beside it costs far more, and most are not.
 */
export class Spread {
  readonly #kinds = new Map<Leaf['kind'], number>();
  #count = 0;
  readonly #numbers = new Sizes();
  readonly #texts = new Spellings();

  enter(leaf: Leaf): void {
    this.#count += 1;
    this.#kinds.set(leaf.kind, (this.#kinds.get(leaf.kind) ?? 0) + 1);
    if (leaf.number !== undefined) this.#numbers.enter(leaf.number);
    if (leaf.kind === 'string') this.#texts.enter(leaf.value);
  }

  /** 0 to 1. @param leaf one that was entered */
  oddness(leaf: Leaf): number {
    if (this.#count < FEWEST) return ODD.alone;
    const kinds = this.#kinds.get(leaf.kind) ?? 0;
    const own = kinds <= this.#count * RARE && this.#usual() >= this.#count * AGREED ? ODD.kind : 0;
    const size = leaf.number === undefined ? 0 : this.#numbers.oddness(leaf.number);
    const text = leaf.kind === 'string' ? this.#texts.oddness(leaf.value) : 0;
    return Math.max(own, size, text);
  }

  /** How many there are. */
  get count(): number {
    return this.#count;
  }

  /** How many are of the most frequent kind. */
  #usual(): number {
    return Math.max(...this.#kinds.values());
  }
}

class Sizes {
  #count = 0;
  #positive = 0;
  #negative = 0;
  #whole = 0;
  /** The smallest and the largest size, and the ones next to them. */
  #least = Infinity;
  #second = Infinity;
  #most = 0;
  #last = 0;

  enter(value: number): void {
    this.#count += 1;
    if (Number.isInteger(value)) this.#whole += 1;
    if (value > 0) this.#positive += 1;
    else if (value < 0) this.#negative += 1;
    else return;
    const size = Math.abs(value);
    if (size <= this.#least) [this.#least, this.#second] = [size, this.#least];
    else if (size < this.#second) this.#second = size;
    if (size >= this.#most) [this.#most, this.#last] = [size, this.#most];
    else if (size > this.#last) this.#last = size;
  }

  oddness(value: number): number {
    const few = this.#count * RARE;
    const zeros = this.#count - this.#positive - this.#negative;
    if (value === 0) return zeros <= few ? ODD.zero : 0;
    if ((value > 0 ? this.#positive : this.#negative) <= few) return ODD.sign;
    const size = Math.abs(value);
    const least = size === this.#least ? this.#second : this.#least;
    const most = size === this.#most ? this.#last : this.#most;
    if (size * FAR <= least || size >= most * FAR) return ODD.far;
    const isEnd = size < least || size > most;
    const alike = Number.isInteger(value) ? this.#whole : this.#count - this.#whole;
    return isEnd ? ODD.end : alike <= this.#count * RARE ? ODD.digits : 0;
  }
}

class Spellings {
  #count = 0;
  #prose = 0;
  #ended = 0;
  readonly #spellings = new Map<number, number>();
  /** How many have the most frequent spelling. */
  #agreed = 0;
  readonly #values = new Map<string, number>();

  enter(value: string): void {
    this.#count += 1;
    const spelling = spellingOf(value);
    const times = (this.#spellings.get(spelling) ?? 0) + 1;
    this.#spellings.set(spelling, times);
    if (times > this.#agreed) this.#agreed = times;
    this.#values.set(value, (this.#values.get(value) ?? 0) + 1);
    if (isLong(value)) this.#prose += 1;
    if (SENTENCE_END.test(value)) this.#ended += 1;
  }

  oddness(value: string): number {
    if (value.trim() === '') return ODD_TEXT.empty;
    if (GARBLED.test(value)) return ODD_TEXT.garbled;
    const all = this.#count;
    if (isLong(value) || this.#prose > all / 2) {
      return this.#ended > all * ENDED && !SENTENCE_END.test(value) ? ODD_TEXT.cut : 0;
    }
    const times = this.#values.get(value) ?? 0;
    const distinct = this.#values.size;
    if (times > 1 && distinct > all * UNIQUE && isLikeId(value)) return ODD_TEXT.twice;
    if (this.#agreed >= all * AGREED && (this.#spellings.get(spellingOf(value)) ?? 0) <= all * RARE) {
      return ODD_TEXT.spelling;
    }
    return times === 1 && distinct <= Math.max(3, all / 3) ? ODD_TEXT.few : 0;
  }
}

const LONG = 16;

/** A sentence rather than a name: the cheap half of `isProse`. */
function isLong(value: string): boolean {
  if (value.length <= LONG) return false;
  const first = value.indexOf(' ');
  return first > 0 && value.indexOf(' ', first + 1) > 0;
}

const SPELLED = 32;
const [SPACE, DIGIT, UPPER, LOWER] = [1, 2, 3, 4];

/** A number for how a text is spelled: runs of letters, digits and spaces count once, as in `shapeOf`. */
function spellingOf(value: string): number {
  let hash = 7;
  let last = 0;
  for (let at = 0; at < value.length && at < SPELLED; at++) {
    const kind = kindOf(value.charCodeAt(at));
    if (kind === last && kind <= LOWER) continue;
    hash = (Math.imul(hash, 31) + kind) | 0;
    last = kind;
  }
  return hash;
}

function kindOf(code: number): number {
  if (code >= 0x61 ? code <= 0x7a || code > 0x7f : false) return LOWER;
  if (code >= 0x41 && code <= 0x5a) return UPPER;
  if (code >= 0x30 && code <= 0x39) return DIGIT;
  return code <= 0x20 ? SPACE : code;
}
