/** Steps over MessagePack without decoding it: where a value ends is all that joining needs to know. */
import { InspectorError } from '@checkpoint-inspector/core';

const ended = (at: number): InspectorError =>
  new InspectorError('unreadable', `The msgpack ends too early at byte ${at}.`);

/** Where the value that begins at `start` ends. Costs no more than its bytes. @throws InspectorError unreadable */
export function endOfValue(bytes: Uint8Array, start: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = start;
  for (let left = 1; left > 0; left--) {
    const head = bytes[at];
    if (head === undefined) throw ended(at);
    const { size, values } = extentOf(view, head, at);
    at += size;
    left += values;
    // Every value has a byte at least: more of them than bytes cannot be there.
    if (at > bytes.length || left - 1 > bytes.length - at) throw ended(bytes.length);
  }
  return at;
}

interface Extent {
  /** Bytes of the value itself, its head included. */
  readonly size: number;
  /** Values inside, which come after it. */
  readonly values: number;
}

const SCALARS: ReadonlyMap<number, number> = new Map([
  ...[0xc0, 0xc2, 0xc3].map((head) => [head, 1] as const),
  ...[0xcc, 0xd0].map((head) => [head, 2] as const),
  ...[0xcd, 0xd1].map((head) => [head, 3] as const),
  ...[0xca, 0xce, 0xd2].map((head) => [head, 5] as const),
  ...[0xcb, 0xcf, 0xd3].map((head) => [head, 9] as const),
  ...[0xd4, 0xd5, 0xd6, 0xd7, 0xd8].map((head, power) => [head, 2 + (1 << power)] as const),
]);

/** Heads with a length of 1, 2 or 4 bytes: bytes, extensions, texts. */
const LENGTHS: readonly (readonly [first: number, more: number])[] = [
  [0xc4, 0],
  [0xc7, 1],
  [0xd9, 0],
];

function extentOf(view: DataView, head: number, at: number): Extent {
  if (head < 0x80 || head >= 0xe0) return { size: 1, values: 0 };
  if (head < 0x90) return { size: 1, values: 2 * (head & 0x0f) };
  if (head < 0xa0) return { size: 1, values: head & 0x0f };
  if (head < 0xc0) return { size: 1 + (head & 0x1f), values: 0 };
  const scalar = SCALARS.get(head);
  if (scalar !== undefined) return { size: scalar, values: 0 };
  for (const [first, more] of LENGTHS) {
    const width = 1 << (head - first);
    if (head >= first && head <= first + 2)
      return { size: 1 + width + more + numberAt(view, at + 1, width), values: 0 };
  }
  if (head < 0xdc) throw new InspectorError('unreadable', `The msgpack has the unknown code 0xc1 at byte ${at}.`);
  const width = head % 2 === 0 ? 2 : 4;
  const count = numberAt(view, at + 1, width);
  return { size: 1 + width, values: head < 0xde ? count : 2 * count };
}

/** An unsigned number of 1, 2 or 4 bytes. */
export function numberAt(view: DataView, at: number, width: number): number {
  if (at + width > view.byteLength) throw ended(view.byteLength);
  if (width === 1) return view.getUint8(at);
  return width === 2 ? view.getUint16(at) : view.getUint32(at);
}
