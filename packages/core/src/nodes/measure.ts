import { Exact, Long, REFERENCE, type SharedValue, Container } from './types.ts';

/** What is one and the same is fetched from memory for `===`, as it might be `NaN`, and not for this. */
export const isSame = (a: unknown, b: unknown): boolean => Object.is(a, b);

/** The compact text of a scalar. */
export function scalarText(value: string | number | boolean | null | Exact): string {
  return value instanceof Exact ? value.source : JSON.stringify(value);
}

/** Bytes of the compact text, as UTF-8. */
export function bytesOf(value: SharedValue): number {
  return value instanceof Container || value instanceof Long ? value.bytes : scalarBytes(value);
}

export function scalarBytes(value: string | number | boolean | null | Exact): number {
  if (typeof value === 'string') return stringBytes(value);
  return value instanceof Exact ? utf8Length(value.source) : String(value).length;
}

type Entries = Pick<Container, 'values' | 'keys'>;

/** Weight and bytes of all entries, from those of the container before: so many at either end are the same. */
export function measured(
  made: Entries,
  old: Container | undefined,
  prefix: number,
  suffix: number,
): { weight: number; entryBytes: number } {
  let weight = old?.weight ?? 0;
  let entryBytes = old === undefined ? 0 : old.bytes - frameBytes(old.values.length);
  const count = ({ values, keys }: Entries, at: number, sign: 1 | -1): void => {
    const key = keys?.[at];
    const value = values[at] ?? null;
    weight += sign * (weightOf(value) + (key === undefined ? 0 : keyWeight(key)));
    entryBytes += sign * (bytesOf(value) + (key === undefined ? 0 : keyBytes(key)));
  };
  const isOld = (at: number): boolean =>
    isSame(made.values[at], old?.values[at]) && isSame(made.keys?.[at], old?.keys?.[at]);
  const isAligned = old?.values.length === made.values.length;
  for (let at = prefix; at < made.values.length - suffix; at++) if (!isAligned || !isOld(at)) count(made, at, 1);
  if (old === undefined) return { weight, entryBytes };
  for (let at = prefix; at < old.values.length - suffix; at++) if (!isAligned || !isOld(at)) count(old, at, -1);
  return { weight, entryBytes };
}

/** How much of the text of what it is in a value takes; by its contents alone, so that cuts depend on nothing else. */
export function weightOf(value: SharedValue): number {
  if (typeof value === 'string') return value.length + 2;
  if (value instanceof Long) return REFERENCE;
  if (value instanceof Exact) return value.source.length;
  if (!(value instanceof Container)) return String(value).length;
  return value.node === undefined ? inlineWeight(value.values.length, value.weight) : REFERENCE;
}

/** Of a container with its brackets and commas. */
export const inlineWeight = (entries: number, weight: number): number => weight + entries + 2;

/** A key with its quotes and colon. */
export const keyWeight = (key: string): number => key.length + 3;
export const keyBytes = (key: string): number => stringBytes(key) + 1;

/** Brackets and commas. */
export const frameBytes = (entries: number): number => 2 + Math.max(0, entries - 1);

/** Bytes of a string as `JSON.stringify` writes it: quotes, escapes, and halves of surrogate pairs as their numbers. */
export function stringBytes(text: string): number {
  if (!WITH_ESCAPES.test(text)) return text.length + 2;
  let bytes = text.length + 2;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x80) bytes += unit < 0x800 ? 1 : isLone(text, at, unit) ? 5 : isHalf(unit) ? 1 : 2;
    else if (unit < 0x20) bytes += SHORT_ESCAPES.includes(unit) ? 1 : 5;
    else if (unit === 0x22 || unit === 0x5c) bytes++;
  }
  return bytes;
}

// oxlint-disable-next-line no-control-regex -- what JSON escapes, or takes more than a byte
const WITH_ESCAPES = /[^ !#-[\]-~]/;
// oxlint-disable-next-line no-control-regex
const ASCII = /^[\u0000-\u007f]*$/;

/** Backspace, tab, line feed, form feed, carriage return. */
const SHORT_ESCAPES: readonly number[] = [0x08, 0x09, 0x0a, 0x0c, 0x0d];

const isHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;

/** Half of a surrogate pair without the other half. */
function isLone(text: string, at: number, unit: number): boolean {
  if (!isHalf(unit)) return false;
  const other = text.charCodeAt(unit < 0xdc00 ? at + 1 : at - 1);
  return unit < 0xdc00 ? !(other >= 0xdc00 && other <= 0xdfff) : !(other >= 0xd800 && other < 0xdc00);
}

/** Bytes of a well-formed text as UTF-8. */
export function utf8Length(text: string): number {
  if (ASCII.test(text)) return text.length;
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    // Half of a surrogate pair is two of the four bytes of its character.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}
