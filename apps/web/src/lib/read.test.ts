import { describe, expect, it } from 'vitest';
import { aFlag, aText, fields, listOf, mapOf, oneOf } from './read.ts';

describe('readers', () => {
  it('give back what has the form', () => {
    expect(aText('a')).toBe('a');
    expect(aFlag(false)).toBe(false);
    expect(oneOf('tree', 'text')('text')).toBe('text');
    expect(listOf(aText)(['a', 'b'])).toEqual(['a', 'b']);
    expect(mapOf(listOf(aText))({ one: ['a'], two: [] })).toEqual({ one: ['a'], two: [] });
  });

  it.each([
    aText(1),
    aFlag('true'),
    oneOf('tree')('list'),
    listOf(aText)('a'),
    listOf(aText)(['a', 1]),
    mapOf(aText)(['a']),
    mapOf(aText)({ one: 1 }),
    mapOf(aText)(null),
  ])('give nothing for the rest', (value) => expect(value).toBeUndefined());

  it('leave out fields that are missing or unknown, and cover broken ones', () => {
    const read = fields({ cp: aText, only: oneOf('0', '1') });
    expect(read({ cp: 'a', only: '2', more: 1 })).toStrictEqual({ cp: 'a', only: undefined });
    expect(read({ cp: 7 })).toStrictEqual({ cp: undefined });
    expect(read('text')).toStrictEqual({});
    expect(read(JSON.parse('{"__proto__":{"cp":"a"}}'))).toStrictEqual({});
  });
});
