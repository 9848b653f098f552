import { Exact, Long, REFERENCE, type SharedValue, Container } from './types.ts';

/** The compact text of a scalar. */
export function scalarText(value: string | number | boolean | null | Exact): string {
  return value instanceof Exact ? value.source : JSON.stringify(value);
}

/** Bytes of the compact text, as UTF-8. */
export function bytesOf(value: SharedValue): number {
  if (value instanceof Container || value instanceof Long) return value.bytes;
  return utf8Length(scalarText(value));
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
export const keyBytes = (key: string): number => utf8Length(JSON.stringify(key)) + 1;

/** Brackets and commas. */
export const frameBytes = (entries: number): number => 2 + Math.max(0, entries - 1);

/** Bytes of a well-formed text as UTF-8. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    // Half of a surrogate pair is two of the four bytes of its character.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}
