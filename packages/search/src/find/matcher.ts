import type { SearchTerm } from '../query/types.ts';
import { SHORTEST_INDEXED, fold } from '../cache/fold.ts';
import { KIND, type TextKind } from '../cache/kinds.ts';
import type { TextMark } from '../cache/types.ts';

/** One value where it is. */
export interface Place {
  readonly path: string;
  readonly kind: TextKind;
  /** Absent where only the path is looked at. */
  readonly text?: string;
}

interface Needle {
  /** Folded. */
  readonly text: string;
  readonly path?: string;
  readonly exact: boolean;
}

/** Which texts to go through: those that hold `text`, values or paths or both. */
export interface Driver {
  readonly text: string;
  readonly side: 'both' | 'value' | 'path';
}

export interface Matcher {
  readonly driver: Driver;
  matches(place: Place): boolean;
  /** 0: the whole value; 1: whole words, or a whole key; 2: a part; 3: a part of a key. */
  rank(place: Place): number;
  marksIn(text: string): TextMark[];
  pathMarks(path: string): TextMark[];
}

/** `undefined` without a term to look for. */
export function createMatcher(terms: readonly SearchTerm[]): Matcher | undefined {
  const wanted = terms.filter((term) => !term.not).map(toNeedle);
  const unwanted = terms.filter((term) => term.not).map(toNeedle);
  const driver = wanted.map(driverOf).toSorted((a, b) => b.text.length - a.text.length)[0];
  const [first] = wanted;
  if (driver === undefined || first === undefined) return undefined;
  const texts = wanted.map(({ text }) => text);
  const paths = wanted.map(({ text, path }) => (path === undefined ? text : withoutDot(path)));
  return {
    driver,
    matches: (place) =>
      wanted.every((needle) => holds(needle, place)) && !unwanted.some((needle) => holds(needle, place)),
    rank: (place) => rank(first, place),
    marksIn: (text) => marksOf(text, texts),
    pathMarks: (path) => marksOf(path, paths),
  };
}

const toNeedle = ({ text, path, exact }: SearchTerm): Needle => ({
  text: fold(text),
  ...(path === undefined ? {} : { path: fold(path) }),
  exact: exact === true,
});

const withoutDot = (path: string): string => path.replace(/^\./, '');

function driverOf({ text, path }: Needle): Driver {
  if (path === undefined) return { text, side: 'both' };
  return text.length >= SHORTEST_INDEXED ? { text, side: 'value' } : { text: withoutDot(path), side: 'path' };
}

function holds(needle: Needle, place: Place): boolean {
  const path = fold(place.path);
  const text = place.text === undefined ? undefined : fold(place.text);
  if (needle.path === undefined) return path.includes(needle.text) || (text?.includes(needle.text) ?? false);
  if (text === undefined || place.path === '' || !pathHolds(path, needle.path)) return false;
  // 42 is not a 4200: only in a string a part of it counts.
  const whole = needle.exact || place.kind !== KIND.string;
  return whole ? text === needle.text : text.includes(needle.text);
}

/** Whole steps, one after the other. */
function pathHolds(path: string, wanted: string): boolean {
  if (wanted.startsWith('$')) return path === wanted;
  const steps = withoutDot(wanted);
  if (steps === '') return false;
  for (let at = path.indexOf(steps); at !== -1; at = path.indexOf(steps, at + 1)) {
    const end = at + steps.length;
    const begins = '.["'.includes(path[at - 1] ?? '') || steps.startsWith('[');
    if (begins && (end === path.length || '.["]'.includes(path[end] ?? ''))) return true;
  }
  return false;
}

function rank({ text, path }: Needle, place: Place): number {
  if (place.text === undefined) return lastKey(fold(place.path)) === text ? 1 : 3;
  const value = fold(place.text);
  if (value === text) return 0;
  if (path === undefined && !value.includes(text)) return 3;
  return isWord(value, text) ? 1 : 2;
}

/** The last key of a path, past any indices. */
export function lastKey(path: string): string {
  const keyed = path.replace(/(?:\[\d+\])+$/, '');
  return keyed.endsWith('"]') ? keyed.slice(keyed.lastIndexOf('["') + 2, -2) : keyed.slice(keyed.lastIndexOf('.') + 1);
}

const LETTER = /[\p{L}\p{N}_]/u;

function isWord(text: string, word: string): boolean {
  const at = text.indexOf(word);
  return at !== -1 && !LETTER.test(text[at - 1] ?? '') && !LETTER.test(text[at + word.length] ?? '');
}

/** Where the needles are, in order and without overlaps. */
function marksOf(text: string, needles: readonly string[]): TextMark[] {
  const folded = fold(text);
  // Some letters change their length when folded; there offsets would lie.
  if (folded.length !== text.length) return [];
  const marks: TextMark[] = [];
  for (const needle of needles) {
    if (needle === '') continue;
    for (let at = folded.indexOf(needle); at !== -1; at = folded.indexOf(needle, at + needle.length))
      marks.push({ start: at, end: at + needle.length });
  }
  const sorted = marks.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const kept: TextMark[] = [];
  for (const mark of sorted) if (mark.start >= (kept.at(-1)?.end ?? 0)) kept.push(mark);
  return kept;
}
