import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fromJsonText } from './value.ts';
import { isPlainJson, toJsonText } from './write.ts';

const cycle: Record<string, unknown> = {};
cycle['list'] = [1, { back: cycle }];
class Money {
  amount = 1;
}

describe('toJsonText', () => {
  it('writes plain values as JSON.stringify does', () => {
    const value = { a: [1, -1.5, 1e21, 1e-7, true, false, null, '', {}, []], 'x"y': { z: undefined, y: 'é' } };
    expect(toJsonText(value)).toBe(JSON.stringify(value));
  });

  it('writes what JSON.stringify loses', () => {
    expect(toJsonText([-0, 12345678901234567890n, 2 ** 60])).toBe('[-0,12345678901234567890,1152921504606846976]');
    expect(toJsonText(JSON.parse('{"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1}}');
    expect(toJsonText(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}');
    expect(toJsonText(runInNewContext('({ a: [1] })'))).toBe('{"a":[1]}');
  });

  it('writes a value twice when it occurs twice', () => {
    const shared = { a: 1 };
    expect(toJsonText([shared, shared])).toBe('[{"a":1},{"a":1}]');
  });

  it.each([
    ['NaN', { a: [Number.NaN] }, '$.a[0]'],
    ['Infinity', [Number.POSITIVE_INFINITY], '$[0]'],
    ['-Infinity', Number.NEGATIVE_INFINITY, '$'],
    ['a cycle', cycle, '$.list[1].back'],
    ['a function', { 'x.y': () => 1 }, '$["x.y"]'],
    ['a symbol', [1, Symbol('s')], '$[1]'],
    ['a symbol as key', { a: { [Symbol('s')]: 1 } }, '$.a'],
    ['undefined', [1, undefined], '$[1]'],
    ['undefined', undefined, '$'],
    ['undefined', Array.from({ length: 1 }), '$[0]'],
    ['a Date', { skipped: undefined, at: new Date(0) }, '$.at'],
    ['a Map', { a: new Map() }, '$.a'],
    ['a Set', { a: new Set() }, '$.a'],
    ['a Uint8Array', { a: new Uint8Array(2) }, '$.a'],
    ['a RegExp', [/a/], '$[0]'],
    ['a Money', [new Money()], '$[0]'],
    ['a Number', [Object(1)], '$[0]'],
  ])('refuses %s and names the path', (what, value, path) => {
    expect(() => toJsonText(value)).toThrow(
      expect.objectContaining({
        code: 'invalid_input',
        message: `JSON cannot hold ${what} (at ${path}).`,
        data: { path },
      }),
    );
  });

  it('writes 100,000 levels', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = i % 2 ? [deep] : { a: deep };
    expect(toJsonText(deep)).toHaveLength(50_000 * 8 + 1);
  });

  it('is read back as the same value', () => {
    const scalar = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string({ unit: 'binary' }),
      fc.boolean(),
      fc.constant(null),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        scalar,
        fc.array(tie('value')),
        fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), tie('value')),
      ),
    }));
    fc.assert(
      fc.property(value, (written) => {
        const read = fromJsonText(toJsonText(written));
        expect(toJsonText(read)).toBe(toJsonText(written));
        expect(JSON.stringify(read)).toBe(JSON.stringify(written));
      }),
    );
  });
});

describe('a value that is longer than any text', () => {
  afterEach(() => vi.restoreAllMocks());

  it('is too large, not a fault of the program', () => {
    vi.spyOn(JSON, 'stringify').mockImplementationOnce(() => {
      throw new RangeError('Invalid string length');
    });
    expect(() => toJsonText(['x'])).toThrow(expect.objectContaining({ code: 'too_large' }));
  });
});

describe('isPlainJson', () => {
  it.each([
    [null],
    [''],
    ['\ud800'],
    [true],
    [0],
    [-1.5],
    [[]],
    [{}],
    [{ a: [{ b: undefined }] }],
    [{ ['__proto__']: 1 }],
  ])('is true of %j, and both writers agree on it', (value) => {
    expect(isPlainJson(value)).toBe(true);
    expect(toJsonText(value)).toBe(JSON.stringify(value));
  });
  it.each([
    ['-0', -0],
    ['a number past 2^53', 2 ** 60],
    ['NaN', Number.NaN],
    ['bigint', 1n],
    ['undefined in an array', [undefined]],
    ['a hole', [, 1]], // oxlint-disable-line no-sparse-arrays
    ['a Date', { at: new Date(0) }],
    ['toJSON', { toJSON: () => 1 }],
    ['a symbol as key', { [Symbol('a')]: 1 }],
    ['a Map', new Map()],
  ])('is false of %s', (_, value) => {
    expect(isPlainJson({ value })).toBe(false);
  });
  it('is false of a cycle and of what is very deep', () => {
    const loop: unknown[] = [];
    loop.push(loop);
    expect(isPlainJson(loop)).toBe(false);
  });
});
