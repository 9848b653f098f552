import { InspectorError } from '../errors.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const LETTER_E = 0x45;
const LETTER_I = 0x49;
const SMALL_E = 0x65;
const LETTER_U = 0x75;
/** 1 for each character that makes an escape with a backslash before it. */
const ESCAPES = new Uint8Array(0x80);
for (const letter of '"\\/bfnrt') ESCAPES[letter.charCodeAt(0)] = 1;

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
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at = scanEscape(text, at);
    else if (code < 0x20) throw bareControl(text, at);
  }
  throw notJson(text, text.length, 'a closing quote');
}

// oxlint-disable-next-line no-control-regex -- JSON allows none of them in a string
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/g;

/**
 * Finds the ends of a text's strings, in the order of the text: each is searched for what may end it, which is many times
 * faster than looking at each character.
 */
export class Strings {
  readonly #text: string;
  /** The next ones, where they are known. */
  #backslash = -1;
  /** They end the lines of many texts, so they are searched for on their own. */
  #newline = -1;
  #control = -1;
  /** Up to here the text has none, from where it was looked at; so much is looked at next. */
  #plain = 0;
  #piece = LEAST;
  /** From where a string was asked for to here, nothing but quotes needs to be looked at. */
  #clear = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** End of the string token that begins at `start`. @throws InspectorError unreadable */
  end(start: number): number {
    const quote = this.#text.indexOf('"', start + 1);
    return quote !== -1 && quote < this.#clear ? quote + 1 : this.#endAfter(start + 1, quote);
  }

  /** Looks at what is between `from` and the next quote as well. */
  #endAfter(from: number, firstQuote: number): number {
    const text = this.#text;
    let at = from;
    let quote = orEnd(text, firstQuote);
    for (;;) {
      if (this.#newline < at) this.#newline = orEnd(text, text.indexOf('\n', at));
      if (this.#backslash < at) this.#backslash = orEnd(text, text.indexOf('\\', at));
      const next = Math.min(quote, this.#backslash);
      const bare = Math.min(this.#newline, this.#plainTo(at, next));
      this.#clear = Math.min(bare, this.#backslash);
      if (bare < next) throw bareControl(text, bare);
      if (next === text.length) throw notJson(text, next, 'a closing quote');
      if (next === quote) return quote + 1;
      at = scanEscape(text, next) + 1;
      while (text.charCodeAt(at) === BACKSLASH) at = scanEscape(text, at) + 1;
      if (quote < at) quote = orEnd(text, text.indexOf('"', at));
    }
  }

  /** How far the text is known to have no control characters: beyond `to`, where it has none. */
  #plainTo(at: number, to: number): number {
    const text = this.#text;
    if (this.#control !== -1) return this.#control < at ? (this.#control = controlFrom(text, at)) : this.#control;
    // What lies between was not asked for: little is looked at, as it may be again.
    if (this.#plain < at) [this.#plain, this.#piece] = [at, LEAST];
    while (this.#plain <= to) {
      const end = this.#plain + this.#piece;
      if (this.#plain + LEAST > text.length || !isPlain(text.slice(this.#plain, end)))
        return (this.#control = controlFrom(text, this.#plain));
      this.#plain = end;
      this.#piece = Math.min(PIECE, this.#piece * 2);
    }
    return this.#plain;
  }
}

const orEnd = (text: string, at: number): number => (at === -1 ? text.length : at);

/** At most and at least so much of a text is looked at as bytes at a time; of less, each character is. */
const PIECE = 1 << 14;
const LEAST = 1 << 8;
const UTF8_AT_MOST = 3;
/** Words in one turn. */
const TOGETHER = 4;
const bytes = new Uint8Array(UTF8_AT_MOST * PIECE + 4 * TOGETHER);
const words = new Int32Array(bytes.buffer);
const encoder = new TextEncoder();

/** Four bytes at once are looked at faster than four characters. */
function isPlain(piece: string): boolean {
  const { written } = encoder.encodeInto(piece, bytes);
  bytes.fill(0x20, written, written + 4 * TOGETHER);
  let found = 0;
  for (let at = 0; 4 * at < written; at += TOGETHER)
    found |= lowIn(words[at] ?? 0) | lowIn(words[at + 1] ?? 0) | lowIn(words[at + 2] ?? 0) | lowIn(words[at + 3] ?? 0);
  return (found & 0x80808080) === 0;
}

/** The highest bit of each byte below 0x20: subtracting borrows into it, and bytes of other characters have it from the start. */
const lowIn = (word: number): number => (word - 0x20202020) & ~word;

function controlFrom(text: string, at: number): number {
  CONTROL.lastIndex = at;
  return CONTROL.test(text) ? CONTROL.lastIndex - 1 : text.length;
}

const bareControl = (text: string, at: number): InspectorError =>
  notJson(text, at, 'no bare control character in a string');

/** Last offset of the escape whose backslash is at `at`. */
function scanEscape(text: string, at: number): number {
  const code = text.charCodeAt(at + 1);
  if (code < ESCAPES.length && ESCAPES[code] === 1) return at + 1;
  if (code !== LETTER_U) throw notJson(text, at + 1, 'an escape');
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
  let at = start;
  let code = text.charCodeAt(at);
  if (code === MINUS) {
    code = text.charCodeAt(++at);
    if (code === LETTER_I) return scanWord(text, at, 'Infinity');
  }
  at = code === ZERO ? at + 1 : scanDigits(text, at);
  code = text.charCodeAt(at);
  if (code === POINT) {
    at = scanDigits(text, at + 1);
    code = text.charCodeAt(at);
  }
  if (code !== LETTER_E && code !== SMALL_E) return at;
  code = text.charCodeAt(++at);
  return scanDigits(text, code === PLUS || code === MINUS ? at + 1 : at);
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
