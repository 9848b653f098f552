import { describe, expect, it } from 'vitest';
import { InspectorError } from '../errors.ts';
import { editedDocument, setMembers } from './document.ts';
import { asciiJson, editWarnings, editWords, MAX_EDIT_BYTES, placeOf, readEdit } from './text.ts';

function refusal(text: string, strictFor?: string): InspectorError {
  try {
    readEdit(text, strictFor === undefined ? {} : { strictFor });
  } catch (error) {
    return InspectorError.from(error);
  }
  throw new Error('It was taken.');
}

describe('readEdit', () => {
  it('takes what can be stored, exotic numbers and deep nesting included', () => {
    for (const text of ['{"a": 1.0, "b": NaN}', ' null ', '"\\ud800"', `${'['.repeat(50_000)}${']'.repeat(50_000)}`]) {
      expect(readEdit(text).start).toBeGreaterThanOrEqual(0);
    }
  });

  it.each([
    ['{"a": 1,}', { offset: 8, line: 1, column: 9 }],
    ['{\r\n  "a": tru\r\n}', { offset: 10, line: 2, column: 8 }],
    ['{"a": 1} x', { offset: 9, line: 1, column: 10 }],
    ['', { offset: 0, line: 1, column: 1 }],
    ['{"a": "\ud800"}', { offset: 7, line: 1, column: 8 }],
  ])('says where %j is not JSON that a file can keep', (text, data) => {
    const error = refusal(text);
    expect([error.code, error.data]).toEqual(['invalid_input', data]);
    expect(error.message.toLowerCase()).toContain(`line ${data.line}, column ${data.column}`);
  });

  it('refuses numbers that the system cannot read, by their place and the system', () => {
    expect(refusal('{"a": [1, -Infinity]}', 'ctx-sys')).toMatchObject({
      code: 'invalid_input',
      data: { offset: 10, line: 1, column: 11 },
      message: expect.stringContaining('-Infinity, which ctx-sys cannot read'),
    });
  });

  it('refuses more than 32 MiB, counted in UTF-8', () => {
    const error = refusal(`"${'é'.repeat(MAX_EDIT_BYTES / 2)}"`);
    expect([error.code, error.data?.['limit']]).toEqual(['too_large', MAX_EDIT_BYTES]);
  });
});

describe('placeOf', () => {
  it('counts lines of every kind from 1, columns in UTF-16 code units', () => {
    expect(['a', 'a\nb', 'a\r\nb', 'a\rb', '\n\n', '🧪b'].map((text) => placeOf(text, text.length))).toEqual([
      { line: 1, column: 2 },
      { line: 2, column: 2 },
      { line: 2, column: 2 },
      { line: 2, column: 2 },
      { line: 3, column: 1 },
      { line: 1, column: 4 },
    ]);
  });
});

describe('editWarnings', () => {
  it('tells an edit that changes nothing, whatever its spelling; 1.0 is not 1', () => {
    const codes = (before: string, after: string) => editWarnings(before, after).map(({ code }) => code);
    expect(codes('{"a":1,"b":"é"}', '{ "b": "\\u00e9",\n "a": 1 }')).toEqual(['unchanged']);
    expect(codes('{"a":1}', '{"a":1.0}')).toEqual([]);
  });

  it('tells a key that now appears twice, but not one that did already', () => {
    expect(editWarnings('{"a":{"b":1}}', '{"a":{"b":1,"b":2}}')).toEqual([
      { code: 'duplicate_key', message: '$.a.b appears twice in the text; the last one counts.' },
    ]);
    expect(editWarnings('{"a":1,"a":2}', '{"a":1,"a":3}')).toEqual([]);
  });

  it('names the members that the save sets and the edit had changed, added or removed', () => {
    const before = '{"id":"a","time":1,"x":1}';
    expect(editWarnings(before, '{"id":"a","time":1,"x":2}', ['id', 'time', 'parent'])).toEqual([]);
    const [warning] = editWarnings(before, '{"time":2,"parent":"p","x":1}', ['id', 'time', 'parent']);
    expect(warning).toMatchObject({ code: 'set_by_save', message: expect.stringContaining('id, time, parent') });
  });
});

describe('the spelling of a document', () => {
  it('stays ASCII where the original is; strings mean the same', () => {
    expect(editedDocument('{"a": "é🧪"}', '{"a": "e"}')).toBe('{"a": "\\u00e9\\ud83e\\uddea"}');
    expect(editedDocument('{"a": "é"}', '{"a": "ü"}')).toBe('{"a": "é"}');
    expect(JSON.parse(asciiJson('"\u2028é"'))).toBe('\u2028é');
  });

  it('keeps all but the members that are set; those that are missing come last', () => {
    const members = new Map([
      ['id', 'é'],
      ['parent', 'p'],
    ]);
    expect(setMembers('{ "id": "a",  "n": 1.0 }', members)).toBe('{ "id": "\\u00e9",  "n": 1.0,  "parent": "p" }');
    expect(() => setMembers('[]', members)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });

  it('refuses what is not an object, by its place', () => {
    expect(() => editedDocument('\n [1]', '{}')).toThrow(
      expect.objectContaining({ code: 'invalid_input', data: { offset: 2, line: 2, column: 2 } }),
    );
  });
});

it('puts who and why into words', () => {
  expect([editWords({}), editWords({ author: 'Ann' }), editWords({ reason: ' why ' })]).toEqual([
    'Edited',
    'Edited by Ann',
    'Edited: why',
  ]);
  expect(editWords({ author: 'Ann', reason: 'stale' })).toBe('Edited by Ann: stale');
});
