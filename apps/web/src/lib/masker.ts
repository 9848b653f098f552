import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import {
  boundedRules,
  createMasker,
  findSecrets,
  type Masker,
  type MaskRules,
  PSEUDONYM_DIGITS,
  type SecretSpan,
} from '@checkpoint-inspector/core';

/** The rules and the key of the server, so that a masked name is the same here as in every other door. */
export interface Masking extends MaskRules {
  readonly key: string;
}

let rules: MaskRules = {};
let masker: Masker = createMasker();

export function maskWith({ key, ...written }: Masking): void {
  const bytes = hexToBytes(key);
  rules = boundedRules(written);
  masker = createMasker({
    rules,
    suffix: (secret) => bytesToHex(hmac(sha256, bytes, utf8ToBytes(secret))).slice(0, PSEUDONYM_DIGITS),
  });
}

export const secretsIn = (text: string): readonly SecretSpan[] => findSecrets(text, rules);

/** Escapes stay as stored: what they spell is masked all the same. */
export const maskedText = (text: string): string => masker.text(text);

/** A value of a state, which its names mask too. */
export const maskedAt = (path: string, text: string): string => masker.at(path, text);
