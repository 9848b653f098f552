/** What a request asks, as a sentence where it holds one. */
import { plural } from '../../lib/format.ts';
import { parseOrUndefined } from '../../lib/read.ts';

/**
 * The words of a request: a text is its own; of an object the text that asks, else the longest; nothing where there
 * is none, and the request itself is shown. @example questionOf('{"question":"Approve it?"}') // 'Approve it?'
 */
export function questionOf(text: string): string | undefined {
  const value = parseOrUndefined(text);
  if (value === undefined) return aboveJson(text);
  const words = wordsIn(value, 3);
  const asks = words.filter((one) => one.trimEnd().endsWith('?'));
  return (asks.length > 0 ? asks : words).toSorted((a, b) => b.length - a.length)[0];
}

/** What asks, without the call that some agents write below it. */
function aboveJson(text: string): string | undefined {
  const end = text.indexOf('\n');
  const asked = end > 0 && parseOrUndefined(text.slice(end)) !== undefined ? text.slice(0, end) : text;
  return asked.trim() === '' ? undefined : asked;
}

/** Texts of more than one word, or that ask with one, not deeper than so many levels. */
function wordsIn(value: unknown, levels: number): readonly string[] {
  if (typeof value === 'string') return /\S\s+\S|\p{L}\?\s*$/u.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null || levels === 0) return [];
  return Object.values(value).flatMap((part) => wordsIn(part, levels - 1));
}

/** @example waitingWords(2) // '2 tasks are waiting for a person, longest first' */
export const waitingWords = (count: number): string =>
  `${plural(count, 'task is', 'tasks are')} waiting for a person${count > 1 ? ', longest first' : ''}`;
