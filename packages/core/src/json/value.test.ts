import { describe, expect, it } from 'vitest';
import { fromJsonText } from './value.ts';

describe('fromJsonText', () => {
  it.each([
    ['-0', -0],
    ['1.0', 1],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740993', 9007199254740993n],
    ['12345678901234567890', 12345678901234567890n],
    ['-12345678901234567891', -12345678901234567891n],
    ['1152921504606846976', 2 ** 60],
    ['1e400', Number.POSITIVE_INFINITY],
    ['NaN', Number.NaN],
    ['0.12345678901234567890123', 0.12345678901234568],
    ['"\\ud800"', '\ud800'],
    ['null', null],
    ['false', false],
  ])('reads %s', (text, value) => {
    expect(fromJsonText(text)).toStrictEqual(value);
  });

  it('reads a number of 400 digits as a bigint', () => {
    expect(fromJsonText('9'.repeat(400))).toBe(10n ** 400n - 1n);
  });

  it('keeps hostile keys as own data and revives nothing', () => {
    const value = fromJsonText('{"__proto__":{"polluted":1},"constructor":2,"toJSON":3,"lc":2,"then":4}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor', 'toJSON', 'lc', 'then']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('takes the last of duplicate keys and the place of the first, as JSON.parse does', () => {
    const text = '{"a":{"x":1},"b":2,"a":{"y":3}}';
    expect(JSON.stringify(fromJsonText(text))).toBe(JSON.stringify(JSON.parse(text)));
  });

  it('keeps the order of keys, nested ones too', () => {
    const text = '{"b":{"d":[1,[2,3]],"c":0},"a":[{"z":1,"y":2}]}';
    expect(JSON.stringify(fromJsonText(text))).toBe(text);
  });

  it('reads 200,000 levels', () => {
    expect(fromJsonText('['.repeat(200_000) + ']'.repeat(200_000))).toHaveLength(1);
  });
});
