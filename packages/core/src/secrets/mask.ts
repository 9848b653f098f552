import { anyBeginning, secretShapes } from './shapes.ts';

/** One secret in a text, offsets in UTF-16 code units. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  /** Which shape it has, in words. */
  readonly name: string;
}

/** Every secret of a known shape, in order, without overlaps. */
export function findSecrets(text: string): readonly SecretSpan[] {
  if (text.length < SHORTEST || !anyBeginning.test(text)) return [];
  const spans: SecretSpan[] = [];
  for (const { name, pattern } of secretShapes) {
    for (const match of text.matchAll(pattern)) {
      spans.push({ start: match.index, end: match.index + match[0].length, name });
    }
  }
  const sorted = spans.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const kept: SecretSpan[] = [];
  for (const span of sorted) if (span.start >= (kept.at(-1)?.end ?? 0)) kept.push(span);
  return kept;
}

const SHORTEST = 10;
const DOTS = '••••••••';

/**
 * The text with each secret of a known shape cut to its first characters.
 * Nothing is said about secrets of other shapes.
 * @example maskSecrets('key sk-ant-0123456789abcdef0') // 'key sk-a••••••••'
 */
export function maskSecrets(text: string): string {
  const spans = findSecrets(text);
  if (spans.length === 0) return text;
  let masked = '';
  let at = 0;
  for (const { start, end } of spans) {
    masked += `${text.slice(at, start + HINT)}${DOTS}`;
    at = end;
  }
  return masked + text.slice(at);
}

/** Enough to tell which kind of secret stands there, never enough to use it. */
const HINT = 4;
