import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findInJson } from './find.ts';
import { parsePath } from './path.ts';
import { locateValue } from './part.ts';
import { indexJson } from './skim.ts';

const find = (text: string, words: string, limit = 100) => findInJson(indexJson(text), { words, limit });
const paths = (text: string, words: string) => find(text, words).items.map(({ path }) => path);

describe('finding in a text', () => {
  it('looks through keys and values, each once, in the order of the text', () => {
    const text = '{"Config": {"key": "aa key aa key"}, "list": [0, "KEY", {"x": 1}], "big": 12345678901234567890}';
    expect(paths(text, 'key')).toEqual(['$.Config.key', '$.Config.key', '$.list[1]']);
    expect(find(text, 'key').items.map((match) => match.in)).toEqual(['key', 'value', 'value']);
    expect(paths(text, '12345678901234567890')).toEqual(['$.big']);
    expect(paths(text, '"list": [')).toEqual([]);
    expect(paths('"a word"', 'word')).toEqual(['$']);
  });

  it('sees through escapes', () => {
    const text = String.raw`{"a": "caf\u00e9", "b": "say \"hi\"", "c": "one\ntwo", "d": "a\/b", "e": "CAFÉ"}`;
    expect(paths(text, 'café')).toEqual(['$.a', '$.e']);
    expect(paths(text, 'say "hi"')).toEqual(['$.b']);
    expect(paths(text, 'one\ntwo')).toEqual(['$.c']);
    expect(paths(text, String.raw`one\ntwo`)).toEqual(['$.c']);
    expect(paths(text, 'a/b')).toEqual(['$.d']);
  });

  it('shows where the match is', () => {
    const [match] = find(`["${'x'.repeat(500)} needle ${'y'.repeat(500)}"]`, 'NEEDLE').items;
    expect(match?.snippet.slice(match.from, match.to)).toBe('needle');
    expect(match?.snippet.length).toBeLessThan(140);
  });

  it('comes in pieces that leave nothing out', () => {
    const index = indexJson(
      `[${Array.from({ length: 3_000 }, (_, place) => `{"n":"hit ${place}","pad":"${'p'.repeat(900)}"}`).join(',')}]`,
    );
    const seen: string[] = [];
    let from: number | undefined = 0;
    let pieces = 0;
    while (from !== undefined) {
      const piece = findInJson(index, { words: 'hit ', from, limit: 700, stop: () => false });
      seen.push(...piece.items.map(({ path }) => path));
      from = piece.next;
      pieces++;
    }
    expect(pieces).toBe(5);
    expect(seen).toEqual(Array.from({ length: 3_000 }, (_, place) => `$[${place}].n`));
    const first = findInJson(index, { words: 'nowhere', limit: 10, stop: () => true });
    expect(first.next).toBe(1 << 20);
  });

  it('leads to the value that holds the words', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), fc.string({ minLength: 1, maxLength: 3 }), (text, words) => {
        const index = indexJson(text);
        for (const match of findInJson(index, { words, limit: 20 }).items) {
          const { start, end } = locateValue(index, parsePath(match.path));
          if (match.in === 'value') expect(text.slice(start, end)).toContain(match.snippet.slice(match.from, match.to));
        }
      }),
    );
  });

  it('shows a secret by its name whole, so that it can be masked', () => {
    const words = 'correct horse battery staple '.repeat(8);
    const index = indexJson(JSON.stringify({ password: words, note: words }));
    const [password, note] = findInJson(index, { words: 'battery', limit: 9 }).items;
    expect(password?.snippet).toBe(JSON.stringify(words));
    expect(note?.snippet.length).toBeLessThan(words.length);
  });
});
