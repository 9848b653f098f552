/** Pieces of texts that hold secrets whole: half a secret has no shape, so it would be shown unmasked. */
import { findWithPlaces } from './find.ts';

/** Places in a text, in UTF-16 code units; `end` is the one after the last. */
export interface Piece {
  readonly start: number;
  readonly end: number;
}

/** No secret without spaces is longer. */
const LONGEST = 8_000;
/** A private key has spaces and line breaks. */
const LONGEST_KEY = 21_000;
const KEY_BEGINS = '-----BEGIN ';
/** So far before a secret that is not known by itself may its name begin, or the words of a phrase. */
const NAME_BEFORE = 120;

/**
 * The piece, grown where it would begin or end inside a secret; never beyond `within`. A private key may still be cut at
 * its end: its beginning shows what it is.
 * @example wholeSecrets('key sk-ant-0123456789abcdef', { start: 0, end: 12 }, { start: 0, end: 27 }) // { start: 0, end: 27 }
 */
export function wholeSecrets(text: string, piece: Piece, within: Piece): Piece {
  const from = Math.max(within.start, mayBeginAt(text, piece.start, within.start));
  const to = wordEnd(text, piece.end, within.end);
  if (from === piece.start && to === piece.end) return piece;
  let { start, end } = piece;
  for (const secret of findWithPlaces(text.slice(from, to))) {
    const [begins, ends] = [from + secret.from, from + (secret.to ?? secret.end)];
    if (begins < start && ends > start) start = begins;
    if (begins < end && ends > end) end = ends;
  }
  return { start, end };
}

/** How far before an offset a secret that reaches beyond it may begin. */
function mayBeginAt(text: string, at: number, least: number): number {
  if (at <= least) return at;
  let word = at;
  while (word > at - LONGEST && word > least && /\S/.test(text.charAt(word - 1))) word--;
  const farthest = Math.max(least, at - LONGEST_KEY);
  const key = text.slice(farthest, at).lastIndexOf(KEY_BEGINS);
  return Math.min(word - NAME_BEFORE, key === -1 ? at : farthest + key);
}

function wordEnd(text: string, at: number, most: number): number {
  const rest = text.slice(at, Math.min(most, at + LONGEST));
  const space = rest.search(/\s/);
  return at + (space === -1 ? rest.length : space);
}
