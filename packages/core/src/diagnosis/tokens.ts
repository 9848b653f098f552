/** Texts as words. */

/** The words of a text in lower case, and where each begins and ends. */
export interface Tokens {
  readonly words: readonly string[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** So many characters are looked at. */
const MOST = 4_000;
const WORD = /\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{L}+|\d+(?:[.,]\d+)*/gu;
const BEYOND_ASCII = /[\u0080-\uffff]/;

export function tokensOf(text: string): Tokens {
  const looked = text.length > MOST ? text.slice(0, MOST) : text;
  const ends: number[] = [];
  const starts = BEYOND_ASCII.test(looked) ? anyWords(looked, ends) : plainWords(looked, ends);
  return { words: starts.map((start, at) => looked.slice(start, ends[at]).toLowerCase()), starts, ends };
}

/** Texts of one run: several ask for the words of the same one, which is cut into them once. */
export class Texts {
  readonly #known = new Map<string, Tokens>();

  /** As `tokensOf`. */
  tokens(text: string): Tokens {
    const known = this.#known.get(text);
    if (known) return known;
    const made = tokensOf(text);
    this.#known.set(text, made);
    return made;
  }
}

function anyWords(text: string, ends: number[]): number[] {
  const starts: number[] = [];
  WORD.lastIndex = 0;
  for (let match = WORD.exec(text); match; match = WORD.exec(text)) {
    starts.push(match.index);
    ends.push(match.index + match[0].length);
  }
  return starts;
}

/** As `WORD` finds them where all letters are English: nearly everywhere, and much quicker. */
function plainWords(text: string, ends: number[]): number[] {
  const starts: number[] = [];
  for (let at = 0; at < text.length;) {
    const end = wordAt(text, at);
    if (end > at) {
      starts.push(at);
      ends.push(end);
    }
    at = Math.max(end, at + 1);
  }
  return starts;
}

/** Where the word that begins here ends; here, where none does. */
function wordAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (isLower(code)) return endOf(text, at, isLower);
  if (isDigit(code)) return numberEnd(text, at);
  if (!isUpper(code)) return at;
  if (isLower(text.charCodeAt(at + 1))) return endOf(text, at + 1, isLower);
  const end = endOf(text, at, isUpper);
  // The last capital begins the next word.
  return isLower(text.charCodeAt(end)) ? end - 1 : end;
}

function endOf(text: string, from: number, test: (code: number) => boolean): number {
  let at = from;
  while (test(text.charCodeAt(at))) at++;
  return at;
}

function numberEnd(text: string, from: number): number {
  let at = endOf(text, from, isDigit);
  while (isPoint(text.charCodeAt(at)) && isDigit(text.charCodeAt(at + 1))) at = endOf(text, at + 1, isDigit);
  return at;
}

const isLower = (code: number): boolean => code >= 0x61 && code <= 0x7a;
const isUpper = (code: number): boolean => code >= 0x41 && code <= 0x5a;
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isPoint = (code: number): boolean => code === 0x2e || code === 0x2c;
