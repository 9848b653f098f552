import { describe, expect, it } from 'vitest';
import { Document, equalIn } from './document.ts';

function isEqual(a: string, b: string): boolean {
  const [before, after] = [new Document(a, { multiplier: 31 }), new Document(b, { multiplier: 31 })];
  return equalIn(before, before.root, after, after.root);
}

function hashOf(text: string): number {
  const document = new Document(text, { multiplier: 31 });
  return document.hash(document.root);
}

describe('Document', () => {
  it.each([
    ['{"a":1,"b":[{},[]]}', '{ "b": [ {}, [ ] ], "a": 1 }'],
    ['"é"', '"\\u00e9"'],
    ['[true,null]', '[ true , null ]'],
  ])('gives equal values equal hashes: %s', (a, b) => {
    expect(hashOf(a)).toBe(hashOf(b));
    expect(isEqual(a, b)).toBe(true);
  });

  it('gives different values different hashes', () => {
    const texts = [
      '0',
      '-0',
      '"0"',
      '1',
      '1.0',
      '{}',
      '[]',
      '[[]]',
      '[{}]',
      '""',
      'null',
      'true',
      'false',
      '[1,2]',
      '[2,1]',
      '{"a":1}',
      '{"b":1}',
      '{"a":{"b":1}}',
    ];
    expect(new Set(texts.map(hashOf)).size).toBe(texts.length);
  });

  it('does not trust hashes alone', () => {
    // "Aa" and "BB" collide with the multiplier 31 of this test.
    expect(hashOf('"Aa"')).toBe(hashOf('"BB"'));
    expect(isEqual('"Aa"', '"BB"')).toBe(false);
    expect(isEqual('{"x":["Aa"]}', '{"x":["BB"]}')).toBe(false);
  });

  it('uses another multiplier outside of tests', () => {
    const [a, b] = [new Document('"Aa"'), new Document('"BB"')];
    expect(a.hash(a.root)).not.toBe(b.hash(b.root));
  });
});
