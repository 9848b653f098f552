import { InspectorError } from '@checkpoint-inspector/core';
import { gunzipBounded } from '@checkpoint-inspector/io';
import type { KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { seal, unseal } from './crypt.ts';
import { isEncrypted, isGzipped, type Variant } from './names.ts';

/** Larger documents stand as rows with a reason; their bytes can still be had. */
export const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;

export interface Decoded {
  /** The document, its last line end included. */
  readonly text: string;
  /** The key that opened it, where it was encrypted. */
  readonly key?: KeyObject;
}

/**
 * The document in the stored bytes of a file: inflate, decrypt, read as UTF-8.
 * @throws InspectorError unreadable | too_large | locked (no key given) | wrong_key
 */
export async function decodeDocument(
  variant: Variant,
  bytes: Uint8Array,
  keys: readonly KeyObject[] = [],
): Promise<Decoded> {
  if (isEncrypted(variant) && keys.length === 0) throw new InspectorError('locked', 'The file is encrypted.');
  const limits = { maxBytes: MAX_DOCUMENT_BYTES };
  const inflated = isGzipped(variant) ? await gunzipBounded(bytes, limits) : bytes;
  if (inflated.length > MAX_DOCUMENT_BYTES) {
    const size = inflated.length;
    throw new InspectorError('too_large', `The document has ${size} bytes; up to ${MAX_DOCUMENT_BYTES} are read.`);
  }
  if (!isEncrypted(variant)) return { text: utf8(inflated, variant) };
  const { plain, key } = unseal(inflated, keys);
  return { text: utf8(plain, variant), key };
}

/** The bytes to store. `nonce` is given in tests only. @throws InspectorError locked when an encrypted variant has no key */
export async function encodeDocument(
  variant: Variant,
  text: string,
  key?: KeyObject,
  nonce?: Uint8Array,
): Promise<Uint8Array> {
  let bytes: Uint8Array = Buffer.from(text);
  if (isEncrypted(variant)) {
    if (!key) throw new InspectorError('locked', 'There is no key to encrypt with.');
    bytes = seal(key, bytes, nonce);
  }
  return new Uint8Array(isGzipped(variant) ? await promisify(gzip)(bytes) : bytes);
}

function utf8(bytes: Uint8Array, variant: Variant): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const offset = firstBadByte(bytes);
    if (variant === 'plain') throw new InspectorError('unreadable', 'The text is not UTF-8.', { data: { offset } });
    // An offset means the stored bytes, so here the words say it.
    const where = isEncrypted(variant) ? 'decrypted' : 'inflated';
    throw new InspectorError('unreadable', `The text is not UTF-8 at byte ${offset} of the ${where} document.`);
  }
}

function firstBadByte(bytes: Uint8Array): number {
  const lossy = Buffer.from(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  const at = lossy.findIndex((byte, index) => byte !== bytes[index]);
  return at === -1 ? bytes.length : at;
}
