/**
 * Signs that no screen shows or that reorder what is around them: controls, marks of direction, joiners, what fills
 * no space, halves of a pair. Line breaks and tabs between values are layout.
 */
const HIDDEN = /[^\P{C}\t\n\r]|[\u2028\u2029\u115f\u1160\u3164\uffa0]/u;
const HIDDEN_ANYWHERE = new RegExp(HIDDEN.source, 'gu');
const ESCAPES = new RegExp(
  String.raw`\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|\\u([0-9a-f]{4})|\\[^u]|${HIDDEN.source}`,
  'giu',
);
const HAS_ESCAPES = new RegExp(String.raw`\\u|${HIDDEN.source}`, 'u');
/** A joiner between letters of other scripts or parts of one picture belongs to the writing. */
const JOINER = /(?<=[^\p{ASCII}])\\u200([cd])(?=[^\p{ASCII}])/gu;

/**
 * JSON text as people read it: `\u0433` is its letter; what a screen would hide or reorder is an escape, however it is
 * stored. The value stays the same.
 * @example readableJson('"caf\\u00e9\\u202e"') // '"café\\u202e"'
 */
export function readableJson(text: string): string {
  if (!HAS_ESCAPES.test(text)) return text;
  const read = text.replace(ESCAPES, (token: string, high?: string, low?: string, unit?: string) => {
    if (high !== undefined && low !== undefined) return letter(fromUnits(high, low), token);
    if (unit !== undefined) return letter(fromUnits(unit), token);
    return token.startsWith('\\') ? token : escaped(token);
  });
  return joined(read);
}

/** A plain text as people read it: what a screen would hide or reorder is an escape. @example readableText('a\u202eb') // 'a\\u202eb' */
export const readableText = (text: string): string =>
  HIDDEN.test(text) ? joined(text.replaceAll(HIDDEN_ANYWHERE, escaped)) : text;

const joined = (text: string): string =>
  text.replaceAll(JOINER, (_, unit: string) => (unit === 'c' ? '\u200c' : '\u200d'));

const fromUnits = (...units: readonly string[]): string =>
  String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16)));

function letter(character: string, token: string): string {
  if (character === '"' || character === '\\') return `\\${character}`;
  return HIDDEN.test(character) || /\s/.test(character) !== (character === ' ') ? token : character;
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }).join('');
}

/**
 * JSON text without the line breaks and spaces between its values, also where it is cut off; a text that has no line
 * breaks stays as it is.
 * @example oneLineJson('{\n  "a b": [\n    1\n  ]\n}') // '{"a b":[1]}'
 */
export function oneLineJson(text: string): string {
  if (!/[\n\r]/.test(text)) return text;
  let line = '';
  let from = 0;
  for (let at = 0; at < text.length;) {
    if (text[at] === '"') at = afterString(text, at);
    else if (isLayout(text[at])) {
      line += text.slice(from, at);
      while (isLayout(text[at])) at += 1;
      from = at;
    } else at += 1;
  }
  return line + text.slice(from);
}

const isLayout = (char: string | undefined): boolean => char === ' ' || char === '\n' || char === '\r' || char === '\t';

function afterString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}
