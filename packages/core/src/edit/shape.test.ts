import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkShape, SHAPE_WARNINGS } from './shape.ts';

const seen = (before: string | readonly string[], after: string) =>
  checkShape(before, after).map(({ path, kind, after: now }) => [path, kind, now]);

describe('checkShape', () => {
  it('finds a key that is gone, at any depth, and only its top', () => {
    expect(seen('{"a":{"b":{"c":1}},"d":1}', '{"a":{},"d":1}')).toEqual([['$.a.b', 'missing', undefined]]);
  });

  it('finds a value of another type', () => {
    expect(seen('{"n":1,"b":true,"s":"x"}', '{"n":"1","b":null,"s":{}}')).toEqual([
      ['$.n', 'type', 'string'],
      ['$.b', 'type', 'null'],
      ['$.s', 'type', 'object'],
    ]);
    expect(checkShape('{"cache":true}', '{"cache":"no"}')[0]).toEqual({
      path: '$.cache',
      kind: 'type',
      before: ['boolean'],
      after: 'string',
      message: '$.cache is now a string; it was a boolean.',
    });
  });

  it('takes other values, more keys, other orders, and another spelling of numbers for the same shape', () => {
    expect(seen('{"n":1,"list":[1]}', '{"list":[],"new":{"x":1},"n":2.5e3}')).toEqual([]);
  });

  it('goes by all states before: only what every one had is missed, only what none had is new', () => {
    const before = ['{"a":1,"maybe":1,"x":1}', '{"a":null,"x":"text"}'];
    expect(seen(before, '{"a":2,"x":"y"}')).toEqual([]);
    expect(seen(before, '{"x":true}')).toEqual([
      ['$.a', 'missing', undefined],
      ['$.x', 'type', 'boolean'],
    ]);
  });

  it('says nothing of a place that was only ever null or not there', () => {
    expect(seen('{"error":null}', '{"error":{"message":"x"}}')).toEqual([]);
  });

  it('compares items of an array with all items that stood there', () => {
    const before = '{"messages":[{"role":"user","text":"a"},{"role":"bot","text":"b","id":1}]}';
    const after = '{"messages":[{"role":"user","text":"a"},{"role":"bot","txt":"b"},"x"]}';
    expect(seen(before, after)).toEqual([
      ['$.messages[1].text', 'missing', undefined],
      ['$.messages[2]', 'type', 'string'],
    ]);
  });

  it('spells paths so that they can be read back', () => {
    expect(seen('{"a b":{"x.y":1}}', '{"a b":{}}')).toEqual([['$["a b"]["x.y"]', 'missing', undefined]]);
  });

  it('never finds anything in a text that stood there, and stops at a hundred', () => {
    fc.assert(
      fc.property(fc.json(), fc.json(), (a, b) => {
        expect(checkShape([a, b], a)).toEqual([]);
      }),
    );
    const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`k${n}`, n])));
    expect(checkShape(wide, '{}')).toHaveLength(SHAPE_WARNINGS);
  });

  it('works at any depth', () => {
    const deep = (inner: string) => `${'{"a":'.repeat(20_000)}${inner}${'}'.repeat(20_000)}`;
    expect(checkShape(deep('1'), deep('"x"'))).toHaveLength(1);
  });
});
