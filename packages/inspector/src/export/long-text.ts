/** Work on texts as long as states, with stops in between. */
import { createHash } from 'node:crypto';
import type { InSteps } from '@checkpoint-inspector/core';

/** Characters between two stops: a millisecond or two. */
export const STEP = 1 << 18;

/** The text in pieces, none of which ends inside a surrogate pair. */
function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const code = text.charCodeAt(from + STEP - 1);
    const to = from + (code >= 0xd800 && code <= 0xdbff ? STEP - 1 : STEP);
    yield text.slice(from, to);
    from = to;
  }
}

/** `JSON.stringify(text)`, piece by piece. */
export function* quotedPieces(text: string): Generator<string> {
  yield '"';
  for (const piece of piecesOf(text)) yield JSON.stringify(piece).slice(1, -1);
  yield '"';
}

/** sha256 of the text as UTF-8, as lower-case hex. */
export function* hashedInSteps(text: string): InSteps<string> {
  const hash = createHash('sha256');
  for (const piece of piecesOf(text)) {
    hash.update(piece);
    yield;
  }
  return hash.digest('hex');
}
