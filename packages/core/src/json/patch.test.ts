import { describe, expect, it } from 'vitest';
import { patchJson, setMember } from './patch.ts';

describe('patchJson', () => {
  it('replaces only the named tokens', () => {
    const text = '{ "id" : "a",\n\t"n": 12345678901234567890, "list": [1.0, {"id":"a"}], "id2": NaN }';
    const edits = [
      { path: ['list', 1, 'id'], text: '"b"' },
      { path: ['id'], text: '"ccc"' },
    ];
    expect(patchJson(text, edits)).toBe(
      '{ "id" : "ccc",\n\t"n": 12345678901234567890, "list": [1.0, {"id":"b"}], "id2": NaN }',
    );
    expect(patchJson(text, [])).toBe(text);
    expect(patchJson(text, [{ path: [], text: '1' }])).toBe('1');
  });

  it('replaces the last of duplicate keys, which is the one that counts', () => {
    expect(patchJson('{"a":1,"a":2}', [{ path: ['a'], text: '3' }])).toBe('{"a":1,"a":3}');
  });

  it.each([
    ['a place that is not there', [{ path: ['x'], text: '1' }]],
    ['a value that is no JSON', [{ path: ['a'], text: '1,"b":2' }]],
    [
      'one edit inside another',
      [
        { path: ['a'], text: '1' },
        { path: ['a', 'b'], text: '1' },
      ],
    ],
    [
      'the same place twice',
      [
        { path: ['a'], text: '1' },
        { path: ['a'], text: '2' },
      ],
    ],
  ])('refuses %s', (_what, edits) => {
    expect(() => patchJson('{"a":{"b":0}}', edits)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });
});

describe('setMember', () => {
  it.each([
    ['{"a": 1, "b": 2}', '{"a": 1, "b": 2, "k": 0}'],
    ['{"a":1,"b":2}', '{"a":1,"b":2,"k":0}'],
    ['{"a": 1}', '{"a": 1, "k": 0}'],
    ['{"a":1}', '{"a":1,"k":0}'],
    ['{}', '{"k": 0}'],
    ['{\n  "a": 1\n}', '{\n  "a": 1,\n  "k": 0\n}'],
    ['{\n  "a": 1,\n  "b": []\n}', '{\n  "a": 1,\n  "b": [],\n  "k": 0\n}'],
    ['{"k": 5, "b": 1}', '{"k": 0, "b": 1}'],
    ['{"a":1,"k":2,"k":3}', '{"a":1,"k":2,"k":0}'],
  ])('sets a member of %j', (text, expected) => {
    expect(setMember(text, [], 'k', '0')).toBe(expected);
  });

  it('takes the spacing of the text for an empty object inside', () => {
    expect(setMember('{"a":{},"b":1}', ['a'], 'k', '0')).toBe('{"a":{"k":0},"b":1}');
    expect(setMember('[{"b": 1}, {}]', [1], 'k', '0')).toBe('[{"b": 1}, {"k": 0}]');
  });

  it('quotes the key', () => {
    expect(setMember('{"a":1}', [], '"\n', '[]')).toBe('{"a":1,"\\"\\n":[]}');
  });

  it.each([
    ['[]', [], '1'],
    ['{"a":1}', ['a'], '1'],
    ['{"a":1}', ['b'], '1'],
    ['{}', [], 'x'],
  ])('refuses %s at %j with %s', (text, path, value) => {
    expect(() => setMember(text, path, 'k', value)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  });

  it('says what is there instead of an object', () => {
    expect(() => setMember('{"a":[]}', ['a'], 'k', '1')).toThrow("$.a isn't an object; it's an array.");
    expect(() => setMember('{"a":null}', ['a'], 'k', '1')).toThrow("$.a isn't an object; it's null.");
  });
});
