import { findSecretBytes } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { hexLines, rawHead, textOf } from './bytes.ts';

describe('raw bytes', () => {
  it('are text where they are text', async () => {
    expect(await rawHead(new Blob(['{"a":"ä"}\n']))).toMatchObject({ kind: 'text', text: '{"a":"ä"}\n', shown: 11 });
  });
  it('are a dump where they are not', async () => {
    const head = await rawHead(new Blob([new Uint8Array([0, 0x41, 0xff])]));
    expect(head.kind === 'bytes' && hexLines(head.bytes)).toMatch(/^00000000 {2}00 41 ff +\.A\.$/);
  });
  it('are half as wide where there is less room', () => {
    const bytes = new Uint8Array(12).fill(0x41);
    expect(hexLines(bytes, [], 8).split('\n')).toEqual([
      '00000000  41 41 41 41 41 41 41 41  AAAAAAAA',
      '00000008  41 41 41 41              AAAA',
    ]);
  });
  it('hides secrets in both columns of a dump', () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const bytes = new TextEncoder().encode(`\u0000${secret}!`);
    const dump = hexLines(bytes, findSecretBytes(bytes));
    expect(dump).toContain('00 67 68 70 5f •• ••');
    expect(dump).toContain('.ghp_•••••••••••');
    expect(dump).toContain('•• 21');
    expect(dump.replaceAll(/[^\n]{10}|\n/g, '')).not.toContain('a1B2');
    expect(hexLines(bytes)).toContain('67 68 70 5f 61 31');
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
