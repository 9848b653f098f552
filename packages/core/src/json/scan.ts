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

/** End of the string token that begins at `start`. @throws InspectorError unreadable */
export function scanString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) return i + 1;
    if (code === BACKSLASH) i = scanEscape(text, i);
    else if (code < 0x20) throw notJson(text, i, 'no bare control character in a string');
  }
  throw notJson(text, text.length, 'a closing quote');
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
