/** What PostgreSQL's type jsonb keeps exactly. Source: https://www.postgresql.org/docs/current/datatype-json.html */
import {
  formatPath,
  InspectorError,
  quoteJson,
  sourceOf,
  stringOf,
  type JsonNode,
  type Path,
} from '@checkpoint-inspector/core';
import { parseLoosely } from '../shape.ts';

/** It is stored as a decimal number: without an exponent, and without the sign of a zero. */
const EXACT = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const MINUS_ZERO = /^-0(?:\.0+)?$/;
/** Most digits after the point. */
const MOST_DIGITS = 16_383;

/** A null, boolean, number or text as the server gives it back. @throws InspectorError unsupported */
export function jsonbText(text: string, node: JsonNode, path: Path): string {
  const source = sourceOf(text, node);
  if (node.kind === 'string') {
    const value = stringOf(text, node);
    if (value.includes('\0')) throw notKept(path, "PostgreSQL can't store NUL characters");
    if (!value.isWellFormed()) throw notKept(path, "PostgreSQL can't store half of a surrogate pair");
    return quoteJson(value);
  }
  if (node.kind !== 'number') return source;
  if (EXACT.test(source) && !MINUS_ZERO.test(source) && source.length <= MOST_DIGITS) return source;
  throw notKept(path, `PostgreSQL wouldn't keep ${source.slice(0, 40)} as it is written`);
}

function notKept(path: Path, why: string): InspectorError {
  const at = formatPath(path);
  return new InspectorError(
    'unsupported',
    `This can't be written back exactly as PostgreSQL's JSON: at ${at}, ${why}.`,
    {
      data: { path: at },
      remedy: 'Write it another way: numbers without an exponent, texts without these characters.',
    },
  );
}

/** In the text that JSON.stringify writes: of halves of a pair, only lonely ones are escaped. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;

/** @throws InspectorError invalid_input for characters that no column of type jsonb takes */
export function refuseUnstorable(text: string): void {
  if (!UNSTORABLE.test(JSON.stringify(parseLoosely(text)))) return;
  throw new InspectorError(
    'invalid_input',
    "A name, an author or a reason has a character that PostgreSQL can't store.",
    {
      remedy: 'Leave out NUL characters and halves of surrogate pairs.',
    },
  );
}

/** The order of the keys of an object: by length in bytes, then byte by byte. */
export function byJsonbOrder(a: string, b: string): number {
  const [x, y] = [Buffer.from(a), Buffer.from(b)];
  return x.length - y.length || Buffer.compare(x, y);
}
