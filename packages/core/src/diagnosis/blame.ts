import { formatPath } from '../json/path.ts';
import { COMMON, kept, numbersIn, wordsOf } from './values.ts';
import type { Event } from './events.ts';
import type { Leaf } from './leaf.ts';
import type { Place } from './place.ts';

interface NamedField {
  readonly strength: number;
  /** The last step of the path is named, not only one above it. */
  readonly isOwn: boolean;
  readonly word?: string;
}

/** What the error says of one step of a path. */
interface Step {
  /** Its words that the error has. */
  readonly words: readonly string[];
  readonly field: NamedField;
  /** A path that the error spells out may end with it. */
  readonly mayEnd: boolean;
}

interface Named {
  readonly isPointedAt: boolean;
  readonly name?: string;
  readonly field: NamedField;
}

const NO_WORDS: readonly string[] = [];
const NO_FIELD: NamedField = { strength: 0, isOwn: false };
const NOT_NAMED: Named = { isPointedAt: false, field: NO_FIELD };
const NOTHING = { strength: 0 };

/** As many characters may one be in JSON, and twice the error. */
const MOST_ESCAPED = 13;

/** Levels above the state that a program knows: a store puts it into its own. */
const MOST_ABOVE = 3;

/** What the words of the error say about places. */
export class Blame {
  readonly #text: string;
  /** It has a sign that paths and pointers have. */
  readonly #hasPath: boolean;
  /** Its words, and in how many slots each is. */
  readonly #spoken: ReadonlySet<string>;
  readonly #counts = new Map<string, number>();
  readonly #numbers: ReadonlySet<number>;
  /** By the number of the key. */
  readonly #places: (Named | undefined)[] = [];
  /** Whether the error says a name. */
  readonly #said = new Map<string, boolean>();
  readonly #steps = new Map<string, Step>();
  /** By the names themselves, which the fields of an entry share. */
  readonly #names = new Map<readonly string[], { readonly name: string | undefined }>();
  /** By the number of the key. */
  readonly #ways: (readonly string[] | undefined)[] = [];

  /** @param events of the whole run: a word that half of all places have in common says nothing */
  constructor(error: string, events: readonly Event[]) {
    this.#text = error.toLowerCase();
    this.#hasPath = /[/[.]/.test(error);
    this.#numbers = new Set(numbersIn(error));
    this.#spoken = new Set(wordsOf(error).filter((word) => word.length > 1 && !COMMON.has(word)));
    if (this.#spoken.size > 0) this.#countWords(events);
  }

  /** In how many slots each word of the error is. */
  #countWords(events: readonly Event[]): void {
    const seen: true[] = [];
    for (let at = events.length - 1; at >= 0; at--) {
      const event = events[at];
      if (event === undefined || seen[event.slot.id]) continue;
      seen[event.slot.id] = true;
      const words = this.#way(event.place);
      for (const [nth, word] of words.entries()) {
        if (words.indexOf(word) === nth) this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
      }
    }
  }

  /** 0 to 1: how well the error names this place. */
  of(event: Event): { readonly strength: number; readonly named?: string } {
    if (this.#text === '') return NOTHING;
    const { isPointedAt, name, field } = this.#place(event);
    if (isPointedAt) return { strength: 2, named: formatPath(event.path) };
    const said = this.#saidValue(event);
    const isSaid = said !== undefined;
    if (name === undefined && field === NO_FIELD && !isSaid) return NOTHING;
    // Of an entry inside another one, it has to name the inner.
    const isInner = name !== undefined && name === event.names.at(-1);
    const both = isInner && field.isOwn ? 0.4 : 0;
    const strength =
      Math.min(1, (name ? (isInner ? 0.55 : 0.3) : 0) + field.strength * 0.6 + (isSaid ? 0.45 : 0)) + both;
    const named = name ?? said ?? field.word;
    return named === undefined ? { strength } : { strength, named };
  }

  /** What does not depend on the value. */
  #place(event: Event): Named {
    const known = this.#places[event.key.id];
    if (known) return known;
    const name = this.#nameIn(event.names);
    const field = this.#field(event);
    const isPointedAt = this.#isPointedAt(event);
    const isNothing = name === undefined && field === NO_FIELD && !isPointedAt;
    const named = isNothing ? NOT_NAMED : { isPointedAt, field, ...(name === undefined ? {} : { name }) };
    return (this.#places[event.key.id] = named);
  }

  /** The innermost of the names of an entry that the error says; all its fields share them. */
  #nameIn(names: readonly string[]): string | undefined {
    if (names.length === 0) return undefined;
    const known = this.#names.get(names);
    if (known !== undefined) return known.name;
    const name = names.findLast((one) => one.length > 1 && this.#says(one));
    this.#names.set(names, { name });
    return name;
  }

  /** Its number or the one before, or its text as words of its own, where the error says that. */
  #saidValue({ after, before }: Event): string | undefined {
    const number = this.#numbers.size === 0 ? undefined : [after, before].find((leaf) => this.#saysNumber(leaf));
    if (number !== undefined) return number.value;
    if (after?.kind !== 'string' || after.end - after.start > this.#text.length * MOST_ESCAPED) return undefined;
    const { value } = after;
    const isShort = value.length > 2 && value.length <= this.#text.length * 2;
    return isShort && holdsWord(this.#text, value.toLowerCase()) ? value : undefined;
  }

  #saysNumber(leaf: Leaf | undefined): boolean {
    return leaf?.number !== undefined && Math.abs(leaf.number) > 1 && this.#numbers.has(leaf.number);
  }

  #says(name: string): boolean {
    return kept(this.#said, name, () => holdsWord(this.#text, name.toLowerCase()));
  }

  /** What it says of a step, which very many paths have. */
  #step(step: string): Step {
    const known = this.#steps.get(step);
    if (known) return known;
    const key = step.toLowerCase();
    const isNamed = key.length > 1 && /\p{L}/u.test(key) && holdsWord(this.#text, key);
    const words = wordsOf(step).filter((one) => this.#spoken.has(one) || this.#spoken.has(singular(one)));
    // `pH` falls apart into two letters, and is named all the same.
    const field = isNamed ? { strength: 0.6, isOwn: true, word: key } : NO_FIELD;
    const mayEnd = !PLAIN.test(key) || this.#text.includes(key);
    const made = { words: words.length > 0 ? words : NO_WORDS, field, mayEnd };
    this.#steps.set(step, made);
    return made;
  }

  /** As a JSON pointer, or as a path; from the root, or from where the program's own state begins. */
  #isPointedAt({ place }: Event): boolean {
    if (place.depth < 2 || !this.#hasPath) return false;
    if (!this.#step(String(place.step)).mayEnd) return false;
    const { path, collection = path.length } = place;
    // Without the step to its entry it is the path of any entry.
    const most = Math.min(MOST_ABOVE, path.length - 1, collection + 1);
    const starts = Array.from({ length: most }, (_, start) => path.slice(start));
    return starts.some((rest) => {
      const pointer = `/${rest.join('/')}`.toLowerCase();
      const shown = formatPath(rest).slice(2).toLowerCase();
      return [pointer, shown].some((one) => holdsWord(this.#text, one));
    });
  }

  #field({ place }: Event): NamedField {
    const step = typeof place.step === 'string' ? this.#step(place.step) : undefined;
    const own = step?.words ?? NO_WORDS;
    const named = step?.field ?? NO_FIELD;
    let strength = 0;
    let isOwn = false;
    let word: string | undefined;
    for (const [at, one] of this.#way(place).entries()) {
      const weight = this.#weight(one);
      if (weight === 0 || this.#way(place).indexOf(one) < at) continue;
      strength += weight * (own.includes(one) ? 1 : 0.4);
      isOwn ||= own.includes(one);
      word ??= this.#spoken.has(one) ? one : singular(one);
    }
    if (word === undefined || (!isOwn && named.isOwn)) return named;
    return { strength: Math.min(1, strength), isOwn, word };
  }

  /** The words of all steps to a place that the error has; mostly those of the place around it. */
  #way({ parent, step, key: { id } }: Place): readonly string[] {
    if (parent === undefined) return NO_WORDS;
    const known = this.#ways[id];
    if (known !== undefined) return known;
    const above = this.#way(parent);
    const own = typeof step === 'string' ? this.#step(step).words : NO_WORDS;
    return (this.#ways[id] = own.length === 0 ? above : [...above, ...own]);
  }

  /** A word that half of all places have in common says little. */
  #weight(word: string): number {
    const count = this.#countOf(word) || this.#countOf(singular(word));
    return count === 0 ? 0 : 1 / Math.log2(1 + count);
  }

  #countOf = (word: string): number => (this.#spoken.has(word) ? (this.#counts.get(word) ?? 0) : 0);
}

/** Characters that every spelling of a path has unescaped. */
const PLAIN = /^[ !#-[\]-~]+$/;

const singular = (word: string): string => (word.endsWith('s') ? word.slice(0, -1) : `${word}s`);

const LETTER = /[\p{L}\p{N}]/u;

/** As words of its own: `A-1` is not in `A-12`. */
export function holdsWord(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const [before = ' ', after = ' '] = [text[at - 1], text[at + name.length]];
    const [first = ' ', last = ' '] = [name[0], name.at(-1)];
    if (!(LETTER.test(before) && LETTER.test(first)) && !(LETTER.test(after) && LETTER.test(last))) return true;
  }
  return false;
}
