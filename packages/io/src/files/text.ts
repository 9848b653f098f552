import { InspectorError } from '@checkpoint-inspector/core';
import { hash } from 'node:crypto';

/** sha256 as hex digits; of text its UTF-8 bytes. */
export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
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
