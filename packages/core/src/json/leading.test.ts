import { expect, it } from 'vitest';
import { leadingTexts } from './leading.ts';

it.each([
  ['{"id": "a", "t\\u00e9": "x\\"y", "n": 1, "late": "b"}', { id: 'a', té: 'x"y' }],
  ['\n{\n  "id": "a",\n  "cut": "never end', { id: 'a' }],
  ['{"id":"a"', {}],
  ['{"id":null,"b":"c",', {}],
  ['{"bad":"\\x","b":"c",', {}],
  ['["a","b",', {}],
  [`{"id":"a","long":"${'x'.repeat(4_000_000)}`, { id: 'a' }],
  ['', {}],
])('the texts at the start of %.40s are known before the rest is read', (head, texts) => {
  expect(Object.fromEntries(leadingTexts(head))).toEqual(texts);
});
