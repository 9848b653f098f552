import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { InspectorError } from '../errors.ts';
import { notJson, scanNumber, scanString, skipSpace, Strings } from './scan.ts';

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

  it('finds the ends of all strings of a text as one after the other does, or the same defect', () => {
    const piece = fc.constantFrom(
      'a',
      ' ',
      'é',
      '😀',
      'x'.repeat(30),
      '\\n',
      '\\"',
      '\\u00e9',
      '\\\\',
      '\\',
      '\\u12',
      '\n',
      '\u0001',
    );
    const token = fc.array(piece, { maxLength: 12 }).map((pieces) => `"${pieces.join('')}"`);
    const said = (end: () => number): unknown => {
      try {
        return end();
      } catch (error) {
        return InspectorError.from(error).message;
      }
    };
    fc.assert(
      fc.property(fc.array(token, { maxLength: 8 }), fc.integer({ min: 0, max: 3 }), (tokens, cut) => {
        const text = tokens.join(',\n').slice(0, tokens.join(',\n').length - cut);
        const strings = new Strings(text);
        for (let at = text.indexOf('"'); at !== -1;) {
          const start = at;
          const [end, expected] = [said(() => strings.end(start)), said(() => scanString(text, start))];
          expect(end).toBe(expected);
          at = typeof end === 'number' ? text.indexOf('"', end) : -1;
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('finds a bare control character anywhere in a long text, and none where there is none', () => {
    for (const filling of ['x', 'é', '😀', '\u007f', '\uffff']) {
      const inside = filling.repeat(50_000 / filling.length);
      expect(new Strings(`"${inside}"`).end(0)).toBe(50_002);
      for (const at of [16_383, 16_384, 20_001, 49_152, 50_000]) {
        const control = at % 0x20;
        const text = `"${inside.slice(0, at)}${String.fromCharCode(control)}${inside.slice(at)}"`;
        expect(() => new Strings(text).end(0)).toThrow(`offset ${at + 1}:`);
      }
    }
  });

  it('skips only the four white space characters of JSON', () => {
    expect(skipSpace(' \t\n\r\u00a0', 0)).toBe(4);
    expect(skipSpace('', 0)).toBe(0);
  });

  it('names a character outside the basic plane whole', () => {
    expect(notJson('😀', 0, 'a value').message).toBe('Not JSON at offset 0: expected a value, found "😀".');
  });
});
