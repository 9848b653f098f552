import { expect, it } from 'vitest';
import { editedText } from './edits.ts';

it('replaces values and leaves every other byte', () => {
  const text = '{"n": 1.0,  "cache": true,\n "list": [1, 2]}';
  expect(
    editedText(text, [
      { path: '$.cache', value: false },
      { path: '$.list[1]', value: 3 },
    ]),
  ).toEqual({
    text: '{"n": 1.0,  "cache": false,\n "list": [1, 3]}',
    changes: [
      { path: '$.cache', kind: 'changed', before: 'true', after: 'false' },
      { path: '$.list[1]', kind: 'changed', before: '2', after: '3' },
    ],
  });
});

it('adds members and removes values', () => {
  const { text } = editedText('{"a":{"b":1.0},"gone":[1]}', [
    { path: '$.gone' },
    { path: '$.a.c', value: [null] },
    { path: '$.a.b', value: '2' },
  ]);
  expect(JSON.parse(text)).toEqual({ a: { b: '2', c: [null] } });
});

it.each([
  [[{ path: '$.none' }], /no value at \$\.none/],
  [[{ path: '$.list[7]', value: 1 }], /no value at \$\.list\[7\]/],
  [[{ path: '$.a.b', value: 1 }], /isn't an object|no value/],
  [[{ path: '$.a', value: 'sk-p••••' }], /masked/],
  [[{ path: '$.a', value: 1 }], /change nothing/],
  [
    [
      { path: '$.list', value: [] },
      { path: '$.list[0]', value: 2 },
    ],
    /overlap/,
  ],
])('refuses %j', (edits, words) => {
  expect(() => editedText('{"a":1,"list":[1]}', edits)).toThrow(words);
});
