/** Secrets in bytes that are not text, for a dump of them. */
import { findSecrets } from './find.ts';

/** Places in bytes; `end` is the one after the last. */
export interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

/** The classes that keep a secret in clear: pydantic's, and anyone's whose name ends like theirs. */
export const SECRET_CLASS = /Secret(?:Str|Bytes)?(?:\[[^\]]{0,200}\])?$/;
/** The same name in MessagePack, before the value that it hides. */
const SECRET_NAME = /Secret(?:Str|Bytes)?(?:\[[^\]]{0,200}\])?(?=[^ -~])/g;

/**
 * Secrets of known shapes but for their first characters, and whole what follows the name of a class for secrets. A
 * dump may be cut anywhere.
 * @example findSecretBytes(new Uint8Array([0xa9, ...'SecretStr', 0xa2, 0x68, 0x69])) // the last two bytes
 */
export function findSecretBytes(bytes: Uint8Array): readonly ByteSpan[] {
  // One character per byte, so that offsets are the same.
  const text = new TextDecoder('latin1').decode(bytes);
  const shaped = findSecrets(text).map(({ start, end, hint }) => ({ start: start + hint, end }));
  const named = Array.from(text.matchAll(SECRET_NAME), ({ 0: name, index }) => heldAt(bytes, index + name.length));
  return [...shaped, ...named];
}

/** The bytes of the value that begins here, without its head; all there is where it holds more than one. */
function heldAt(bytes: Uint8Array, at: number): ByteSpan {
  const head = bytes[at] ?? 0;
  const start = at + 1;
  if (head >= 0xa0 && head <= 0xbf) return { start, end: start + (head & 0x1f) };
  const wide = [0xc4, 0xc5, 0xc6, 0xd9, 0xda, 0xdb].indexOf(head);
  if (wide >= 0) {
    const width = 1 << (wide % 3);
    const size = bytes.subarray(start, start + width).reduce((sum, byte) => sum * 256 + byte, 0);
    return { start: start + width, end: start + width + size };
  }
  if (head >= 0xcc && head <= 0xd3) return { start, end: start + (1 << (head & 3)) };
  return { start: at, end: bytes.length };
}
