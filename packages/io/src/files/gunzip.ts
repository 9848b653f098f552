import { InspectorError } from '@checkpoint-inspector/core';
import { createGunzip, type Gunzip } from 'node:zlib';
import { MAX_FILE_BYTES, type ReadLimits } from './read.ts';

/** From here on a high ratio counts as a bomb; small documents may compress as well as they like. */
const RATIO_FROM = 16 * 1024 * 1024;
const MAX_RATIO = 200;

/** Inflates gzip up to the limit, and no bomb. @throws InspectorError unreadable (with `offset`) | too_large */
export async function gunzipBounded(bytes: Uint8Array, limits: ReadLimits = {}): Promise<Uint8Array> {
  const maxBytes = limits.maxBytes ?? MAX_FILE_BYTES;
  const gunzip = createGunzip();
  gunzip.end(bytes);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      length += chunk.length;
      refuseBomb(length, bytes.length, maxBytes);
      chunks.push(chunk);
    }
  } catch (cause) {
    throw InspectorError.is(cause) ? cause : damaged(cause, gunzip, bytes.length);
  } finally {
    gunzip.destroy();
  }
  return new Uint8Array(Buffer.concat(chunks, length));
}

/** Whether reading refuses so many bytes from so few; who writes gzip must not make such. */
export function looksLikeBomb(length: number, stored: number): boolean {
  return length > RATIO_FROM && length > stored * MAX_RATIO;
}

function refuseBomb(length: number, stored: number, maxBytes: number): void {
  if (length > maxBytes) {
    throw new InspectorError('too_large', `The gzip data expands to more than ${maxBytes} bytes.`, {
      data: { stored },
    });
  }
  if (looksLikeBomb(length, stored)) {
    throw new InspectorError('too_large', `The ${stored} bytes of gzip data expand by more than ${MAX_RATIO}:1.`, {
      data: { stored },
    });
  }
}

function damaged(cause: unknown, gunzip: Gunzip, stored: number): InspectorError {
  const truncated = cause instanceof Error && 'code' in cause && cause.code === 'Z_BUF_ERROR';
  const offset = truncated ? stored : Math.min(gunzip.bytesWritten, stored);
  const words = truncated ? 'ends too early' : `is damaged (${cause instanceof Error ? cause.message : String(cause)})`;
  return new InspectorError('unreadable', `The gzip data ${words}.`, { cause, data: { offset } });
}
