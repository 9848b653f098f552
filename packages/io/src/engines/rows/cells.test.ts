import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCells, encodeCells, hashCells, sameValue, type Cell } from './cells.ts';

const cell = fc.oneof(
  fc.constant(null),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.double({ noNaN: true }),
  fc.string({ unit: 'binary' }),
  fc.string().map((text) => `${text}\ud800`),
  fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  fc.uint8Array().map((bytes) => ({ text: Buffer.from(bytes) })),
);
const row = fc.array(fc.tuple(fc.string(), cell)).map((entries) => new Map<string, Cell>(entries));

describe('cells', () => {
  it('come back from bytes as they were, in any column order with one hash', () => {
    fc.assert(
      fc.property(row, (cells) => {
        expect(decodeCells(encodeCells(cells))).toEqual(cells);
        expect(hashCells(new Map([...cells].reverse()))).toBe(hashCells(cells));
      }),
    );
  });

  it('tell apart what SQLite tells apart', () => {
    const values: Cell[] = [
      1n,
      1,
      '1',
      Buffer.from('1'),
      { text: Buffer.from('1') },
      null,
      '',
      0n,
      0,
      -0,
      Buffer.alloc(0),
    ];
    expect(new Set(values.map((value) => hashCells(new Map([['a', value]])))).size).toBe(values.length);
    expect(hashCells(new Map([['b', 1n]]))).not.toBe(hashCells(new Map([['a', 1n]])));
  });

  it("compare with a system's values by value, and never round", () => {
    expect(sameValue(5n, 5)).toBe(true);
    expect(sameValue(9007199254740993n, 9007199254740992)).toBe(false);
    expect(sameValue('1', 1)).toBe(false);
    expect(sameValue(null, null)).toBe(true);
    expect(sameValue(undefined, null)).toBe(false);
    expect(sameValue({ text: Buffer.from('a') }, 'a')).toBe(false);
    expect(sameValue(Buffer.from('a'), new Uint8Array([97]))).toBe(true);
    expect(sameValue(Buffer.from('a'), 'a')).toBe(false);
  });
});
