/** Search inside a big JSON text, a piece at a time. */
import { formatPath } from './path.ts';
import { keyOf, wholeCharacter } from './part.ts';
import { quoteJson } from './node.ts';
import { readableJson } from './readable.ts';
import { findSecrets } from '../secrets/find.ts';
import { secretsInValue } from '../secrets/json.ts';
import { wholeSecrets, type Piece } from '../secrets/cut.ts';
import { ChildCursor, containerAt, MARK, type Container, type JsonIndex } from './skim.ts';

export interface JsonMatch {
  readonly path: string;
  readonly in: 'key' | 'value';
  /** JSON text around the match, cut where `…` would be, but never inside a secret: so it can be masked. */
  readonly snippet: string;
  /** The match inside the snippet. */
  readonly from: number;
  readonly to: number;
}

export interface FoundPiece {
  readonly items: readonly JsonMatch[];
  /** Where to go on, in UTF-16 code units; absent at the end of the text. */
  readonly next?: number;
}

export interface FindQuery {
  /** Looked for in keys and scalars, without regard to case; escapes are seen through. */
  readonly words: string;
  /** Offset from a piece before. */
  readonly from?: number;
  readonly limit: number;
  /** Asked between pieces of work; true ends the piece early. */
  readonly stop?: () => boolean;
}

/** So much is searched between two questions to `stop`. */
const WINDOW = 1 << 20;
const AROUND = 60;
/** A secret that is spelled with escapes may be so long. */
const FAR = 1_000;

/** Keys and scalars that hold the words, in the order of the text; each once. */
export function findInJson(index: JsonIndex, { words, from = 0, limit, stop }: FindQuery): FoundPiece {
  const { text, end } = index;
  const items: JsonMatch[] = [];
  if (words === '') return { items };
  const pattern = patternOf(words);
  const overlap = words.length * 6;
  let at = Math.max(from, index.start);
  while (at < end) {
    const to = Math.min(end, at + WINDOW + overlap);
    pattern.lastIndex = 0;
    const hit = pattern.exec(text.slice(at, to));
    if (hit === null) {
      at = to === end ? end : to - overlap;
    } else {
      const start = at + hit.index;
      const token = tokenAt(index, start, start + hit[0].length);
      if (token.path !== undefined) items.push(matchOf(text, token, start, start + hit[0].length));
      at = token.end;
    }
    if (at < end && (items.length >= limit || stop?.() === true)) return { items, next: at };
  }
  return { items };
}

/** The words as they may be in JSON: escaped, or with a letter as `\u00e9`. */
function patternOf(words: string): RegExp {
  const letters = Array.from({ length: words.length }, (_, place) => words.charAt(place));
  const escaped = letters.map((letter) => {
    const code = letter.charCodeAt(0);
    const plain = literal(quoteJson(letter).slice(1, -1));
    if (letter === '/') return String.raw`\\?/`;
    if (code < 0x80) return plain;
    const spellings = [letter.toLowerCase(), letter.toUpperCase()].map((one) =>
      one.charCodeAt(0).toString(16).padStart(4, '0'),
    );
    return `(?:${literal(letter)}|${spellings.map((hex) => String.raw`\\u${hex}`).join('|')})`;
  });
  const asStored = literal(words);
  const seenThrough = escaped.join('');
  return new RegExp(asStored === seenThrough ? asStored : `${seenThrough}|${asStored}`, 'gi');
}

const literal = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);

interface Token {
  /** Absent where the match is between tokens, or over the edge of one. */
  readonly path?: string;
  readonly in: 'key' | 'value';
  readonly start: number;
  /** Where to look next. */
  readonly end: number;
}

/** The key or scalar around an offset, found by going down from the root. */
function tokenAt(index: JsonIndex, start: number, end: number): Token {
  const path: (string | number)[] = [];
  const outside: Token = { in: 'value', start, end: start + 1 };
  let at = index.start;
  if (containerAt(index, at) === undefined) return { path: '$', in: 'value', start: at, end: index.end };
  for (;;) {
    const container = containerAt(index, at);
    if (container === undefined) return outside;
    const cursor = childAround(index, container, start);
    if (cursor === undefined) return outside;
    if (container.kind === 'object') {
      path.push(keyOf(index, cursor));
      const keyEnd = index.text.lastIndexOf('"', cursor.start - 1) + 1;
      if (start < keyEnd)
        return end <= keyEnd ? { path: formatPath(path), in: 'key', start: cursor.from, end: keyEnd } : outside;
      if (start < cursor.start) return outside;
    } else path.push(cursor.place);
    const code = index.text.charCodeAt(cursor.start);
    if (code !== 0x7b && code !== 0x5b) {
      if (end > cursor.end) return outside;
      return { path: formatPath(path), in: 'value', start: cursor.start, end: cursor.end };
    }
    at = cursor.start;
  }
}

/** The child whose text, key included, holds the offset. */
function childAround(index: JsonIndex, container: Container, offset: number): ChildCursor | undefined {
  const mark = container.marks.findLastIndex((begin) => begin <= offset);
  const cursor = new ChildCursor(index, container, Math.max(0, mark) * MARK);
  while (cursor.next()) {
    if (cursor.from > offset) return undefined;
    if (cursor.end > offset) return cursor;
  }
  return undefined;
}

function matchOf(text: string, token: Token, start: number, end: number): JsonMatch {
  const near = {
    start: wholeCharacter(text, Math.max(token.start, start - AROUND)),
    end: wholeCharacter(text, Math.min(token.end, end + AROUND)),
  };
  const { start: from, end: to } = isSecret(text, token)
    ? token
    : spelledOut(text, wholeSecrets(text, near, token), token);
  return { path: token.path ?? '$', in: token.in, snippet: text.slice(from, to), from: start - from, to: end - from };
}

/** Whether its path says what it is: of a part of it that couldn't be told. */
const isSecret = (text: string, { path, in: where, start, end }: Token): boolean =>
  where === 'value' && end - start <= FAR && secretsInValue(path ?? '$', text.slice(start, end)).length > 0;

/** A secret that is spelled with escapes has a shape only once they are read: then there is more around the match. */
function spelledOut(text: string, piece: Piece, token: Piece): Piece {
  const wide = { start: Math.max(token.start, piece.start - FAR), end: Math.min(token.end, piece.end + FAR) };
  const around = text.slice(wide.start, wide.end);
  if (!around.includes(String.raw`\u`)) return piece;
  return findSecrets(readableJson(around)).length > findSecrets(around).length ? wide : piece;
}
