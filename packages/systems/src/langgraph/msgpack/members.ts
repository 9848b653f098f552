/** Members of a stored map by the places of their bytes, so that one is replaced and every other byte stays. */
import { InspectorError } from '@checkpoint-inspector/core';
import { MsgpackReader } from './read.ts';

/** Where a value is; `end` is the byte after it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The members of the map that begins at this byte, by the JSON text of their keys. @throws InspectorError unreadable | unsupported */
export function membersOf(bytes: Uint8Array, at = 0): ReadonlyMap<string, Span> {
  const reader = new MsgpackReader(bytes, at);
  const size = reader.mapLength();
  if (size === undefined) throw new InspectorError('unsupported', 'The msgpack is not a map here.');
  const members = new Map<string, Span>();
  for (let n = 0; n < size; n++) {
    const key = reader.value();
    const start = reader.at;
    reader.value();
    if (members.has(key)) throw new InspectorError('unsupported', `The key ${key} is stored twice.`);
    members.set(key, { start, end: reader.at });
  }
  return members;
}

/** The bytes with others in the place of some. */
export function spliced(bytes: Uint8Array, parts: readonly (Span & { readonly by: Uint8Array })[]): Uint8Array {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const { start, end, by } of parts.toSorted((a, b) => a.start - b.start)) {
    pieces.push(bytes.subarray(at, start), by);
    at = end;
  }
  return Buffer.concat([...pieces, bytes.subarray(at)]);
}

/** The items of the array that is all there is. @throws InspectorError unreadable | unsupported */
export function itemsOf(bytes: Uint8Array): readonly Span[] {
  const reader = new MsgpackReader(bytes);
  const size = reader.arrayLength();
  if (size === undefined) return [];
  const items: Span[] = [];
  for (let n = 0; n < size; n++) {
    const start = reader.at;
    reader.value();
    items.push({ start, end: reader.at });
  }
  return items;
}

/** The body of the extension that begins here; `undefined` for anything else. */
export function extensionAt(bytes: Uint8Array): (Span & { readonly code: number }) | undefined {
  const head = bytes[0] ?? 0;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const wide = head >= 0xc7 && head <= 0xc9 ? 1 << (head - 0xc7) : 0;
  if (wide === 0 && (head < 0xd4 || head > 0xd8)) return undefined;
  const size =
    wide === 0
      ? 1 << (head - 0xd4)
      : wide === 1
        ? view.getUint8(1)
        : wide === 2
          ? view.getUint16(1)
          : view.getUint32(1);
  const start = 2 + wide;
  return { code: view.getInt8(start - 1), start, end: start + size };
}
