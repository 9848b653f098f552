import { describe, expect, it } from 'vitest';
import { ALLOWED, phrasesIn, phrasesInNote, readAt } from './phrases.mjs';
import { notesOf, textsOf } from './texts.mjs';

describe('texts of a source', () => {
  it('are its strings, templates and JSX, with values left open, and no comments', () => {
    const source = [
      '// a comment stands here',
      "const a = 'one text';",
      'const b = `${n} of ${m} say so`;',
      'const C = () => (<p title="a title">7 of {n} <b>say</b> so</p>);',
    ].join('\n');
    expect(textsOf(source)).toEqual([
      { line: 2, text: 'one text' },
      { line: 3, text: '{…} of {…} say so' },
      { line: 4, text: '7 of {…} say so' },
      { line: 4, text: 'a title' },
      { line: 4, text: 'say' },
    ]);
  });

  it('are refused of a file that cannot be parsed', () => {
    expect(() => textsOf('const = ', 'a.ts')).toThrow('a.ts: ');
  });
});

describe('notes of a source', () => {
  it('are its comments and the names of its tests, and no other text', () => {
    const source = [
      '/** What it is',
      ' * for. */',
      "const a = 'one text'; // why",
      "describe('a list', () => it('is empty', () => test.each([1])('has %s', run)));",
      "RULE.test('a text');",
    ].join('\n');
    expect(notesOf(source, 'a.ts')).toEqual([
      { line: 1, text: '* What it is for.' },
      { line: 3, text: 'why' },
      { line: 4, text: 'a list' },
      { line: 4, text: 'is empty' },
      { line: 4, text: 'has %s' },
    ]);
  });

  it('must not have the clearest of the phrases', () => {
    expect(phrasesInNote('What is no JSON stands here, as it is stored.')).toHaveLength(3);
    expect(phrasesInNote('It stands in for a store; nothing stands out.')).toEqual([]);
  });
});

describe('phrases', () => {
  it.each([
    ['The file is no database.', 'is no'],
    ['Nothing stands out.', 'stands'],
    ['7 of {…} say so', 'say so'],
    ['Press z to take it back.', 'take it back'],
    ['There is no undo.', 'There is no undo'],
    ['The column in which\nnothing changed has to be read', 'has to be'],
  ])('are found in %j', (text, phrase) => {
    expect(phrasesIn(text)).toContainEqual(
      expect.stringMatching(new RegExp(`^"${phrase}" reads as translated; write: .+`)),
    );
  });

  it.each(['There is no file a.db.', 'It is no longer in the store.', "This can't be undone.", 'understand'])(
    'are not seen in %j',
    (text) => expect(phrasesIn(text)).toEqual([]),
  );

  it('are looked for in docs outside code, with the line', () => {
    const page = ['# Title', '`stands`', '```', 'stands', '```', 'It stands here.'].join('\n');
    expect(readAt('a.md', page).flatMap(({ line, text }) => phrasesIn(text).map(() => line))).toEqual([6]);
  });

  it('may stay only with a reason', () => {
    expect(ALLOWED.filter(({ reason }) => !reason)).toEqual([]);
  });
});
