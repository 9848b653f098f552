import { describe, expect, it } from 'vitest';
import { hexLines, rawHead, textOf } from './hex.ts';

describe('raw bytes', () => {
  it('are text where they are text', async () => {
    expect(await rawHead(new Blob(['{"a":"ä"}\n']))).toMatchObject({ kind: 'text', text: '{"a":"ä"}\n', shown: 11 });
  });
  it('are a dump where they are not', async () => {
    const head = await rawHead(new Blob([new Uint8Array([0, 0x41, 0xff])]));
    expect(head.kind === 'bytes' && hexLines(head.bytes)).toMatch(/^00000000 {2}00 41 ff +\.A\.$/);
  });
  it('may be cut inside a character only when there is more', () => {
    const cut = new TextEncoder().encode('ä').slice(0, 1);
    expect(textOf(cut, false)).toBe('');
    expect(textOf(cut, true)).toBeUndefined();
  });
  it('shows the head of much', async () => {
    expect((await rawHead(new Blob(['x'.repeat(200_000)]))).shown).toBe(65_536);
  });
});
