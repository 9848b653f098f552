/** Places of secrets in a text, also in one whose characters are spelled with escapes. */

/** One secret in a text, offsets in UTF-16 code units. */
export interface SecretSpan {
  readonly start: number;
  /** The one after the last. */
  readonly end: number;
  /** What it is, in words. */
  readonly name: string;
  /** So many of its first characters tell what it is and no more: they stay visible. */
  readonly hint: number;
}

export interface Found extends SecretSpan {
  /** Where that begins by which it was known: its name, the scheme of its address. */
  readonly from: number;
  /** Where that ends, if not with the secret. */
  readonly to?: number;
  /** What it says, where it is spelled with escapes. */
  readonly said?: string;
  /** A number in JSON: what takes its place is a string. */
  readonly bare?: true;
}

/** For what a person's own rule matches. */
export const OWN = 'own rule';

/** In order; what overlaps is one, known by what begins it. */
export function merged(found: readonly Found[]): readonly Found[] {
  if (found.every(({ start }, at) => at === 0 || start >= (found[at - 1]?.end ?? 0))) return found;
  const kept: Found[] = [];
  for (const next of found.toSorted((a, b) => a.start - b.start || b.hint - a.hint || b.end - a.end)) {
    const last = kept.at(-1);
    if (last === undefined || next.start >= last.end) {
      kept.push(next);
      continue;
    }
    const { start } = last;
    const { name, hint } = next.name === OWN ? next : last;
    const from = Math.min(last.from, next.from);
    const to = Math.max(last.to ?? last.end, next.to ?? next.end);
    // The same secret read in two ways: a hostile text has millions of them.
    if (next.name !== OWN && next.end <= last.end && from === last.from && to === (last.to ?? last.end)) continue;
    const whole = next.end > last.end ? { end: next.end } : last;
    kept[kept.length - 1] = { ...whole, start, from, to, name, hint };
  }
  return kept;
}

/** The text up to the last character that is none of these: a regular expression with `$` would try at each of them. */
export function trimmedEnd(text: string, signs: string): string {
  let end = text.length;
  while (end > 0 && signs.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

export interface Spelled {
  /** With its escapes read. */
  readonly text: string;
  /** What was found in `text`, at its place in what it was spelled with. */
  back(found: Found): Found;
}

/** One kind of escapes, each of which spells one character. */
export interface Escapes {
  /** All of a text at once, where its escapes are such that it can be. */
  whole?(written: string): string | undefined;
  readonly one: RegExp;
  /** Many of them in a row are read at once: a call for each would take longer than all else. */
  readonly run: RegExp;
  read(run: string): string;
}

/** So many escapes in a row: more would need more memory to match than there may be. */
export const runOf = (one: string): RegExp => new RegExp(`(?:${one}){1,2000}`, 'gi');

/** @example spelled('a%3Db', { one: /%3D/g, run: /(?:%3D)+/g, read: decodeURIComponent }).text // 'a=b' */
export function spelled(written: string, escapes: Escapes): Spelled {
  const text = escapes.whole?.(written) ?? written.replaceAll(escapes.run, (run) => escapes.read(run));
  let places: ReturnType<typeof placesOf> | undefined;
  return {
    text,
    back: (found) => {
      const { begin, endOf } = (places ??= placesOf(written, escapes.one));
      const start = begin(found.start);
      return {
        ...found,
        start,
        from: begin(found.from),
        ...(found.to === undefined ? {} : { to: endOf(found.to) }),
        end: endOf(found.end),
        hint: found.hint === 0 ? 0 : endOf(found.start + found.hint) - start,
        said: found.said ?? text.slice(found.start, found.end),
      };
    },
  };
}

/** Where characters of the text are in what it was spelled with; worked out only where something is found. */
function placesOf(written: string, one: RegExp) {
  /** After each escape: where that is in the result, and how much shorter the result is until there. */
  const ends: number[] = [];
  const shorter: number[] = [];
  let [from, length] = [0, 0];
  one.lastIndex = 0;
  for (let match = one.exec(written); match !== null; match = one.exec(written)) {
    length += match.index - from + 1;
    from = one.lastIndex;
    ends.push(length);
    shorter.push(from - length);
  }

  /** How many escapes end before a place of the result, or at it. */
  const escapesBefore = (place: number): number => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const begin = (place: number): number => place + (shorter[escapesBefore(place) - 1] ?? 0);
  /** The end of the character before a place. */
  const endOf = (place: number): number => {
    const before = escapesBefore(place - 1);
    return place + ((ends[before] === place ? shorter[before] : shorter[before - 1]) ?? 0);
  };
  return { begin, endOf };
}
