/** What is shown of a value that was found. */
import { quoteJson } from '@checkpoint-inspector/core';
import { KIND, type TextKind } from '../cache/kinds.ts';
import type { Snippet, TextMark } from '../cache/types.ts';

const BEFORE = 60;
const LONGEST = 240;

/** JSON text around the first mark: a string with its quotes where it is not cut. `wasCut`: the index has no more. */
export function snippetOf(kind: TextKind, text: string, marks: readonly TextMark[], wasCut: boolean): Snippet {
  const first = marks[0]?.start ?? 0;
  const start =
    text.length <= LONGEST ? 0 : wholeCharacter(text, Math.max(0, Math.min(first - BEFORE, text.length - LONGEST)));
  const end = wholeCharacter(text, Math.min(text.length, start + LONGEST));
  const quote = kind === KIND.string;
  const cutBefore = start > 0;
  const cutAfter = end < text.length || wasCut;
  const pieces: string[] = [quote && !cutBefore ? '"' : ''];
  const shown: TextMark[] = [];
  let length = pieces[0]?.length ?? 0;
  const add = (from: number, to: number): void => {
    const piece = text.slice(from, to);
    const written = quote ? quoteJson(piece).slice(1, -1) : piece;
    pieces.push(written);
    length += written.length;
  };
  let at = start;
  for (const mark of marks) {
    if (mark.start < at || mark.end > end) continue;
    add(at, mark.start);
    const begun = length;
    add(mark.start, mark.end);
    shown.push({ start: begun, end: length });
    at = mark.end;
  }
  add(at, end);
  if (quote && !cutAfter) pieces.push('"');
  return { text: pieces.join(''), marks: shown, cutBefore, cutAfter };
}

/** Not between the halves of a pair. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff && at > 0 ? at - 1 : at;
}
