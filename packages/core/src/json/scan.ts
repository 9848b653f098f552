import { InspectorError } from '../errors.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const ESCAPES = new Set(Array.from('"\\/bfnrt', (letter) => letter.charCodeAt(0)));

/** The error for a text that is not JSON. `offset` counts UTF-16 code units. */
export function notJson(text: string, offset: number, expected: string): InspectorError {
  const found = offset < text.length ? JSON.stringify(String.fromCodePoint(text.codePointAt(offset) ?? 0)) : 'the end';
  return new InspectorError('unreadable', `Not JSON at offset ${offset}: expected ${expected}, found ${found}.`, {
    data: { offset },
  });
}

/** First offset from `at` on that is not JSON white space. */
export function skipSpace(text: string, at: number): number {
  for (let i = at; ; i++) {
    const code = text.charCodeAt(i);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return i;
  }
}

/** End of the string token that begins at `start`. Where all strings of a text are read, `Strings` is faster. */
export function scanString(text: string, start: number): number {
  const end = scanChars(text, start + 1, text.length);
  if (end > 0) return end;
  throw notJson(text, text.length, 'a closing quote');
}

/** After so few characters most strings end, and looking ahead doesn't pay. */
const NEAR = 24;
// oxlint-disable-next-line no-control-regex -- JSON allows none of them in a string
const CONTROL = /[\u0000-\u001f]/g;

/**
 * Finds the ends of a text's strings, in the order of the text: a long one is searched for what may end it, which is
 * many times faster than looking at each character.
 */
export class Strings {
  readonly #text: string;
  /** The next ones, where they are known. */
  #quote = -1;
  #backslash = -1;
  #control = -1;
  /** So many are read one by one first: ever more where one escape follows the other. */
  #reach = NEAR;

  constructor(text: string) {
    this.#text = text;
  }

  /** End of the string token that begins at `start`. @throws InspectorError unreadable */
  end(start: number): number {
    for (let at = start + 1; ; this.#reach *= 4) {
      const near = scanChars(this.#text, at, at + this.#reach);
      if (near > 0) return near;
      at = this.#next(-near);
      if (at !== this.#quote) continue;
      this.#reach = NEAR;
      return at + 1;
    }
  }

  /** The next quote or backslash. */
  #next(from: number): number {
    const text = this.#text;
    if (this.#quote < from) this.#quote = orNever(text.indexOf('"', from));
    if (this.#backslash < from) this.#backslash = orNever(text.indexOf('\\', from));
    if (this.#control < from) this.#control = controlFrom(text, from);
    const next = Math.min(this.#quote, this.#backslash);
    if (this.#control < next) throw bareControl(text, this.#control);
    if (next === Infinity) throw notJson(text, text.length, 'a closing quote');
    return next;
  }
}

const orNever = (at: number): number => (at === -1 ? Infinity : at);

function controlFrom(text: string, at: number): number {
  CONTROL.lastIndex = at;
  return CONTROL.test(text) ? CONTROL.lastIndex - 1 : Infinity;
}

const bareControl = (text: string, at: number): InspectorError =>
  notJson(text, at, 'no bare control character in a string');

/** Inside a string: where it ends, or the negative offset from which it goes on beyond `to`. */
function scanChars(text: string, from: number, to: number): number {
  const stop = Math.min(to, text.length);
  let at = from;
  for (; at < stop; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at = scanEscape(text, at);
    else if (code < 0x20) throw bareControl(text, at);
  }
  return -at;
}

/** Last offset of the escape whose backslash is at `at`. */
function scanEscape(text: string, at: number): number {
  if (ESCAPES.has(text.charCodeAt(at + 1))) return at + 1;
  if (text[at + 1] !== 'u') throw notJson(text, at + 1, 'an escape');
  for (let i = at + 2; i < at + 6; i++) {
    if (!isHexDigit(text.charCodeAt(i))) throw notJson(text, i, 'four hex digits');
  }
  return at + 5;
}

function isHexDigit(code: number): boolean {
  return isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** End of the number token at `start`, `-Infinity` included. @throws InspectorError unreadable */
export function scanNumber(text: string, start: number): number {
  const first = text.charCodeAt(start) === MINUS ? start + 1 : start;
  if (first > start && text[first] === 'I') return scanWord(text, first, 'Infinity');
  let at = text[first] === '0' ? first + 1 : scanDigits(text, first);
  if (text[at] === '.') at = scanDigits(text, at + 1);
  if (text[at] !== 'e' && text[at] !== 'E') return at;
  at++;
  if (text[at] === '+' || text[at] === '-') at++;
  return scanDigits(text, at);
}

function scanDigits(text: string, start: number): number {
  let at = start;
  while (isDigit(text.charCodeAt(at))) at++;
  if (at === start) throw notJson(text, at, 'a digit');
  return at;
}

/** End of the number or word at `start`, whose first character is `code`. @throws InspectorError unreadable */
export function scanBare(text: string, start: number, code: number): number {
  switch (code) {
    case 0x74:
      return scanWord(text, start, 'true');
    case 0x66:
      return scanWord(text, start, 'false');
    case 0x6e:
      return scanWord(text, start, 'null');
    case 0x4e:
      return scanWord(text, start, 'NaN');
    case 0x49:
      return scanWord(text, start, 'Infinity');
    default:
      if (code !== MINUS && !isDigit(code)) throw notJson(text, start, 'a value');
      return scanNumber(text, start);
  }
}

/** Of a scalar that begins with `code`. */
export function scalarKind(code: number): 'string' | 'number' | 'boolean' | 'null' {
  if (code === QUOTE) return 'string';
  if (code === 0x74 || code === 0x66) return 'boolean';
  return code === 0x6e ? 'null' : 'number';
}

/** End of `word`, which must be at `start`. @throws InspectorError unreadable */
function scanWord(text: string, start: number, word: string): number {
  if (!text.startsWith(word, start)) throw notJson(text, start, 'a value');
  return start + word.length;
}
