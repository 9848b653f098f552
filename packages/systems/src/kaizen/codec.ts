import { InspectorError } from '@checkpoint-inspector/core';
import { decodeUtf8, gunzipBounded, looksLikeBomb } from '@checkpoint-inspector/io';
import type { KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { seal, unseal } from './crypt.ts';
import { isEncrypted, isGzipped, type Variant } from './names.ts';

/** Larger documents are listed with a reason and not saved; their bytes can still be had. Counted as stored and inflated. */
export const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;

export interface Decoded {
  /** The document, its last line end included. */
  readonly text: string;
  /** The key that opened it, where it was encrypted. */
  readonly key?: KeyObject;
}

/** Inflated, decrypted, read as UTF-8. @throws InspectorError unreadable | too_large | locked (no key) | wrong_key */
export async function decodeDocument(
  variant: Variant,
  bytes: Uint8Array,
  keys: readonly KeyObject[] = [],
  maxBytes = MAX_DOCUMENT_BYTES,
): Promise<Decoded> {
  if (isEncrypted(variant) && keys.length === 0) throw new InspectorError('locked', 'The file is encrypted.');
  const inflated = isGzipped(variant) ? await gunzipBounded(bytes, { maxBytes }) : bytes;
  if (inflated.length > maxBytes) throw tooLarge(inflated.length, maxBytes, 'are read');
  if (!isEncrypted(variant)) return { text: utf8(inflated, variant) };
  const { plain, key } = unseal(inflated, keys);
  return { text: utf8(plain, variant), key };
}

export interface EncodeOptions {
  /** Given in tests only. */
  readonly nonce?: Uint8Array | undefined;
  /** Default `MAX_DOCUMENT_BYTES`. */
  readonly maxBytes?: number | undefined;
}

/** `decodeDocument` has the same limit. @throws InspectorError locked (encrypted, and no key) | too_large */
export async function encodeDocument(
  variant: Variant,
  text: string,
  key?: KeyObject,
  { nonce, maxBytes = MAX_DOCUMENT_BYTES }: EncodeOptions = {},
): Promise<Uint8Array> {
  const size = Buffer.byteLength(text);
  if (size > maxBytes) throw tooLarge(size, maxBytes, 'are saved');
  let bytes: Uint8Array = Buffer.from(text);
  if (isEncrypted(variant)) {
    if (!key) throw new InspectorError('locked', 'An encryption key is needed.');
    bytes = seal(key, bytes, nonce);
  }
  const stored = isGzipped(variant) ? await gzipped(bytes) : bytes;
  // A nonce and a tag are added, and what gzip cannot shrink grows a little.
  const largest = Math.max(bytes.length, stored.length);
  if (largest > maxBytes) throw tooLarge(largest, maxBytes, 'are saved');
  return new Uint8Array(stored);
}

/** What shrinks so well that reading would take it for a bomb is only wrapped. */
async function gzipped(bytes: Uint8Array): Promise<Uint8Array> {
  const packed = await promisify(gzip)(bytes);
  return looksLikeBomb(bytes.length, packed.length) ? promisify(gzip)(bytes, { level: 0 }) : packed;
}

function tooLarge(size: number, maxBytes: number, are: string): InspectorError {
  return new InspectorError('too_large', `The document is ${size} bytes; up to ${maxBytes} ${are}.`, {
    data: { size, maxBytes },
  });
}

function utf8(bytes: Uint8Array, variant: Variant): string {
  try {
    return decodeUtf8(bytes);
  } catch (cause) {
    if (variant === 'plain') throw cause;
    // An offset means the stored bytes, so here the words say it.
    const where = isEncrypted(variant) ? 'decrypted' : 'inflated';
    const offset = InspectorError.from(cause).data?.['offset'];
    throw new InspectorError('unreadable', `The text is not UTF-8 at byte ${String(offset)} of the ${where} document.`);
  }
}
