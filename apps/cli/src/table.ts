import type { Terminal } from './terminal.ts';
import { createMasker, readableText, type TaskOutcome, type Masker } from '@checkpoint-inspector/core';
import { styleText } from 'node:util';

/** Text in the cells of a terminal. */
const PLAIN = /^[\x20-\x7E]*$/;
const WIDE =
  /\p{Emoji_Presentation}|\uFE0F|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\uFF01-\uFF60\uFFE0-\uFFE6]/u;
let graphemes: Intl.Segmenter | undefined;

/** The segmenter is made when first needed: making it takes longer than a small command does otherwise. */
function split(text: string): string[] {
  if (PLAIN.test(text)) return Array.from(text);
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

const widthOf = (grapheme: string): number => (WIDE.test(grapheme) ? 2 : 1);

/** Columns that a text takes. @example cellWidth('漢a') // 3 */
export function cellWidth(text: string): number {
  return PLAIN.test(text) ? text.length : split(text).reduce((sum, one) => sum + widthOf(one), 0);
}

const padCell = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - cellWidth(text)));

/** @example cutEnd('a long name', 7) // 'a long…' */
export function cutEnd(text: string, width: number): string {
  return cellWidth(text) <= width ? text : `${take(split(text), width - 1)}…`;
}

/** The longest word shortened in its middle: ids differ at their ends, and what is beside them stays. */
export const cutMiddle = (text: string, width: number): string => middleCutter(text)(width);

/** `cutMiddle` of one text at several widths: it is measured and split once. */
function middleCutter(text: string): (width: number) => string {
  const whole = cellWidth(text);
  const { word, width: wordWidth } = longestWord(text);
  let letters: readonly string[] | undefined;
  return (width) => {
    const over = whole - width;
    if (over <= 0) return text;
    letters ??= split(word);
    const kept = Math.max(3, wordWidth - over) - 1;
    const start = take(letters, Math.ceil(kept / 2));
    const end = take(letters, Math.floor(kept / 2), true);
    return text.replace(word, () => `${start}…${end}`);
  };
}

function longestWord(text: string): { readonly word: string; readonly width: number } {
  const words = text.split(' ').map((word) => ({ word, width: cellWidth(word) }));
  return words.reduce((longest, one) => (one.width > longest.width ? one : longest), { word: '', width: 0 });
}

function take(letters: readonly string[], width: number, fromEnd = false): string {
  const taken: string[] = [];
  let used = 0;
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[fromEnd ? letters.length - 1 - at : at] ?? '';
    used += widthOf(letter);
    if (used > width) break;
    taken.push(letter);
  }
  return (fromEnd ? taken.reverse() : taken).join('');
}

/** `--reveal`: secrets of known shapes are printed as stored. One choice for the whole run. */
let revealed = false;

export function reveal(isRevealed: boolean): void {
  revealed = isRevealed;
  masker = createMasker();
}

/**
 * Stored text as it may reach a terminal: what would hide, reorder or control what is around it is an escape, as on the
 * page; so are line breaks and tabs, as one cell is one line. Secrets are masked unless `--reveal`.
 * @example printable('a\u202eb\n') // 'a\\u202eb\\u000a'
 */
export function printable(text: string): string {
  return readableText(masked(text)).replaceAll(
    /[\t\n\r]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** For what is cut afterwards: half a secret has no shape. */
export const masked = (text: string): string => (revealed ? text : masker.text(text));

/** Until stores are open there is no key, and what looks alike is not told apart. */
let masker = createMasker();

export const maskWith = (next: Masker): void => void (masker = next);

/** A value of a state, which its names mask too; `json` may be the beginning of it. */
export const maskedAt = (path: string, json: string): string => (revealed ? json : masker.at(path, json));

/** For JSON text: it stays JSON. */
export const maskedJson = (text: string): string => (revealed ? text : masker.json(text));

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'magenta';

/** Always with the control sequences: whether they are wanted is the caller's question. */
export const paint = (style: Style, text: string): string => styleText(style, text, { validateStream: false });

const STATUS: Readonly<Record<TaskOutcome, Style>> = {
  failed: 'red',
  check_failed: 'yellow',
  interrupted: 'yellow',
  running: 'cyan',
  pending: 'cyan',
  completed: 'green',
  unknown: 'dim',
};

/** For a column of statuses; what is none of them is a problem. */
export const statusColumn = (title: string) => ({
  title,
  style: (cell: string): Style | undefined => (cell in STATUS ? STATUS[cell as TaskOutcome] : 'red'),
});

export interface Column {
  readonly title: string;
  /** How it gets narrower where the terminal is too narrow: `never` is for what people copy whole. Default `end`. */
  readonly cut?: 'end' | 'middle' | 'never';
  readonly style?: (cell: string) => Style | undefined;
}

type Head = string | Column;

const GAP = 2;
const NARROWEST = 8;

/** A column of ids: shortened in the middle, and still different from each other. */
export const ids = (title: string): Column => ({ title, cut: 'middle' });
/** A column that is never cut. */
export const whole = (title: string): Column => ({ title, cut: 'never' });

/**
 * Columns as wide as their longest cell. On a terminal the widest ones get narrower until the line fits; in a pipe
 * nothing is cut. The last column is not padded.
 */
export function table(head: readonly Head[], rows: readonly (readonly string[])[], terminal?: Terminal): string[] {
  const columns = head.map((one): Column => (typeof one === 'string' ? { title: one } : one));
  const cells = rows.map((row) => columns.map((_, at) => printable(row[at] ?? '')));
  const shown = columns.map((column, at) => columnOf(column, [column.title, ...cells.map((row) => row[at] ?? '')]));
  const widths = fitted(shown, terminal?.width);
  const colours = terminal?.colours ?? false;
  return [columns.map(({ title }) => title), ...cells].map((row, line) =>
    row
      .map((cell, at) => {
        const [column, width] = [columns[at], widths[at] ?? 0];
        const text = cut(column?.cut, cell, width);
        const padded = at === row.length - 1 ? text : padCell(text, width);
        const style = line === 0 ? 'bold' : column?.style?.(cell);
        return colours && style !== undefined ? paint(style, padded) : padded;
      })
      .join(' '.repeat(GAP))
      .trimEnd(),
  );
}

interface Measured {
  readonly width: number;
  readonly least: number;
}

function columnOf({ cut: how = 'end', title }: Column, cells: readonly string[]): Measured {
  const width = cells.reduce((widest, cell) => Math.max(widest, cellWidth(cell)), 0);
  if (how === 'never') return { width, least: width };
  const least = Math.min(width, Math.max(NARROWEST, cellWidth(title)));
  return { width, least: how === 'middle' ? stillDifferent(cells, least, width) : least };
}

/** The narrowest width at which no two cells look the same. */
function stillDifferent(cells: readonly string[], least: number, most: number): number {
  const cutters = [...new Set(cells)].map(middleCutter);
  const differ = (width: number): boolean => new Set(cutters.map((cutTo) => cutTo(width))).size === cutters.length;
  // A wider cell shows more of both ends: once they differ, they differ at every greater width.
  let [low, high] = [least, most];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (differ(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Takes from the widest column that can give, one cell after the other. */
function fitted(columns: readonly Measured[], width: number | undefined): number[] {
  const widths = columns.map((column) => column.width);
  if (width === undefined) return widths;
  const gaps = GAP * (columns.length - 1);
  for (let over = sum(widths) + gaps - width; over > 0; over--) {
    const widest = columns.reduce((best, { least }, at) => {
      const gives = (widths[at] ?? 0) > least;
      return gives && (best === -1 || (widths[at] ?? 0) > (widths[best] ?? 0)) ? at : best;
    }, -1);
    if (widest === -1) return widths;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

function cut(how: Column['cut'], cell: string, width: number): string {
  if (how === 'never') return cell;
  return how === 'middle' ? cutMiddle(cell, width) : cutEnd(cell, width);
}
