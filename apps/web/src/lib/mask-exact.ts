import { findSecrets, maskSecrets, readableJson } from '@checkpoint-inspector/core';

/** Stored text to the byte. A secret that is spelled with escapes has no shape: then its letters are shown, and masked. */
export function maskedExact(text: string): string {
  const read = readableJson(text);
  return maskSecrets(findSecrets(read).length > findSecrets(text).length ? read : text);
}
