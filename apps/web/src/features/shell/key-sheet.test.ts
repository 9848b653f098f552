import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PAGES } from './actions.ts';
import { conflictOf, KEY_GROUPS, keysOf, sheetKeys, shownKeys, signsOf } from './key-sheet.ts';

const SOURCES = resolve(import.meta.dirname, '../..');

/** The same key as `+` on a keyboard without it, and what moves and opens by another name of the same act. */
const TWINS = /^(?:=|Enter|Arrow\w+|Page\w+|Home|End)$/;

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /\.tsx?$/.test(entry.name) && !entry.name.includes('.test.') ? [path] : [];
  });
}

/** The text between a brace and the one that closes it. */
function block(text: string, open: number): string {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '{') depth++;
    if (text[at] === '}' && --depth === 0) return text.slice(open + 1, at);
  }
  return '';
}

/** The names at the first level of an object literal. */
function namesIn(body: string): string[] {
  let depth = 0;
  const parts = [''];
  for (const sign of body) {
    if ('{(['.includes(sign)) depth++;
    if ('})]'.includes(sign)) depth--;
    if (sign === ',' && depth === 0) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${sign}`);
  }
  return parts.flatMap((part) => /^\s*(?:'([^']+)'|([\w$]+))\s*(?::|$)/.exec(part)?.slice(1).find(Boolean) ?? []);
}

/** Every key that is handled anywhere, as the source and the table of pages say it. */
function handledKeys(): Set<string> {
  const keys = new Set<string>(PAGES.map(({ kbd }) => kbd));
  for (const path of sources(SOURCES)) {
    // Signs in quotes may be keys themselves: they must not count as brackets or commas.
    const text = readFileSync(path, 'utf8')
      .replaceAll(/^\s*(?:\/\*)?\*.*$/gm, '')
      .replaceAll(/\/\/.*$/gm, '')
      .replaceAll(/'([^\w\s'])'/g, (_, sign: string) => `'sign${sign.charCodeAt(0)}'`)
      .replaceAll(/'(\w) ([^\w'])'/g, (_, first: string, sign: string) => `'${first} sign${sign.charCodeAt(0)}'`);
    for (const { index, 0: call } of text.matchAll(/\buseKeys\(\{/g)) {
      const body = block(text, index + call.length - 1);
      for (const name of namesIn(body)) {
        keys.add(name.replace(/sign(\d+)$/, (_, code: string) => String.fromCharCode(Number(code))));
      }
    }
  }
  return keys;
}

describe('the sheet of keys', () => {
  it('lists every key that is handled, and no other', () => {
    const handled = [...handledKeys()].filter((key) => !TWINS.test(key)).toSorted();
    expect(handled.length).toBeGreaterThan(30);
    expect([...sheetKeys()].toSorted()).toEqual(handled);
  });

  it('has each line once in its group', () => {
    for (const { lines } of KEY_GROUPS) {
      const all = lines.map((line) => line.keys.join(' '));
      expect(new Set(all).size).toBe(all.length);
    }
  });

  it('reads its own signs', () => {
    expect(keysOf({ keys: ['g', 't'] })).toEqual(['g t']);
    expect(keysOf({ keys: ['j', 'k'] })).toEqual(['j', 'k']);
    expect(keysOf({ keys: ['1', '…', '3'] })).toEqual(['1', '2', '3']);
    expect(keysOf({ keys: ['Ctrl', 'K'] })).toEqual(['Ctrl+k']);
    expect(keysOf({ keys: ['Del'] })).toEqual(['Delete']);
    expect([signsOf('g ,'), signsOf('Ctrl+f'), signsOf('Delete')]).toEqual([['g', ','], ['Ctrl', 'F'], ['Del']]);
  });

  it('shows keys that were put elsewhere', () => {
    const line = { keys: ['j', 'k'], does: 'x' };
    expect(shownKeys(line, {})).toEqual(['j', 'k']);
    expect(shownKeys(line, { k: 'g q' })).toEqual(['j', 'g', 'q']);
  });

  it('says why a key is taken: by another act, as the start of a sequence, or behind one', () => {
    expect(conflictOf('j', 'ü', {})).toBeUndefined();
    expect(conflictOf('j', 'j', {})).toBeUndefined();
    expect(conflictOf('j', 'r', {})).toContain('Restore');
    expect(conflictOf('j', 'r', { r: 'R' })).toBeUndefined();
    expect(conflictOf('j', 'g', {})).toContain('begins');
    expect(conflictOf('j', 'b b', {})).toContain('nothing can follow');
    expect(conflictOf('j', 'g q', {})).toBeUndefined();
  });
});
