import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quoteJson } from './node.ts';

describe('quoteJson', () => {
  it('escapes what it must, and lone surrogates', () => {
    expect(quoteJson('"\\\n\u0000é\u2028')).toBe('"\\"\\\\\\n\\u0000é\u2028"');
    expect(quoteJson('\ud800')).toBe('"\\ud800"');
  });

  it('writes only ASCII on request, as Python does', () => {
    expect(quoteJson('é😀\u007f~', { ascii: true })).toBe('"\\u00e9\\ud83d\\ude00\\u007f~"');
  });

  it('always says the same string', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0xffff)), fc.boolean(), (units, ascii) => {
        const value = String.fromCharCode(...units);
        expect(JSON.parse(quoteJson(value, { ascii }))).toBe(value);
      }),
    );
  });
});
