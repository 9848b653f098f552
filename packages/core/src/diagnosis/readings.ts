import type { Aliases } from './aliases.ts';
import { dayOf, daysIn } from './days.ts';
import type { Event } from './events.ts';
import type { Fields } from './fields.ts';
import type { Leaf } from './leaf.ts';
import type { Label, Place } from './place.ts';
import { Line, Passage } from './passages.ts';
import type { Said } from './said.ts';
import type { Texts } from './tokens.ts';
import { linesOf } from './records.ts';
import { saysMove } from './relative.ts';
import { joined, numbersIn, wordsOf } from './values.ts';

const MOST_TEXT = 40_000;
/** Words in the longest name that is looked for. */
const NAME_WORDS = 12;

/** The names of all entries of a run. */
export class Names {
  /** With the lists whose entries are called so. */
  readonly #names = new Map<string, Set<Label>>();
  /** The first words of names of several words. */
  readonly #beginnings = new Set<string>();

  /** @param list of which it is an entry */
  add(name: string, list?: Label): void {
    const words = joined(name);
    if (words === '') return;
    let lists = this.#names.get(words);
    if (lists === undefined) {
      this.#names.set(words, (lists = new Set()));
      for (let at = words.indexOf(' '); at >= 0; at = words.indexOf(' ', at + 1)) {
        this.#beginnings.add(words.slice(0, at));
      }
    }
    if (list !== undefined) lists.add(list);
  }

  /** Whether two names may be those of entries of one list. */
  areAlike(one: string, other: string): boolean {
    const lists = this.#names.get(other);
    return [...(this.#names.get(one) ?? [])].some((list) => lists?.has(list));
  }

  /** The lists that have an entry of this name. */
  listsOf(name: string): Iterable<Label> {
    return this.#names.get(name) ?? [];
  }

  /** Adds all names that are in these words, each as its own words. */
  addNamed(words: readonly string[], found: Set<string>): void {
    for (let at = 0; at < words.length; at++) {
      let name = words[at] ?? '';
      for (let end = at + 1; ; end++) {
        if (this.#names.has(name)) found.add(name);
        if (end >= words.length || !this.#beginnings.has(name)) break;
        name = `${name} ${words[end]}`;
      }
    }
  }

  /** Whether these words are a name, all of them. */
  isOne(words: readonly string[]): boolean {
    return words.length > 0 && this.#names.has(words.join(' '));
  }

  /** How many words the longest name that begins at a word has; 0 where none does. */
  lengthAt(words: readonly string[], at: number): number {
    let length = 0;
    let name = words[at] ?? '';
    for (let end = at + 1; ; end++) {
      if (this.#names.has(name)) length = end - at;
      if (end - at === NAME_WORDS || end >= words.length || !this.#beginnings.has(name)) return length;
      name = `${name} ${words[end]}`;
    }
  }
}

/** What one step brought to read: its description, new messages, answers of tools. */
export class Reading {
  readonly words = new Set<string>();
  /** Its title, and what it read. */
  readonly lines: readonly Line[];
  /** Where it names an entry: what is said from there up to the next name. */
  readonly about: ReadonlyMap<string, readonly Passage[]>;
  /** Entries that the step's own title names. */
  readonly titled: ReadonlySet<string>;
  readonly read: string;
  readonly #title: string;
  #text: string | undefined;
  #general: readonly Line[] | undefined;
  #numbers: ReadonlySet<number> | undefined;
  #days: ReadonlySet<string> | undefined;

  constructor(texts: readonly string[], names: Names, known: Texts, title = '') {
    this.#title = title;
    this.read = texts.join('\n').slice(0, MOST_TEXT);
    const about = new Map<string, Passage[]>();
    // What is said of an entry may be said in the sentences after the one that names it.
    const read = linesOf(this.read, (words) => names.isOne(words)).map((text) => new Line(text, known.tokens(text)));
    const titled = new Map<string, Passage[]>();
    const head = new Line(title, known.tokens(title));
    this.lines = [head, ...read];
    for (const line of read) this.#enter(line, names, about);
    this.#enter(head, names, titled);
    // A title names entries, and says nothing of them.
    for (const name of titled.keys()) if (!about.has(name)) about.set(name, []);
    this.about = about;
    this.titled = new Set(titled.keys());
  }

  #enter(line: Line, names: Names, about: Map<string, Passage[]>): void {
    const { words } = line.tokens;
    for (const word of words) this.words.add(word);
    const open: Named[] = [];
    for (let at = 0; at < words.length; at++) {
      const length = names.lengthAt(words, at);
      if (length === 0) continue;
      const name = words.slice(at, at + length).join(' ');
      // In what is said of an order, its customer may be named: both end with the next order.
      const alike = open.findIndex((one) => names.areAlike(one.name, name));
      for (const ended of alike < 0 ? [] : open.splice(alike)) {
        add(about, ended.name, new Passage(line, ended.at, ended.end, at));
      }
      open.push({ name, at, end: at + length });
      at += length - 1;
    }
    for (const { name, at, end } of open) add(about, name, new Passage(line, at, end, words.length));
  }

  /** Whether it can say anything of a field: its first word is in it. */
  mentions([first]: readonly string[]): boolean {
    return first === undefined || this.words.has(first);
  }

  /** Lines that name no entry: what they ask for may be for all. */
  get general(): readonly Line[] {
    if (this.#general !== undefined) return this.#general;
    const named = new Set([...this.about.values()].flatMap((passages) => passages.map(({ line }) => line)));
    return (this.#general = this.lines.filter((line) => !named.has(line)));
  }

  get text(): string {
    return (this.#text ??= `${this.#title}\n${this.read}`.toLowerCase());
  }

  /** As `daysIn`. */
  get days(): ReadonlySet<string> {
    return (this.#days ??= new Set(daysIn(this.read)));
  }

  get numbers(): ReadonlySet<number> {
    return (this.#numbers ??= new Set(numbersIn(this.read, MOST_TEXT)));
  }
}

/** A name, and where in its line. */
interface Named {
  readonly name: string;
  readonly at: number;
  readonly end: number;
}

function add(about: Map<string, Passage[]>, name: string, passage: Passage): void {
  const known = about.get(name);
  if (known) known.push(passage);
  else about.set(name, [passage]);
}

/** How the reading bears on a value that a step wrote. */
export interface Backing {
  /** It says so: of exactly this field of this entry (3), in a line about the entry (2), anywhere (1). */
  readonly backed: 0 | 1 | 2 | 3;
  /** A line about the entry has just this figure or name, whatever it says of it. */
  readonly isExact: boolean;
  /** It says that a figure is to move as it did, or that this word is to be in the place of one. */
  readonly isAsked: boolean;
  /** It says so in words, and does not only list it with the other fields. Seldom asked, and not cheap. */
  readonly isSaid: () => boolean;
  /** It names the entry. */
  readonly isNamed: boolean;
  /** Of what has no value any longer: it speaks of the field of this entry. */
  readonly isMentioned: boolean;
  /** What is said of the entry has something without a value. */
  readonly isAbsent: boolean;
}

/** Small numbers and single letters are in many texts by chance, and flags in none. */
export function canBeRead(leaf: Leaf | undefined): boolean {
  if (leaf?.number !== undefined) return Math.abs(leaf.number) >= 10 || !Number.isInteger(leaf.number);
  return leaf?.kind === 'string' && leaf.value.length >= 3;
}

/** Steps back in which a value may have been read. */
const WINDOW = 4;

export function backingOf(
  { place, step: own, before, after }: Event,
  readings: readonly (Reading | undefined)[],
  { aliases, fields }: { readonly aliases: Aliases; readonly fields: Fields },
): Backing {
  const called = fields.of(place);
  const isWhole = fields.isCalledSo(place);
  const names = [...place.spoken, ...aliases.of(place)];
  let backed: Backing['backed'] = 0;
  let isExact = false;
  let isAsked = false;
  let isNamed = false;
  let isMentioned = false;
  let isAbsent = false;
  let claims: Stated[] | undefined;
  for (let step = own; step > own - WINDOW && step >= 0; step--) {
    const reading = readings[step];
    if (reading === undefined) continue;
    const name = names.findLast((one) => reading.about.has(one));
    if (step === own && name !== undefined) isNamed = true;
    if (after === undefined) continue;
    const mentioned = name === undefined ? NO_NAMES : called.filter((field) => reading.mentions(field));
    for (const passage of name === undefined ? NOTHING : (reading.about.get(name) ?? NOTHING)) {
      if (step === own) isAbsent ||= ABSENT.test(passage.text);
      if (step === own && after.kind === 'null' && isSaidEmpty(passage)) isMentioned = isAsked = true;
      for (const field of mentioned) {
        const claim = passage.claim(field, isWhole);
        if (step === own && after.kind === 'null') isMentioned ||= passage.mentions(field);
        if (claim?.agreesWith(after) !== true) continue;
        backed = 3;
        (claims ??= []).push({ passage, field, claim });
      }
      if (backed < 2 && isInLine(after, passage)) {
        backed = 2;
        isExact = isSpecific(after);
      }
      if (before !== undefined && saysMove(passage.line, before, after)) isAsked = true;
    }
    if (step === own && before !== undefined && !isAsked)
      isAsked = reading.general.some((line) => saysMove(line, before, after));
    // What is part of no entry has no name by which it could be spoken of.
    if (backed < 2 && isAnywhere(after, reading)) backed = names.length === 0 ? 2 : 1;
    if (backed >= (names.length === 0 ? 2 : 3)) break;
  }
  if (backed > 1 && before?.number !== undefined && after !== undefined && isWord(after)) isAsked = true;
  return {
    backed: isAsked && backed < 2 ? 2 : backed,
    isExact,
    isAsked,
    isNamed,
    isMentioned,
    isAbsent,
    isSaid: claims && after ? saidIn(claims, after) : NOT_SAID,
  };
}

/** What a source has in the place of a value, and what is said of that. */
const ABSENT =
  /\b(?:n\/a|null|none|unknown|unavailable|not (?:available|found|given|known|measured)|missing|no (?:data|value|entry|result))\b/i;

/** In a sentence, and not where a row of data has no value. */
const isSaidEmpty = ({ line: { text } }: Passage): boolean => EMPTY.test(text) && !DATA.test(text);

const EMPTY = /\b(?:null|none|empty|blank|nothing|cleared?|removed?|deleted?)\b/i;
const DATA = /["'|]\s*[:|]|[{[]/;

/** Hardly there by chance. */
const isSpecific = ({ number, value }: Leaf): boolean =>
  number === undefined ? value.length >= 4 : value.replaceAll(/\D/g, '').length >= 3;

/** `n/a`, `tbd`: no figure and no sentence. */
const isWord = ({ kind, number, isProse }: Leaf): boolean => kind === 'string' && number === undefined && !isProse;

const NOT_SAID = (): boolean => false;

interface Stated {
  readonly passage: Passage;
  readonly field: readonly string[];
  readonly claim: Said;
}

const saidIn = (claims: readonly Stated[], after: Leaf) => (): boolean =>
  claims.some((stated) => isInWords(stated, after));

const NOTHING: readonly Passage[] = [];
const NO_NAMES: readonly (readonly string[])[] = [];

/** `set the price to 7`, where a row of a table has `price: 7`. */
function isInWords({ passage: { text }, field, claim: { text: claim } }: Stated, { value }: Leaf): boolean {
  const start = text.toLowerCase().indexOf(claim.toLowerCase());
  const own =
    text
      .slice(0, Math.max(0, start))
      .split(/,\s|;|\.\s/)
      .at(-1) ?? '';
  const known = new Set([...field, ...wordsOf(value)]);
  return wordsOf(`${own} ${claim}`).some((word) => /\p{L}{2}/u.test(word) && !known.has(word));
}

function isInLine(after: Leaf, { line: { said } }: Passage): boolean {
  return said.agreesWith(after) === true && (after.kind !== 'string' || !isCutFrom(said.text.toLowerCase(), after));
}

/** The beginning of one word that goes on. */
function isCutFrom(text: string, { value }: Leaf): boolean {
  const own = value.toLowerCase();
  return value.length >= 3 && !/\s/.test(value) && text.includes(own) && !holdsWhole(text, own);
}

function isAnywhere(leaf: Leaf, reading: Reading): boolean {
  if (leaf.number !== undefined) {
    const size = Math.abs(leaf.number);
    // What is taken off is mostly said without its sign.
    return size > 1 && (reading.numbers.has(leaf.number) || reading.numbers.has(size));
  }
  if (leaf.kind !== 'string' || leaf.value.length < 3) return false;
  const day = dayOf(leaf.value);
  if (day !== undefined && reading.days.has(day)) return true;
  const { word, text } = leaf.lead;
  if (word === undefined || !reading.words.has(word)) return false;
  return leaf.value.length > text.length ? reading.text.includes(text) : holdsWhole(reading.text, text);
}

const GOES_ON = /[\p{L}\p{N}]/u;

/** Not the beginning of a word that goes on: that was cut. */
function holdsWhole(text: string, value: string): boolean {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    if (!GOES_ON.test(text[at + value.length] ?? '') || !GOES_ON.test(value.at(-1) ?? '')) return true;
  }
  return false;
}

/** Whether the reading speaks of the field or of what holds it. */
export function speaksOf(place: Place, { words }: Reading): boolean {
  return place.words.some((word) => word.length > 2 && (words.has(word) || words.has(`${word}s`)));
}
