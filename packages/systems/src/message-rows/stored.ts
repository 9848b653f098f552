/** What is read of the rows of messages alike. */
import { parseJson, quoteJson, type Problem } from '@checkpoint-inspector/core';
import { problemOf } from '../folder/document.ts';

/** A column of JSON as it goes into a state; text that isn't JSON stays a text, as the systems themselves take it. */
export function jsonOrText(cell: unknown): { readonly text: string; readonly problem?: Problem } {
  if (typeof cell !== 'string')
    return { text: 'null', problem: { code: 'unreadable', message: "The content isn't text." } };
  try {
    parseJson(cell);
    return { text: cell.trim() };
  } catch (error) {
    const looksLikeJson = /^\s*[[{]/.test(cell);
    return { text: quoteJson(cell), ...(looksLikeJson ? { problem: problemOf(error) } : {}) };
  }
}

/** The beginning of a text, for a list. @example wordsOf('Weather in Paris?') */
export function wordsOf(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const start = line.slice(0, 78).replace(/[\ud800-\udbff]$/, '');
  return start.length < line.length ? `${start}…` : line;
}
