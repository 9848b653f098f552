import { afterEach, describe, expect, it } from 'vitest';
import { createOutput, printable, table } from './output.ts';

const KEY = `ghp_${'a1B2'.repeat(9)}`;

describe('lines for people', () => {
  afterEach(() => void createOutput([]));

  it('mask secrets of known shapes, and stay in their columns', () => {
    const lines = table(
      ['ID', 'WHAT', 'SIZE'],
      [
        ['c1', `token ${KEY}`, '1 B'],
        ['c2', 'none', '2 B'],
      ],
    );
    expect(lines.join('\n')).not.toContain('a1B2');
    expect(new Set(lines.map((line) => line.search(/SIZE|\d B/))).size).toBe(1);
    expect(printable(`x\u001b[31m${KEY}`)).toMatch(/^x\\u001b\[31mghp_••••#[0-9a-f]{3}$/);
  });

  it('show what a terminal would hide or reorder, in every cell', () => {
    const title = '👩\u200d🚀 שלום \u202ertl\u200b\t\n';
    const shown = '👩\u200d🚀 שלום \\u202ertl\\u200b\\u0009\\u000a';
    expect(printable(title)).toBe(shown);
    expect(table(['TITLE', 'ID'], [[title, 'a\u2066b']])[1]).toBe(`${shown}  a\\u2066b`);
  });

  it('show them with --reveal', () => {
    createOutput(['--reveal']);
    expect(printable(KEY)).toBe(KEY);
  });
});
