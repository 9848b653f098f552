/** Shows JSON text: line breaks may be added, tokens never change. */
import { InspectorError, parseJson, stringOf, type JsonNode } from '@checkpoint-inspector/core';
import { formatCount } from './format.ts';
import { layout } from './layout.ts';

type JsonKind = JsonNode['kind'];

/** The kind of a JSON text by its first character; the text is known to be valid. */
export function kindOf(text: string): JsonKind {
  const first = text.trimStart()[0];
  if (first === '{') return 'object';
  if (first === '[') return 'array';
  if (first === '"') return 'string';
  if (first === 't' || first === 'f') return 'boolean';
  return text.trim() === 'null' ? 'null' : 'number';
}

/** The unescaped text of a JSON string. */
export const plainString = (text: string): string => stringOf(text, parseJson(text));

/** Parses, or says why not. */
export function tryParse(text: string): { node: JsonNode } | { error: InspectorError } {
  try {
    return { node: parseJson(text) };
  } catch (error) {
    return { error: InspectorError.from(error) };
  }
}

/** How long a text may be to be formatted at once; longer ones are shown as stored, or formatted in a worker. */
export const LAYOUT_LIMIT = 200_000;

/** JSON text with line breaks where a value does not fit into `width` characters. */
export function layoutJson(text: string, width = 46): string {
  if (text.length <= width || text.length > LAYOUT_LIMIT) return text;
  const parsed = tryParse(text);
  return 'error' in parsed ? text : layout(text, parsed.node, width);
}

/** What changed between two numbers in words, where it tells more than the figures. Exact: by digits, never rounded. */
export function numberNote(before: string, after: string): string | undefined {
  const [a, b] = [decimalOf(before), decimalOf(after)];
  if (!a || !b || a.digits !== b.digits) return undefined;
  if (a.digits === '') return 'Same value, written differently.';
  if (a.negative !== b.negative) return a.power === b.power ? 'The sign changed.' : undefined;
  const power = b.power - a.power;
  if (power === 0) return 'Same value, written differently.';
  if (Math.abs(power) > MOST_POWER) return undefined;
  return `${formatCount(10 ** Math.abs(power))} times ${power > 0 ? 'larger' : 'smaller'}.`;
}

const MOST_POWER = 12;

/** A number as its significant digits and the power of ten of the last one. */
function decimalOf(text: string): { negative: boolean; digits: string; power: number } | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  return { negative: sign === '-', digits, power: Number(exponent) - fraction.length + (all.length - digits.length) };
}
