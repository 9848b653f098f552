import { rngOf } from '@checkpoint-inspector/core/testing';
import { describe, expect, it } from 'vitest';
import { JsonParts, type JsonPlace } from './json-parts.ts';

const isSplit = ([first, at, list]: JsonPlace): boolean =>
  first === undefined || (first === 'tasks' && (list === undefined || (list === 'items' && at !== undefined)));

/** The parts of a text that comes in pieces. */
function partsOf(text: string, pieceBytes: number): [string, string][] {
  const bytes = Buffer.from(text);
  const parts = new JsonParts((path) => path.length < 4 && isSplit(path));
  const found = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) found.push(...parts.push(bytes.subarray(at, at + pieceBytes)));
  found.push(...parts.end());
  return found.map(({ path, start, end }) => [path.join('.'), bytes.subarray(start, end).toString()]);
}

const value = {
  format: 'a "name", with \\ and ] } and é',
  version: 1,
  tasks: [
    { task: { id: 'a', tasks: [1] }, items: [{ text: '[{"b": "\\"}' }, [], 'x', -1.5e3, null] },
    {},
    { items: [] },
    7,
  ],
  'last: "one"': [[], {}],
};
const expected = [
  ['format', JSON.stringify(value.format)],
  ['version', '1'],
  ['tasks.0.task', '{"id":"a","tasks":[1]}'],
  ['tasks.0.items.0', JSON.stringify({ text: '[{"b": "\\"}' })],
  ['tasks.0.items.1', '[]'],
  ['tasks.0.items.2', '"x"'],
  ['tasks.0.items.3', '-1500'],
  ['tasks.0.items.4', 'null'],
  ['tasks.3', '7'],
  ['last: "one"', '[[],{}]'],
];

describe('the parts of a JSON file', () => {
  it.each([1, 2, 3, 7, 1_000])('are the same in pieces of %i bytes, however it is laid out', (pieceBytes) => {
    expect(partsOf(JSON.stringify(value), pieceBytes)).toEqual(expected);
    const wide = partsOf(JSON.stringify(value, null, 2), pieceBytes);
    expect(wide.map(([path, text]) => [path, JSON.stringify(JSON.parse(text))])).toEqual(expected);
  });

  it('a text that is cut off anywhere is named as such, and one with changed bytes ends or is named', () => {
    const text = JSON.stringify(value);
    for (let at = 1; at < text.length; at++)
      expect(() => partsOf(text.slice(0, at), 5)).toThrow(/The JSON ends too early/);
    const rng = rngOf('json-parts', 1);
    for (let round = 0; round < 2_000; round++) {
      const at = rng.int(0, text.length - 1);
      const changed = text.slice(0, at) + String.fromCharCode(rng.int(32, 126)) + text.slice(at + 1);
      try {
        partsOf(changed, 11);
      } catch (error) {
        expect(error).toMatchObject({ code: 'unreadable' });
      }
    }
  });

  it('a value that is no container is one part', () => {
    expect(partsOf(' 12 ', 2)).toEqual([['', '12']]);
    expect(partsOf('', 2)).toEqual([]);
  });
});
