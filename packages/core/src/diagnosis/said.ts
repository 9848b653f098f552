import { dayOf, daysIn } from './days.ts';
import type { Leaf } from './leaf.ts';
import { COMMON, joinedWords, numbersIn } from './values.ts';

/** A moment, with its zone. */
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)/g;
const ONE_INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)$/;

/** Words that may say what a value is; many values are held against the same ones. */
export class Said {
  readonly text: string;
  #numbers: readonly number[] | undefined;
  #instants: readonly number[] | undefined;
  #days: readonly string[] | undefined;
  #joined: string | undefined;
  #words: readonly string[] | undefined;

  /** @param words of the text, where somebody cut it into them before */
  constructor(text: string, words?: readonly string[]) {
    this.text = text;
    this.#words = words;
  }

  get numbers(): readonly number[] {
    return (this.#numbers ??= numbersIn(this.text));
  }
  get joined(): string {
    return (this.#joined ??= this.#words === undefined ? joinedWords(this.text) : this.#words.join(' '));
  }
  get words(): readonly string[] {
    return (this.#words ??= this.joined.split(' '));
  }

  /** Moments, in milliseconds. */
  get instants(): readonly number[] {
    return (this.#instants ??= (this.text.match(INSTANT) ?? []).map((one) => Date.parse(one)));
  }

  /** As `daysIn`. */
  get days(): readonly string[] {
    return (this.#days ??= daysIn(this.text));
  }

  /** `undefined` where the words say nothing of such a value. */
  agreesWith(leaf: Leaf): boolean | undefined {
    if (leaf.number !== undefined) {
      if (leaf.value === this.text) return true;
      return this.numbers.length === 0 ? undefined : this.numbers.includes(leaf.number);
    }
    if (leaf.kind === 'boolean') {
      if (this.words.includes(leaf.value)) return true;
      return this.words.includes(leaf.value === 'true' ? 'false' : 'true') ? false : undefined;
    }
    if (leaf.kind !== 'string' || this.joined === '') return undefined;
    if (leaf.value.length < 36 && ONE_INSTANT.test(leaf.value) && this.instants.length > 0) {
      return this.instants.includes(Date.parse(leaf.value));
    }
    const day = dayOf(leaf.value);
    if (day !== undefined && this.days.length > 0 && leaf.value.length === DATE) return this.days.includes(day);
    return this.#agreesWithText(leaf);
  }

  #agreesWithText(leaf: Leaf): boolean | undefined {
    const said = this.joined.replace(IS, '');
    if (/^[\d\s.,]+$/.test(said) && !/\d/.test(leaf.value)) return undefined;
    const value = leaf.value === this.text ? said : leaf.joined;
    if (value === '' || this.words.every((word) => COMMON.has(word))) return undefined;
    // An initial is what is left of a name that was cut at its point.
    if (said.length <= 2 && value.length > 4) return undefined;
    if (goesOn(said, value) && !endsWith(this.text, leaf.value)) return false;
    if (holdsWords(said, value.slice(0, 200)) || leaf.value.startsWith(`${this.text},`)) return true;
    // A claim ends with its first sentence, a value may have more; a long one breaks off anywhere.
    return said.length > 12 && value.startsWith(said) && (said.length > BROKEN || value[said.length] === ' ');
  }
}

/** Before a value: `is now`, `to`. */
const IS = /^(?:(?:is|are|was|now|to|be)\s)+(?=\S)/;
const BROKEN = 60;

/** The words begin as the value does and go on where it breaks off: it was cut. */
function goesOn(said: string, value: string): boolean {
  return (
    said.length > value.length && said.startsWith(value) && said[value.length] === ' ' && value.split(' ').length >= 3
  );
}

/** The value ends there, as at the bracket of `blank series (as spelled by the curator)`. */
function endsWith(text: string, value: string): boolean {
  const at = text.indexOf(value);
  return at >= 0 && END.test(text.slice(at + value.length));
}

const END = /^\s*[^\p{L}\p{N}\s]/u;

/** Whole words, in a row. */
function holdsWords(said: string, words: string): boolean {
  for (let at = said.indexOf(words); at >= 0; at = said.indexOf(words, at + 1)) {
    const end = at + words.length;
    if ((at === 0 || said[at - 1] === ' ') && (end === said.length || said[end] === ' ')) return true;
  }
  return false;
}

/** Characters of a date without a time. */
const DATE = 10;
