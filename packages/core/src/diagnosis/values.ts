import { tokensOf } from './tokens.ts';

/** A leaf never has a longer text; the rest of it decides nothing. */
export const LOOKED_AT = 4_000;

const RUNS = /\p{Lu}\p{Ll}+|\p{Lu}+|\p{Ll}+|\p{L}+|\p{N}+|\s+/gu;

const shapes = new Map<string, string>();
const MOST_KEPT = 20_000;

/** Worked out once for texts that come again and again. */
export function kept<T>(memory: Map<string, T>, text: string, make: (text: string) => T): T {
  const known = memory.get(text);
  if (known !== undefined) return known;
  const made = make(text);
  if (memory.size >= MOST_KEPT) memory.clear();
  memory.set(text, made);
  return made;
}

/** The kind of spelling: `INV-0042` and `INV-7` are alike, `inv 7` is not. */
export function shapeOf(value: string): string {
  return kept(shapes, value.slice(0, 80), spelling);
}

function spelling(value: string): string {
  return value.slice(0, 80).replace(RUNS, (run) => {
    if (/^\s/.test(run)) return ' ';
    if (/^\p{N}/u.test(run)) return '9';
    if (/^\p{Lu}\p{Ll}/u.test(run)) return 'Aa';
    return /^\p{Lu}/u.test(run) ? 'A' : 'a';
  });
}

/** Words and numbers in lower case; names in camel or snake case fall apart. @example wordsOf('totalUSD_2') // ['total', 'usd', '2'] */
export function wordsOf(text: string): readonly string[] {
  return text.length > 80 ? words(text) : kept(spelled, text, words);
}

const spelled = new Map<string, readonly string[]>();

const words = (text: string): readonly string[] => tokensOf(text).words;

const spoken = new Map<string, string>();

/** A name as its words, so that `T-482` and `t 482` are one. */
export const joined = (name: string): string =>
  name.length > 80 ? joinedWords(name) : kept(spoken, name, joinedWords);

/** The same of a value or of what was said: each is asked for once, and what is kept is for names. */
export const joinedWords = (text: string): string => tokensOf(text).words.join(' ');

/** Not the one in a name: `C-06`. */
const NUMBER = /(?<![\p{L}\d.]|\p{L}[-_])[+-]?\d+(?:[,_\u00a0\u202f]\d{3})*(?:\.\d+)?/gu;

const DIGIT = /\d/;

/** With a comma before the decimals, as most of Europe writes it. */
const WITH_COMMA = /(?<![\p{L}\d.,])[+-]?\d+(?:\.\d{3})*,\d{1,2}(?![\d,])/gu;

/** Thousands apart by something that may mean another thing. */
const GROUPED = /(?<![\p{L}\d.,])[1-9]\d{0,2}(?:([ .'’])\d{3})(?:\1\d{3})*(?![\d.,]\d|\d)/gu;

/**
 * The numbers that a text names, without their separators; what may be a separator or a point is read both ways.
 * @example numbersIn('1,200 of 3.50') // [1200, 3.5]
 */
export function numbersIn(text: string, most: number = LOOKED_AT): number[] {
  // Nearly every text shows without a look behind each of its characters that it names none.
  if (!DIGIT.test(text)) return [];
  const looked = text.slice(0, most);
  const found = (looked.match(NUMBER) ?? []).map((one) => Number(one.replaceAll(/[,_\u00a0\u202f]/g, '')));
  const grouped = (looked.match(GROUPED) ?? []).map((one) => Number(one.replaceAll(/\D/g, '')));
  if (!looked.includes(',')) return grouped.length === 0 ? found : [...found, ...grouped];
  const others = looked.match(WITH_COMMA) ?? [];
  return [...found, ...grouped, ...others.map((one) => Number(one.replaceAll('.', '').replace(',', '.')))];
}

/** Digits behind the point. */
export function decimalsOf(text: string): number {
  const point = text.indexOf('.');
  return point < 0 ? 0 : text.length - point - 1;
}

export function isProse(value: string): boolean {
  return value.length > 16 && (value.match(/\S+/g)?.length ?? 0) >= 3;
}

/** Words that every English sentence has. */
export const COMMON: ReadonlySet<string> = new Set(
  'a an and are as at be been but by do does for from had has have in into is it its no not of off on one or out so than that the their them then there this to up was were will with'.split(
    ' ',
  ),
);
