import type { Leaf } from './leaf.ts';
import { Said } from './said.ts';
import type { Tokens } from './tokens.ts';
import { COMMON, wordsOf } from './values.ts';

/** What comes after it is not to be: `66.3, not 29.2`. */
export const AGAINST = /\b(?:not|instead of|rather than|was|replac(?:es|ing)|than)\s+["'`]?/gi;

/** Words by which people say how far a figure is to move, and not to what. */
const MOVES =
  /\d\s?(?:%|percent|per cent|times|fold)|\b(?:factor|plus|minus|adding)\s+(?:of\s+)?\d|\bby\s+(?:a\s+)?(?:\d|half|third|quarter)|\b(?:half|a quarter|a third|a tenth)\s+(?:as much|more|less|of)\b|\b(?:halve|double|triple)[ds]?\b|\btwice\b/i;

/** One line of what was read, as words. */
export class Line {
  readonly text: string;
  readonly tokens: Tokens;
  #said: Said | undefined;
  #isAgainst: boolean | undefined;
  #isOfMoves: boolean | undefined;

  constructor(text: string, tokens: Tokens) {
    this.text = text;
    this.tokens = tokens;
  }

  /** It may say that a value is not to be. */
  get isAgainst(): boolean {
    return (this.#isAgainst ??= this.text.search(AGAINST) >= 0);
  }

  /** It may say how far a figure is to move. */
  get isOfMoves(): boolean {
    return (this.#isOfMoves ??= MOVES.test(this.text));
  }

  get said(): Said {
    return (this.#said ??= new Said(this.text, this.tokens.words));
  }
}

/** Instead of words, where nothing is said. */
const NOTHING = new Said('');

/** A list in a line. */
export interface SaidList {
  /** The sign between its values, where there are several. */
  readonly between: string;
  /** The one before what comes after them; empty where nothing does, or another field. */
  readonly next: string;
  /** The line from there on. */
  readonly text: string;
}

/** A number, without its sign, and what it is called. */
export interface Figure {
  readonly name: string;
  readonly value: number;
}

const MOST_FIGURES = 20;
const FIGURE = /^\d+(?:,\d{3})*(?:\.\d+)?$/;

/** What a line says of an entry that it names: from there up to the next name. */
export class Passage {
  readonly line: Line;
  /** Its words, by their numbers in the line; the word that names the entry. */
  readonly #from: number;
  readonly #to: number;
  readonly #name: number;
  readonly #start: number;
  readonly #end: number;
  readonly #isLast: boolean;
  /** The name is in an object, after all of its fields. */
  readonly #isInside: boolean;
  #claims: Map<readonly string[], Said> | undefined;
  #figures: readonly Figure[] | undefined;

  /** @param name number of the first word of the name @param from of the first word after it @param to of the next name */
  constructor(line: Line, name: number, from: number, to: number) {
    const { words, starts, ends } = line.tokens;
    // Names in a row share what is said after the last of them.
    const isShared = from === to;
    this.line = line;
    this.#isLast = from === words.length;
    this.#name = name;
    const inside = isShared ? openedBefore(line.text, starts[name] ?? 0) : 0;
    this.#isInside = inside > 0;
    this.#from = isShared ? (inside === 0 ? 0 : starts.findIndex((start) => start >= inside)) : from;
    this.#to = isShared ? words.length : to;
    this.#start = isShared ? inside : (ends[from - 1] ?? 0);
    this.#end = isShared ? line.text.length : (starts[to] ?? line.text.length);
  }

  get text(): string {
    return this.line.text.slice(this.#start, this.#end);
  }

  /** Whether it speaks of a field at all. */
  mentions(field: readonly string[]): boolean {
    return field.length > 0 && this.#claimStart(field, false) !== undefined;
  }

  /** What it says of a field. @param field its words; the same list for the same field @param isWhole not as a part of another name */
  claim(field: readonly string[], isWhole = false): Said | undefined {
    const known = this.#claims?.get(field);
    if (known !== undefined) return known === NOTHING ? undefined : known;
    const next = this.#claimStart(field, isWhole || this.#isInside);
    const claim = next === undefined ? undefined : (this.#saidBefore(next - field.length) ?? this.#saidFrom(next));
    (this.#claims ??= new Map()).set(field, claim ?? NOTHING);
    return claim;
  }

  /** The name of a field right before a value: empty where there is none, `undefined` where the value isn't said. */
  wordsBefore(leaf: Leaf): string | undefined {
    const value = leaf.value.length > MOST_VALUE ? [] : wordsOf(leaf.value);
    const { words } = this.line.tokens;
    let found: string | undefined;
    for (let at = this.#from; value.length > 0 && at + value.length <= this.#to; at++) {
      if (words[at] === value[0] && isFieldAt(value, words, at)) found ||= this.#nameBefore(at);
    }
    return found;
  }

  /** The numbers in it that have a name right before them. */
  get figures(): readonly Figure[] {
    return (this.#figures ??= this.#figuresIn());
  }

  #figuresIn(): readonly Figure[] {
    const { words } = this.line.tokens;
    const found: Figure[] = [];
    for (let at = this.#from; at < this.#to && found.length < MOST_FIGURES; at++) {
      const value = FIGURE.test(words[at] ?? '') ? Number(words[at]?.replaceAll(',', '')) : 0;
      const name = value > 0 ? this.#nameBefore(at) : '';
      if (name !== '') found.push({ name, value });
    }
    return found;
  }

  /** A list that begins with all these values; `undefined` where none does. */
  listOf(values: readonly (readonly string[])[]): SaidList | undefined {
    const { words, starts } = this.line.tokens;
    for (let start = this.#from; start < this.#to; start++) {
      const end = this.#endOf(values, start);
      if (end === undefined) continue;
      // What comes after it may be the last value, or something else.
      if (words[end] === 'and') return undefined;
      const [first = []] = values;
      const between = values.length < 2 ? '' : signOf(this.#gap(start + first.length));
      const rest = this.line.text.slice(starts[end]);
      const next = end < words.length && !FIELD.test(rest) ? signOf(this.#gap(end)) : '';
      return { between, next, text: CLAUSE.exec(this.line.text.slice(starts[start]))?.[0] ?? '' };
    }
    return undefined;
  }

  /** The number of the word after them. */
  #endOf(values: readonly (readonly string[])[], start: number): number | undefined {
    const { words } = this.line.tokens;
    let at = start;
    for (const [nth, value] of values.entries()) {
      if (nth > 0 && words[at] !== 'and' && !BETWEEN.test(this.#gap(at))) return undefined;
      if (nth > 0 && words[at] === 'and') at += 1;
      if (value.length === 0 || !isFieldAt(value, words, at)) return undefined;
      at += value.length;
    }
    return at;
  }

  /** The characters before a word. */
  #gap(at: number): string {
    const { starts, ends } = this.line.tokens;
    return this.line.text.slice(ends[at - 1], starts[at]);
  }

  #nameBefore(value: number): string {
    const { words } = this.line.tokens;
    if (value === this.#from || !TO_VALUE.test(this.#gap(value))) return '';
    let first = value - 1;
    while (first > this.#from && value - first < MOST_WORDS && WITHIN.test(this.#gap(first))) first--;
    const name = words.slice(first, value);
    while (COMMON.has(name.at(-1) ?? '')) name.pop();
    while (COMMON.has(name[0] ?? '')) name.shift();
    return name.join(' ');
  }

  /** From this word on, up to the end of the clause. Its words are cut out already. */
  #saidFrom(next: number): Said | undefined {
    const { words, starts, ends } = this.line.tokens;
    const from = next === this.#from ? this.#start : (ends[next - 1] ?? 0);
    const after = this.line.text.slice(from, this.#end);
    // `the price of Oak (A-1) is 7`
    const rest = next === this.#from ? after.replace(BRACKET, '') : after.replace(REST_OF_NAME, '');
    const inJson = IN_CHANGE.exec(rest) ?? IN_ROW.exec(rest) ?? IN_JSON.exec(rest);
    if (inJson === null && NOTHING_SAID.test(rest)) return undefined;
    const found = inJson ?? CLAIM.exec(rest);
    const text = found?.[1]?.replace(INSTEAD, '').trimEnd() ?? '';
    if (found === null || text === '' || AND_MORE.test(text) || OF.test(text) || QUESTION.test(text) || DID.test(text))
      return undefined;
    const end = from + after.length - rest.length + found[0].length - (found[1]?.length ?? 0) + text.length;
    let last = next;
    while ((starts[last] ?? Infinity) < end && (ends[last] ?? Infinity) <= end) last++;
    // The clause may break off inside a word.
    return (starts[last] ?? Infinity) < end ? new Said(text) : new Said(text, words.slice(next, last));
  }

  /** Of `enter 7 as price`, up to the word before the field. @param field the number of its first word */
  #saidBefore(field: number): Said | undefined {
    const { words, starts, ends } = this.line.tokens;
    const as = words[field - 1] === 'the' ? field - 2 : field - 1;
    if (words[as] !== 'as' || as <= this.#from) return undefined;
    return new Said(this.line.text.slice(starts[this.#from], ends[as - 1]), words.slice(this.#from, as));
  }

  /** The number of the first word that is said of the field. */
  #claimStart(field: readonly string[], isWhole: boolean): number | undefined {
    const [first] = field;
    // What a line ends with is what it is about, and nothing is said of it.
    if (first === undefined) return this.#isLast ? undefined : this.#from;
    if (field.length === 1 && COMMON.has(first)) return undefined;
    const { words } = this.line.tokens;
    for (let at = this.#from; at + field.length <= this.#to; at++) {
      if (words[at] === first && isFieldAt(field, words, at) && !(isWhole && this.#isInName(at, at + field.length)))
        return at + field.length;
    }
    // `the price of A-1 is now 7`
    return this.#isBefore(field, first) ? this.#from : undefined;
  }

  /** As the second word of `full_price` is. */
  #isInName(at: number, end: number): boolean {
    return (at > 0 && JOINT.test(this.#gap(at))) || (end < this.line.tokens.words.length && JOINT.test(this.#gap(end)));
  }

  /** Whether the words of the field stand shortly before the name, in one clause with it. */
  #isBefore(field: readonly string[], first: string): boolean {
    const { words, starts, ends } = this.line.tokens;
    for (let at = Math.max(0, this.#name - BEFORE); at < this.#name; at++) {
      const end = at + field.length;
      if (words[at] !== first || end > this.#name || !isFieldAt(field, words, at)) continue;
      const between = this.line.text.slice(ends[end - 1], starts[this.#name]);
      const isGiven = IS_GIVEN.test(this.line.text.slice(this.#start));
      // `zone Z-1 is done` says what Z-1 is, and `zone Z-1: north` what its zone is; not so `the rent of zone Z-1: 7`.
      if (end === this.#name && (!isGiven || IS_OF.test(this.line.text.slice(0, starts[at])))) continue;
      // `a letter from the owner about Z-1: the rent is 7` says nothing of the owner.
      if (end < this.#name && isGiven && !WHOSE.test(between)) continue;
      if (!ANOTHER.test(between)) return true;
    }
    return false;
  }
}

/** Where the object begins in which the name is; what is before it is about something else. */
function openedBefore(text: string, name: number): number {
  const at = text.lastIndexOf('{', name);
  return at < 0 || text.slice(at, name).includes('}') ? 0 : at + 1;
}

const BEFORE = 6;
const MOST_VALUE = 80;
const MOST_WORDS = 3;
/** Between the name of a field and its value, and between the words of a name. */
const TO_VALUE = /^[)"'`]*\s*[:=]?\s*["'`(]*(?:(?<=.)[-+])?$/;
const WITHIN = /^(?:[ _-]?| \()$/;
/** Of one name, as programs spell it. */
const JOINT = /^_?$/;
/** Between the values of a list. */
const BETWEEN = /^\\?["'`]*\s*([,;|/+])\s*\\?["'`]*$/;
const signOf = (gap: string): string => BETWEEN.exec(gap)?.[1] ?? '';
/** The name of the next field. */
const FIELD = /^[^,;|/+]{1,40}[:=]\s/;
const CLAUSE = /^[^\n\]]{0,80}/;
/** After `"price` of `{"price":7,"unit":"kg"}`. */
const IN_JSON = /^[^"\\,:{}[\]]{0,30}\\?"\s*:\s*(?:\\?"(?=[^"])|(?=[\w.-]))((?:\\[^"]|[^"\\,}\]]|,\s){1,80})/;
/** After `"price` of `{"field":"price","from":5,"to":7}`. */
const IN_CHANGE =
  /^\\?"\s*,[^{}]{0,80}?"(?:now|new|current|to|value|after)(?:_?value)?\\?"\s*:\s*(?:\\?"(?=[^"])|(?=[\w.-]))((?:\\[^"]|[^"\\,}\]]|,\s){1,80})/i;
/** The same of what is told as `field price, from 5, to 7`. */
const IN_ROW = /^,(?:[^{}]{0,80}?,)? (?:now|new|current|value|after|to(?= ["\d-]))(?:_?value)? ((?:(?!,\s|;).){1,80})/;
/** The name of the field ends its sentence, or its item. */
const NOTHING_SAID = /^["'`]?[.,;)\]}]/;
/** Of `handling_note: dry`. */
const REST_OF_NAME = /^[_-][\p{L}\p{N}_-]{1,20}\s*[:=](?=\s)/u;
/** The end of the one in which the name is. */
const BRACKET = /^["'`]?[)\]]/;
/** Between the name of a field and that of its entry: `price of A-1`. */
const WHOSE = /^\s*["'`(]?(?:of|for|in|on|at)\b/i;
/** Before what an entry is called. */
const IS_OF = /\b(?:of|for)\s+(?:the\s+)?$/i;
/** Between the name of an entry and a value. */
const IS_GIVEN = /^["'`)\]]*\s*(?:[:=→]|->|to\s)/;
/** What comes after it is something else, as the next member of an object is. */
const ANOTHER = /[:;={}[\]]/;
/** `B-3 and 2 more`. */
const AND_MORE = /^(?:and\s|\+\s?)\d+\s(?:more|others?)\b/i;
/** What it was before. */
const INSTEAD = /\s(?:instead of|rather than|in place of)\s.*$/i;
/** What somebody did: `called: the number is 7`. */
const DID = /^\p{Ll}[\p{Ll} ]*(?<!\b(?:is|be|to|now)):\s/u;
/** What is asked isn't said. */
const QUESTION = /[^\s?]\?(?:\s|$)/;
/** Whose it is or what is wrong with it, and not what it is. */
const OF = /^(?:(?:of|for)\b|(?:is|was|are) (?:not|wrong|invalid)\b)/i;
/** Not at the point of `Dr.` or `St.`. */
const CLAIM = /^[\s:=]*((?:(?!,\s|;|(?<!\b\p{Lu}\p{Ll}{0,2})\.\s|$).){0,80})/u;

const isFieldAt = (field: readonly string[], words: readonly string[], at: number): boolean =>
  field.every((word, offset) => words[at + offset] === word);
