import { describe, expect, it } from 'vitest';
import { blobAt, blobDigits } from './blob.ts';

const BYTES = Uint8Array.from({ length: 1_000 }, (_, place) => (place * 7919) % 251);
const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
const note = (source: string) => blobAt(source, 0, source.length);

describe('binary data in a string', () => {
  it.each([998, 999, 1_000])('is known with its size: %i bytes', (length) => {
    expect(note(`"${base64(BYTES.slice(0, length))}"`)).toEqual({ bytes: length });
  });
  it('is known by its address, with line breaks and escaped slashes', () => {
    const lines = base64(BYTES)
      .replaceAll(/.{76}/g, String.raw`$&\n`)
      .replaceAll('/', String.raw`\/`);
    const source = String.raw`"data:image\/png;base64,${lines}\n"`;
    expect(note(source)).toEqual({ bytes: 1_000, mime: 'image/png' });
    expect(blobDigits(source)).toBe(base64(BYTES));
    const inside = `[0, ${source}, 1]`;
    expect(blobAt(inside, 4, 4 + source.length)?.bytes).toBe(1_000);
  });
  it('is not text, no hash and no short string', () => {
    const text = 'The quick brown fox jumps over 13 lazy dogs. '.repeat(20);
    for (const source of [text, 'a'.repeat(400), 'deadbeef01'.repeat(60), base64(BYTES).slice(0, 200)])
      expect(note(`"${source}"`)).toBeUndefined();
    expect(note(`"${base64(BYTES.slice(0, 999))}A"`)).toBeUndefined();
    expect(note(`"data:text/plain;base64,${'not base64! '.repeat(40)}"`)).toBeUndefined();
  });
});
