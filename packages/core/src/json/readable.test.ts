import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oneLineJson, quoteJson, readableJson, readableText } from './index.ts';

describe('readableJson', () => {
  it.each([
    [String.raw`{"k":"writer-\u0430\u0433\u0435"}`, '{"k":"writer-аге"}'],
    [String.raw`"\ud83d\ude00 \u4f60"`, '"😀 你"'],
    [String.raw`"\u0022 \u005c \u0041"`, String.raw`"\" \\ A"`],
    [String.raw`"\\u0430 \n \/"`, String.raw`"\\u0430 \n \/"`],
    [String.raw`"\u0000\u001b[31m\u0007\u007f\u0085"`, String.raw`"\u0000\u001b[31m\u0007\u007f\u0085"`],
    [String.raw`"\u202e\u2066\u200b\ufeff\u2028"`, String.raw`"\u202e\u2066\u200b\ufeff\u2028"`],
    ['"a\u202eb\u200bc\u2028"', String.raw`"a\u202eb\u200bc\u2028"`],
    [String.raw`"\ud800 \udc00\ud83d"`, String.raw`"\ud800 \udc00\ud83d"`],
    [String.raw`"\u06cc\u200c\u062e pay\u200dload"`, '"ی\u200cخ pay\\u200dload"'],
    [String.raw`"\u00a0\u000a"`, String.raw`"\u00a0\u000a"`],
    ['{\n\t"a": 1.0\r\n}', '{\n\t"a": 1.0\r\n}'],
    ['"\\', '"\\'],
  ])('%s', (text, expected) => expect(readableJson(text)).toBe(expected));

  it('never changes a value, whatever its spelling, and hides nothing', () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
        fc.constantFrom('\u202e', '\\', '"', '\ud800', '\u200d', 'é', '\n'),
      ),
    });
    fc.assert(
      fc.property(text, fc.boolean(), (value, ascii) => {
        const read = readableJson(quoteJson(value, { ascii }));
        expect(JSON.parse(read)).toBe(value);
        expect(read).not.toMatch(/\p{Cc}|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u);
      }),
      { numRuns: 500 },
    );
  });
});

describe('readableText', () => {
  it('shows what a screen would hide or reorder', () => {
    expect(readableText('a\u202eb \u0007\n\té')).toBe('a\\u202eb \\u0007\n\té');
    expect(readableText('👩\u200d🚀')).toBe('👩\u200d🚀');
  });
});

describe('oneLineJson', () => {
  it.each([
    ['{\n  "a b": [\n    1,\r\n\t"x  \\" y"\n  ]\n}\n', '{"a b":[1,"x  \\" y"]}'],
    ['{"a": [1, 2]}', '{"a": [1, 2]}'],
    ['[\n  "cut  o', '["cut  o'],
    ['[\n  "cut \\', '["cut \\'],
  ])('%j', (text, line) => expect(oneLineJson(text)).toBe(line));

  it('keeps the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const line = oneLineJson(JSON.stringify(value, undefined, 2));
        expect(line).not.toContain('\n');
        expect(JSON.stringify(JSON.parse(line))).toBe(JSON.stringify(value));
      }),
    );
  });
});
