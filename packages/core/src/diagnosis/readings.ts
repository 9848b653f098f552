import type { Event } from './events.ts';
import { COMMON, kept, numbersIn, tokensOf, wordsOf, type Leaf, type Token } from './values.ts';

/** What one step brought to read: its description, new messages, answers of tools. */
export interface Reading {
  readonly words: ReadonlySet<string>;
  readonly numbers: ReadonlySet<number>;
  /** Where it names an entry: what is said from there up to the next name. */
  readonly about: ReadonlyMap<string, readonly Passage[]>;
  readonly text: string;
  /** Entries that the step's own title names. */
  readonly titled: ReadonlySet<string>;
}

interface Passage {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** The whole line, and the words of it before the name. */
  readonly line: string;
  readonly before: readonly string[];
}

const MOST_TEXT = 40_000;
/** What is said of an entry may be said in the sentences after the one that names it. */
const LINE = /\n/;
/** Words in the longest name that is looked for. */
const NAME_WORDS = 12;

const spelled = new Map<string, string>();
const MOST_SPELLED = 50_000;

/** A name as its words, so that `T-482` and `t 482` are one. */
export function joined(name: string): string {
  const known = spelled.get(name);
  if (known !== undefined) return known;
  const words = wordsOf(name).join(' ');
  if (spelled.size >= MOST_SPELLED) spelled.clear();
  spelled.set(name, words);
  return words;
}

/** The names of all entries of a run. */
export class Names {
  readonly #names = new Set<string>();
  /** The first words of names of several words. */
  readonly #beginnings = new Set<string>();

  constructor(names: Iterable<string>) {
    for (const name of names) {
      const words = joined(name);
      if (words === '' || this.#names.has(words)) continue;
      this.#names.add(words);
      for (let at = words.indexOf(' '); at >= 0; at = words.indexOf(' ', at + 1)) {
        this.#beginnings.add(words.slice(0, at));
      }
    }
  }

  /** Where the longest name that begins at a word ends, if one does. */
  from(tokens: readonly Token[], at: number): { readonly name: string; readonly to: number } | undefined {
    let found: { name: string; to: number } | undefined;
    let name = '';
    for (let end = at; end < Math.min(tokens.length, at + NAME_WORDS); end++) {
      const word = tokens[end]?.word ?? '';
      name = end === at ? word : `${name} ${word}`;
      if (this.#names.has(name)) found = { name, to: end + 1 };
      if (!this.#beginnings.has(name)) break;
    }
    return found;
  }
}

export function readingOf(texts: readonly string[], names: Names, title = ''): Reading {
  const text = texts.join('\n').slice(0, MOST_TEXT);
  const words = new Set<string>();
  const about = new Map<string, Passage[]>();
  for (const line of text.split(LINE)) {
    const tokens = tokensOf(line);
    for (const { word } of tokens) words.add(word);
    for (const { name, passage } of passages(line, tokens, names)) {
      const known = about.get(name);
      if (known) known.push(passage);
      else about.set(name, [passage]);
    }
  }
  const titled = new Set([...passages(title, tokensOf(title), names)].map(({ name }) => name));
  for (const { word } of tokensOf(title)) words.add(word);
  // A title names entries, and says nothing of them.
  for (const name of titled) if (!about.has(name)) about.set(name, []);
  return {
    words,
    numbers: new Set(numbersIn(text, MOST_TEXT)),
    about,
    text: `${title}\n${text}`.toLowerCase(),
    titled,
  };
}

function* passages(
  line: string,
  tokens: readonly Token[],
  names: Names,
): Generator<{ name: string; passage: Passage }> {
  const found: { name: string; from: number; to: number }[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const named = names.from(tokens, at);
    if (named === undefined) continue;
    found.push({ ...named, from: at });
    at = named.to - 1;
  }
  for (const [index, { name, from, to }] of found.entries()) {
    const next = found[index + 1];
    const start = tokens[to - 1]?.end ?? 0;
    const end = next === undefined ? line.length : (tokens[next.from]?.start ?? line.length);
    const own = tokens.slice(to, next?.from);
    // Names in a row share what is said after the last of them.
    const before = tokens.slice(Math.max(0, from - 6), from).map(({ word }) => word);
    const said =
      own.length === 0 ? { text: line, tokens } : { text: line.slice(start, end), tokens: shifted(own, start) };
    const passage = { ...said, line, before };
    yield { name, passage };
  }
}

const shifted = (tokens: readonly Token[], by: number): Token[] =>
  tokens.map(({ word, start, end }) => ({ word, start: start - by, end: end - by }));

/** How the reading bears on a value that a step wrote. */
export interface Backing {
  /** It says so: of exactly this field of this entry (3), in a line about the entry (2), anywhere (1). */
  readonly backed: 0 | 1 | 2 | 3;
  /** It says so in words, and does not only list it with the other fields. */
  readonly isSaid: boolean;
  /** It names the entry. */
  readonly isNamed: boolean;
}

/** Steps back in which a value may have been read. */
const WINDOW = 4;

export function backingOf(event: Event, readings: readonly (Reading | undefined)[]): Backing {
  const names = event.place.spoken;
  const field = fieldOf(event);
  const { after } = event;
  let backed: Backing['backed'] = 0;
  let isSaid = false;
  let isNamed = false;
  for (let step = event.step; step > event.step - WINDOW && step >= 0; step--) {
    const reading = readings[step];
    if (reading === undefined) continue;
    const about = passagesAbout(reading, names);
    if (step === event.step && names.some((name) => reading.about.has(name))) isNamed = true;
    if (after === undefined) continue;
    for (const passage of about) {
      const claim = claimIn(passage, field);
      const agrees = claim === undefined ? undefined : agreesWith(after, claim);
      if (agrees === true) {
        backed = 3;
        isSaid ||= claim !== undefined && isInWords(passage, field, claim, after);
      } else if (backed < 2 && agreesWith(after, passage.line) === true) backed = 2;
    }
    if (backed === 0 && isAnywhere(after, reading)) backed = 1;
    if (backed === 3) break;
  }
  return { backed, isSaid, isNamed };
}

/** `set the price to 7`, where a row of a table has `price: 7`. */
function isInWords({ text }: Passage, field: readonly string[], claim: string, { value }: Leaf): boolean {
  const start = text.toLowerCase().indexOf(claim.toLowerCase());
  const own =
    text
      .slice(0, Math.max(0, start))
      .split(/,\s|;|\.\s/)
      .at(-1) ?? '';
  const known = new Set([...field, ...wordsOf(value)]);
  return wordsOf(`${own} ${claim}`).some((word) => /\p{L}{2}/u.test(word) && !known.has(word));
}

/** Of the innermost entry that it names; a line about the outer one is about much else. */
export function passagesAbout(reading: Reading, names: readonly string[]): readonly Passage[] {
  const name = names.findLast((one) => reading.about.has(one));
  return (name === undefined ? undefined : reading.about.get(name)) ?? [];
}

/** The words of the field: of an entry that is itself the value, none. */
export function fieldOf({ path, collection }: Event): readonly string[] {
  if (collection === path.length - 1) return [];
  const last = path.at(-1);
  return typeof last === 'string' ? wordsOf(last) : [];
}

const CLAIM = /^[\s:=]*((?:(?!,\s|;|\.\s|$).){0,80})/;

const isFieldAt = (field: readonly string[], tokens: readonly Token[], at: number): boolean =>
  field.every((word, offset) => tokens[at + offset]?.word === word);

/** Most fields are of one word, and most words are not before a name. */
function isAmong(before: readonly string[], field: readonly string[]): boolean {
  if (!before.includes(field[0] ?? '')) return false;
  return field.length === 1 || ` ${before.join(' ')} `.includes(` ${field.join(' ')} `);
}

/** What a passage says of a field. */
export function claimIn({ text, tokens, before }: Passage, field: readonly string[]): string | undefined {
  let from: number | undefined = field.length === 0 ? 0 : undefined;
  for (let at = 0; field.length > 0 && at + field.length <= tokens.length; at++) {
    if (tokens[at]?.word !== field[0] || !isFieldAt(field, tokens, at)) continue;
    from = tokens[at + field.length - 1]?.end;
    break;
  }
  // `the price of A-1 is now 7`
  if (from === undefined && field.length > 0 && isAmong(before, field)) from = 0;
  if (from === undefined || (field.length === 1 && COMMON.has(field[0] ?? ''))) return undefined;
  const claim = CLAIM.exec(text.slice(from))?.[1]?.trim();
  return claim === '' ? undefined : claim;
}

/** Many values are held against the same words. */
const claimed = new Map<string, readonly number[]>();
const MOST_CLAIMED = 1_000;

/** `undefined` where the words say nothing of such a value. */
export function agreesWith(leaf: Leaf, claim: string): boolean | undefined {
  if (leaf.number !== undefined) {
    const numbers = claim.length > MOST_CLAIMED ? numbersIn(claim) : kept(claimed, claim, numbersIn);
    return numbers.length === 0 ? undefined : numbers.includes(leaf.number);
  }
  const said = joined(claim);
  if (leaf.kind === 'boolean') {
    const words = said.split(' ');
    if (words.includes(leaf.value)) return true;
    return words.includes(leaf.value === 'true' ? 'false' : 'true') ? false : undefined;
  }
  if (leaf.kind !== 'string' || said === '') return undefined;
  if (/^[\d\s.,]+$/.test(said) && !/\d/.test(leaf.value)) return undefined;
  const value = joined(leaf.value);
  if (value === '' || said.split(' ').every((word) => COMMON.has(word))) return undefined;
  // An initial is what is left of a name that was cut at its point.
  if (said.length <= 2 && value.length > 4) return undefined;
  if (goesOn(said, value)) return false;
  // A claim ends with its first sentence, a value may have more.
  return ` ${said} `.includes(` ${value.slice(0, 200)} `) || (said.length > 12 && value.startsWith(`${said} `));
}

/** The words begin as the value does and go on where it breaks off: it was cut. */
function goesOn(said: string, value: string): boolean {
  return value.split(' ').length >= 3 && said.startsWith(`${value} `);
}

function isAnywhere(leaf: Leaf, reading: Reading): boolean {
  if (leaf.number !== undefined) return Math.abs(leaf.number) > 1 && reading.numbers.has(leaf.number);
  if (leaf.kind !== 'string' || leaf.value.length < 3) return false;
  const [first] = wordsOf(leaf.value.slice(0, 40));
  return (
    first !== undefined && reading.words.has(first) && reading.text.includes(leaf.value.toLowerCase().slice(0, 60))
  );
}

/** Whether the reading speaks of the field or of what holds it. */
export function speaksOf({ path }: Event, { words }: Reading): boolean {
  const keys = path.filter((step) => typeof step === 'string').slice(-2);
  return keys.some((key) => wordsOf(key).some((word) => word.length > 2 && (words.has(word) || words.has(`${word}s`))));
}
