import { describe, expect, it } from 'vitest';
import { notJson, scanNumber, scanString, skipSpace } from './scan.ts';

describe('scan', () => {
  it.each([
    ['1', 1],
    ['-0', 2],
    ['1.50', 4],
    ['1e+9', 4],
    ['12]', 2],
    ['0.1,', 3],
    ['-Infinity', 9],
  ])('ends the number of %j at %d', (text, end) => {
    expect(scanNumber(text, 0)).toBe(end);
  });

  it.each([
    ['""', 2],
    ['"a" ', 3],
    ['"\\"" ', 4],
    ['"\\u00e9"', 8],
    ['"\\\\"', 4],
  ])('ends the string of %j at %d', (text, end) => {
    expect(scanString(text, 0)).toBe(end);
  });

  it('skips only the four white space characters of JSON', () => {
    expect(skipSpace(' \t\n\r\u00a0', 0)).toBe(4);
    expect(skipSpace('', 0)).toBe(0);
  });

  it('names a character outside the basic plane whole', () => {
    expect(notJson('😀', 0, 'a value').message).toBe('Not JSON at offset 0: expected a value, found "😀".');
  });
});
