import { fromJsonText } from '@checkpoint-inspector/core';

/**
 * A line as plain values, for what is told about it; what is shown as stored is cut out of its text. The texts in it are
 * its own: a part of the line's text would keep all of that for as long as a mark is kept.
 * @throws InspectorError unreadable
 * @example valueIn(Buffer.from('{"id":"m1"}')) // { id: 'm1' }
 */
export function valueIn(bytes: Uint8Array): unknown {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  try {
    return JSON.parse(text);
  } catch {
    // With Python's numbers that JSON doesn't have, or with the reason why it can't be read.
    return fromJsonText(text);
  }
}
