import { maskSecrets } from '@checkpoint-inspector/core';
import { styleText } from 'node:util';
import type { CheckpointStatus } from '@checkpoint-inspector/core';

/** Text in the cells of a terminal. */
const PLAIN = /^[\x20-\x7E]*$/;
const WIDE =
  /\p{Emoji_Presentation}|\uFE0F|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\uFF01-\uFF60\uFFE0-\uFFE6]/u;
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

const split = (text: string): string[] =>
  PLAIN.test(text) ? Array.from(text) : Array.from(graphemes.segment(text), ({ segment }) => segment);
const widthOf = (grapheme: string): number => (WIDE.test(grapheme) ? 2 : 1);

/** Columns that a text takes. @example cellWidth('漢a') // 3 */
export function cellWidth(text: string): number {
  return PLAIN.test(text) ? text.length : split(text).reduce((sum, one) => sum + widthOf(one), 0);
}

export const padCell = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - cellWidth(text)));

/** @example cutEnd('a long name', 7) // 'a long…' */
export function cutEnd(text: string, width: number): string {
  return cellWidth(text) <= width ? text : `${take(split(text), width - 1)}…`;
}

/**
 * The longest word shortened in its middle: ids differ at their ends, and what is beside them stays.
 * @example cutMiddle('ckpt_0000000010a1 (recorded)', 20) // 'ckpt…10a1 (recorded)'
 */
export const cutMiddle = (text: string, width: number): string => middleCutter(text)(width);

/** `cutMiddle` of one text at several widths: it is measured and split once. */
export function middleCutter(text: string): (width: number) => string {
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

/** `--reveal`: secrets of known shapes are printed as they are stored. One choice for the whole run. */
let revealed = false;

export const reveal = (isRevealed: boolean): void => void (revealed = isRevealed);

/** Stored text as it may reach a terminal: no control sequences, and secrets masked unless `--reveal`. */
export function printable(text: string): string {
  return masked(text).replaceAll(/\p{Cc}/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** For what is cut afterwards: half a secret has no shape. */
export const masked = (text: string): string => (revealed ? text : maskSecrets(text));

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'magenta';

/** Always with the control sequences: whether they are wanted is the caller's question. */
export const paint = (style: Style, text: string): string => styleText(style, text, { validateStream: false });

const STATUS: Readonly<Record<CheckpointStatus, Style>> = {
  failed: 'red',
  interrupted: 'yellow',
  running: 'cyan',
  pending: 'cyan',
  completed: 'green',
  unknown: 'dim',
};

/** For a column of statuses; what is none of them is a problem. */
export const statusColumn = (title: string) => ({
  title,
  style: (cell: string): Style | undefined => (cell in STATUS ? STATUS[cell as CheckpointStatus] : 'red'),
});
