import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordDiff } from './words.ts';

/** Pieces as `-removed +added` between what is the same. */
function marked(before: string, after: string): string {
  const sign = { same: '', removed: '-', added: '+' };
  return wordDiff(before, after)
    .map(({ kind, text }) => (kind === 'same' ? text : `{${sign[kind]}${text}}`))
    .join('');
}

describe('wordDiff', () => {
  it.each([
    ['the revenue is 4.2 million', 'the revenue is 4200 million', 'the revenue is {-4.2}{+4200} million'],
    ['a b c', 'a c', 'a {-b }c'],
    ['a c', 'a b c', 'a {+b }c'],
    ['same', 'same', 'same'],
    ['', 'new', '{+new}'],
    ['old', '', '{-old}'],
    ['', '', ''],
    ['one two three', 'four five six', '{-one two three}{+four five six}'],
    ['Größe ist 5', 'Größe war 5', 'Größe {-ist}{+war} 5'],
    ['検索結果', '検索成果', '検索{-結}{+成}果'],
    ['line\nend', 'line\n\nend', 'line{-\n}{+\n\n}end'],
  ])('%j to %j', (before, after, expected) => {
    expect(marked(before, after)).toBe(expected);
  });

  it('loses nothing, whatever the texts', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc
        .array(fc.constantFrom('a', 'b', ' ', '\n', '漢', '.', '\ud800', '😀', 'é'), { maxLength: 60 })
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, text, (before, after) => {
        const changes = wordDiff(before, after);
        const join = (without: string): string =>
          changes
            .filter(({ kind }) => kind !== without)
            .map((change) => change.text)
            .join('');
        expect(join('added')).toBe(before);
        expect(join('removed')).toBe(after);
        expect(changes.every(({ kind }, nth) => kind !== changes[nth - 1]?.kind)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('compares only the ends of very long texts', () => {
    const words = (mark: string): string => Array.from({ length: 15_000 }, (_, i) => `${mark}${i}`).join(' ');
    const changes = wordDiff(`start ${words('a')} end`, `start ${words('b')} end`);
    expect(changes.map(({ kind }) => kind)).toEqual(['same', 'removed', 'added', 'same']);
    expect(changes[0]?.text).toBe('start ');
    expect(changes[3]?.text).toBe(' end');
  });

  it('finds one changed word among 9,000', () => {
    const text = Array.from({ length: 9_000 }, (_, i) => `w${i % 50}`);
    const changes = wordDiff(text.join(' '), text.with(4_000, 'CHANGED').join(' '));
    expect(changes.map(({ kind }) => kind)).toEqual(['same', 'removed', 'added', 'same']);
  });
});
