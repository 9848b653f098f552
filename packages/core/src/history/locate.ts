import { unquote } from '../json/node.ts';
import type { Path } from '../json/path.ts';
import { isDigit, notJson, scanNumber, scanWord, skipSpace } from '../json/scan.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * The source of the value at `path`, found by skipping what lies beside it instead of reading the whole text; among
 * duplicate keys the last one. The text is known to be JSON: what is skipped is not checked.
 * @throws InspectorError unreadable, where the text breaks on the way
 * @example locate('{"a":{"b":1.0}}', ['a', 'b']) // '1.0'
 */
export function locate(text: string, path: Path): string | undefined {
  let at = skipSpace(text, 0);
  if (at === text.length) throw notJson(text, at, 'a value');
  for (const step of path) {
    const next = typeof step === 'string' ? memberAt(text, at, step) : itemAt(text, at, step);
    if (next === undefined) return undefined;
    at = next;
  }
  return text.slice(at, skipValue(text, at));
}

/** Where the value of the last member with this key begins. */
function memberAt(text: string, start: number, key: string): number | undefined {
  if (text[start] !== '{') return undefined;
  let found: number | undefined;
  let at = skipSpace(text, start + 1);
  if (text[at] === '}') return undefined;
  for (;;) {
    if (text.charCodeAt(at) !== QUOTE) throw notJson(text, at, 'a key in double quotes');
    const keyEnd = skipString(text, at);
    const isWanted = isKey(text, at, keyEnd, key);
    at = skipSpace(text, keyEnd);
    if (text[at] !== ':') throw notJson(text, at, '":"');
    at = skipSpace(text, at + 1);
    if (isWanted) found = at;
    at = skipSpace(text, skipValue(text, at));
    if (text[at] === '}') return found;
    if (text[at] !== ',') throw notJson(text, at, '"," or "}"');
    at = skipSpace(text, at + 1);
  }
}

function isKey(text: string, start: number, end: number, key: string): boolean {
  if (end - start - 2 === key.length && text.startsWith(key, start + 1)) return !key.includes('\\');
  // An escape only makes a token longer than its key.
  return end - start - 2 > key.length && unquote(text, start, end) === key;
}

function itemAt(text: string, start: number, index: number): number | undefined {
  if (text[start] !== '[') return undefined;
  let at = skipSpace(text, start + 1);
  if (text[at] === ']') return undefined;
  for (let passed = 0; passed < index; passed++) {
    at = skipSpace(text, skipValue(text, at));
    if (text[at] === ']') return undefined;
    if (text[at] !== ',') throw notJson(text, at, '"," or "]"');
    at = skipSpace(text, at + 1);
  }
  return at;
}

function skipValue(text: string, start: number): number {
  switch (text[start]) {
    case '"':
      return skipString(text, start);
    case '{':
    case '[':
      return skipContainer(text, start);
    case 't':
      return scanWord(text, start, 'true');
    case 'f':
      return scanWord(text, start, 'false');
    case 'n':
      return scanWord(text, start, 'null');
    case 'N':
      return scanWord(text, start, 'NaN');
    case 'I':
      return scanWord(text, start, 'Infinity');
    default:
      if (text[start] !== '-' && !isDigit(text.charCodeAt(start))) throw notJson(text, start, 'a value');
      return scanNumber(text, start);
  }
}

/** Past the bracket that closes the one at `start`. Works at any depth. */
function skipContainer(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = skipString(text, at) - 1;
        break;
      case 0x7b:
      case 0x5b:
        depth++;
        break;
      case 0x7d:
      case 0x5d:
        if (--depth === 0) return at + 1;
        break;
      default:
    }
  }
  throw notJson(text, text.length, 'a closing bracket');
}

/** Past the closing quote. */
function skipString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  throw notJson(text, text.length, 'a closing quote');
}
