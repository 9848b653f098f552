import { isKey } from '../json/node.ts';
import type { Path } from '../json/path.ts';
import { notJson, skipSpace } from '../json/scan.ts';
import { stringEnd, valueEnd, type Container } from '../json/skim.ts';

const QUOTE = 0x22;
/** Each part is skipped once: an index would not pay. */
const kept = new Map<number, Container>();

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
  return text.slice(at, valueEnd({ text, kept }, at));
}

/** Where the value of the last member with this key begins. */
function memberAt(text: string, start: number, key: string): number | undefined {
  if (text[start] !== '{') return undefined;
  let found: number | undefined;
  let at = skipSpace(text, start + 1);
  if (text[at] === '}') return undefined;
  for (;;) {
    if (text.charCodeAt(at) !== QUOTE) throw notJson(text, at, 'a key in double quotes');
    const keyEnd = stringEnd(text, at);
    const isWanted = isKey(text, at, keyEnd, key);
    at = skipSpace(text, keyEnd);
    if (text[at] !== ':') throw notJson(text, at, '":"');
    at = skipSpace(text, at + 1);
    if (isWanted) found = at;
    at = skipSpace(text, valueEnd({ text, kept }, at));
    if (text[at] === '}') return found;
    if (text[at] !== ',') throw notJson(text, at, '"," or "}"');
    at = skipSpace(text, at + 1);
  }
}

function itemAt(text: string, start: number, index: number): number | undefined {
  if (text[start] !== '[') return undefined;
  let at = skipSpace(text, start + 1);
  if (text[at] === ']') return undefined;
  for (let passed = 0; passed < index; passed++) {
    at = skipSpace(text, valueEnd({ text, kept }, at));
    if (text[at] === ']') return undefined;
    if (text[at] !== ',') throw notJson(text, at, '"," or "]"');
    at = skipSpace(text, at + 1);
  }
  return at;
}
