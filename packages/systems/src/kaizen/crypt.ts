import { InspectorError } from '@checkpoint-inspector/core';
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  pbkdf2,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { promisify } from 'node:util';

// Kaizen's layout: nonce, ciphertext, tag; no header, no associated data, one salt for all.
const SALT = 'kaizen_checkpoint_encryption_salt_v1';
const ITERATIONS = 600_000;
const KEY_BYTES = 32;
export const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Derivations take a third of a second each; the last few are kept, under the hash of their passphrase. */
const derived = new Map<string, Promise<KeyObject>>();
const KEPT_KEYS = 8;

export interface Opened {
  readonly plain: Uint8Array;
  /** The key that opened it. */
  readonly key: KeyObject;
}

/** The AES key of a passphrase. @throws InspectorError invalid_input when it is blank */
export function keyOfPassphrase(passphrase: string): Promise<KeyObject> {
  assertNotBlank(passphrase);
  const name = createHash('sha256').update(passphrase).digest('hex');
  const known = derived.get(name);
  if (known) return known;
  const key = promisify(pbkdf2)(passphrase, SALT, ITERATIONS, KEY_BYTES, 'sha256').then(createSecretKey);
  derived.set(name, key);
  for (const oldest of [...derived.keys()].slice(0, -KEPT_KEYS)) derived.delete(oldest);
  return key;
}

/** A key of exactly 32 bytes, used as it is. @throws InspectorError invalid_input */
export function rawKey(bytes: Uint8Array): KeyObject {
  if (bytes.length === KEY_BYTES) return createSecretKey(bytes);
  throw new InspectorError('invalid_input', `A raw key must have ${KEY_BYTES} bytes, not ${bytes.length}.`);
}

/** @throws InspectorError invalid_input */
export function assertNotBlank(passphrase: string): void {
  if (passphrase.trim() === '') throw new InspectorError('invalid_input', 'The passphrase is blank.');
}

/** The keys that a text may mean: a passphrase, and the bytes themselves where it is 64 hex digits. */
export async function keysOfText(text: string): Promise<readonly KeyObject[]> {
  const passphrase = await keyOfPassphrase(text);
  return /^[0-9a-f]{64}$/i.test(text) ? [rawKey(Buffer.from(text, 'hex')), passphrase] : [passphrase];
}

/** Encrypts; the nonce is given in tests only, and must never be used twice. */
export function seal(key: KeyObject, plain: Uint8Array, nonce: Uint8Array = randomBytes(NONCE_BYTES)): Uint8Array {
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  return new Uint8Array(Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]));
}

/** Decrypts with the first key that fits. @throws InspectorError locked (no key) | unreadable (too short) | wrong_key */
export function unseal(blob: Uint8Array, keys: readonly KeyObject[]): Opened {
  if (keys.length === 0) throw new InspectorError('locked', 'The file is encrypted.');
  if (blob.length < NONCE_BYTES + TAG_BYTES) {
    throw new InspectorError('unreadable', `${blob.length} bytes is too short for an encrypted document.`);
  }
  for (const key of keys) {
    const plain = tryKey(blob, key);
    if (plain) return { plain, key };
  }
  throw new InspectorError(
    'wrong_key',
    "The file can't be decrypted: it uses a different key, or it was changed or cut short.",
  );
}

function tryKey(blob: Uint8Array, key: KeyObject): Uint8Array | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, blob.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(blob.subarray(-TAG_BYTES));
  const start = decipher.update(blob.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    return new Uint8Array(Buffer.concat([start, decipher.final()]));
  } catch {
    // The tag does not fit; nothing of what was decrypted may be used.
    return undefined;
  }
}
