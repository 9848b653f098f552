/** The head of stored bytes: as text where they are text, else as a hex dump. */
import type { ByteSpan } from '@checkpoint-inspector/core';

/** Read of a checkpoint to show its head. */
export const HEAD_BYTES = 64 * 1024;
const BYTES_SHOWN = 4 * 1024;
/** Of a dump, where there is room for both of its columns. */
const PER_LINE = 16;

export type RawHead =
  | { readonly kind: 'text'; readonly text: string; readonly shown: number }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly shown: number };

/** `size`: of all the stored bytes, of which `blob` holds the first. */
export async function rawHead(blob: Blob, size = blob.size, most = HEAD_BYTES): Promise<RawHead> {
  const bytes = new Uint8Array(await blob.slice(0, most).arrayBuffer());
  const text = textOf(bytes, size <= bytes.length);
  if (text !== undefined) return { kind: 'text', text, shown: bytes.length };
  const head = bytes.slice(0, BYTES_SHOWN);
  return { kind: 'bytes', bytes: head, shown: head.length };
}

/** UTF-8 text without control characters, else undefined. `whole`: no cut character at the end is forgiven. */
export function textOf(bytes: Uint8Array, whole: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: !whole });
    // oxlint-disable-next-line no-control-regex
    return /[\u0000-\u0008\u000e-\u001f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Bytes within `hidden` are dots. @example hexLines(new Uint8Array([0x41])) // '00000000  41 …  A' */
export function hexLines(bytes: Uint8Array, hidden: readonly ByteSpan[] = [], perLine = PER_LINE): string {
  const isHidden = (at: number): boolean => hidden.some(({ start, end }) => at >= start && at < end);
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += perLine) {
    const part = Array.from(bytes.subarray(at, at + perLine));
    const hex = part.map((byte, place) => (isHidden(at + place) ? '••' : byte.toString(16).padStart(2, '0'))).join(' ');
    const signs = part.map((byte, place) => (isHidden(at + place) ? '•' : signOf(byte))).join('');
    lines.push(`${at.toString(16).padStart(8, '0')}  ${hex.padEnd(perLine * 3 - 1)}  ${signs}`);
  }
  return lines.join('\n');
}

const signOf = (byte: number): string => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.');
