/** A text as numbered lines for a list, and where words are in it. */

export interface TextLine {
  /** Of the text, from 1; absent where a long line continues. */
  readonly number?: number;
  /** With its line break. */
  readonly text: string;
  /** Where it begins in the whole text. */
  readonly start: number;
}

/** A longer line is cut, so that no row of the list is higher than a few screens. */
const LONGEST = 8_000;

/** @example linesOf('a\nb').map(({ number }) => number) // [1, 2] */
export function linesOf(text: string, longest = LONGEST): readonly TextLine[] {
  const lines: TextLine[] = [];
  let number = 0;
  for (let from = 0; from < text.length || number === 0;) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end + 1;
    number += 1;
    lines.push({ number, text: text.slice(from, Math.min(to, from + longest)), start: from });
    for (let at = from + longest; at < to; at += longest)
      lines.push({ text: text.slice(at, Math.min(to, at + longest)), start: at });
    from = to;
  }
  return lines;
}

const MOST_MATCHES = 2_000;

/** Where the words begin, however they are written; the first 2,000 places. */
export function placesOf(text: string, words: string): readonly number[] {
  const [inText, wanted] = [text.toLowerCase(), words.toLowerCase()];
  // A letter that is longer in small would move every place behind it.
  if (wanted === '' || inText.length !== text.length) return wanted === '' ? [] : exactPlaces(text, words);
  return exactPlaces(inText, wanted);
}

function exactPlaces(text: string, words: string): readonly number[] {
  const places: number[] = [];
  for (
    let at = text.indexOf(words);
    at >= 0 && places.length < MOST_MATCHES;
    at = text.indexOf(words, at + words.length)
  )
    places.push(at);
  return places;
}

/** The place in the list of the line that contains a place in the text. */
export function lineAt(lines: readonly TextLine[], place: number): number {
  let [low, high] = [0, lines.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((lines[middle]?.start ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}
