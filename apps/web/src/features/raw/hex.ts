/** The head of stored bytes: as text where they are text, else as a hex dump. */

const TEXT_SHOWN = 64 * 1024;
const BYTES_SHOWN = 4 * 1024;
const PER_LINE = 16;

export type RawHead =
  | { readonly kind: 'text'; readonly text: string; readonly shown: number }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly shown: number };

export async function rawHead(blob: Blob): Promise<RawHead> {
  const bytes = new Uint8Array(await blob.slice(0, TEXT_SHOWN).arrayBuffer());
  const text = textOf(bytes, blob.size <= TEXT_SHOWN);
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

/** @example hexLines(new Uint8Array([0x41])) // '00000000  41 …  A' */
export function hexLines(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += PER_LINE) {
    const part = Array.from(bytes.subarray(at, at + PER_LINE));
    const hex = part.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const signs = part.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${at.toString(16).padStart(8, '0')}  ${hex.padEnd(PER_LINE * 3 - 1)}  ${signs}`);
  }
  return lines.join('\n');
}
