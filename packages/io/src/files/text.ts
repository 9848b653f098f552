import { InspectorError } from '@checkpoint-inspector/core';
import { createHash, hash } from 'node:crypto';

/** So many characters of a text are encoded at a time: all of a large one would be in memory twice. */
const PIECE = 1 << 20;

/** sha256 as hex digits; of text its UTF-8 bytes. */
export function sha256(data: string | Uint8Array): string {
  if (typeof data !== 'string' || data.length <= PIECE) return hash('sha256', data, 'hex');
  const sum = createHash('sha256');
  for (let at = 0; at < data.length;) {
    // Both halves of a character are encoded together.
    const isHalf = /[\ud800-\udbff]/.test(data.charAt(at + PIECE - 1));
    const end = at + PIECE + (isHalf ? 1 : 0);
    sum.update(data.slice(at, end));
    at = end;
  }
  return sum.digest('hex');
}

/** UTF-8 as it is, a byte order mark included. @throws InspectorError unreadable, with the offset of the bad byte */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    const lossy = Buffer.from(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
    const at = lossy.findIndex((byte, index) => byte !== bytes[index]);
    const offset = at === -1 ? bytes.length : at;
    throw new InspectorError('unreadable', "The text isn't valid UTF-8.", { cause, data: { offset } });
  }
}
