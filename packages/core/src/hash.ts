/** sha256 as lower-case hex, over the UTF-8 bytes of a text. Works in Node and in browsers on localhost or https. */
export async function sha256Hex(data: string | Uint8Array): Promise<string> {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : unshared(data);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** What another thread may write to meanwhile can't be hashed as it is. */
const unshared = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => (isUnshared(bytes) ? bytes : new Uint8Array(bytes));

const isUnshared = (bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> => bytes.buffer instanceof ArrayBuffer;
