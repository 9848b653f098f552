import { describe, expect, it } from 'vitest';
import { equalJson } from './equal.ts';

describe('equalJson', () => {
  it.each([
    ['{"a":1,"b":[1,2]}', ' { "b" : [ 1 , 2 ] , "a" : 1 } '],
    ['"é"', '"\\u00e9"'],
    ['"\\ud800"', '"\ud800"'],
    ['"\\/"', '"/"'],
    ['{"\\u0061":1}', '{"a":1}'],
    ['{"a":1,"b":0,"a":2}', '{"b":0,"a":1,"a":2}'],
    ['[NaN, -Infinity]', '[NaN,-Infinity]'],
    ['{"__proto__":{"a":[]},"":0}', '{"":0,"__proto__":{"a":[ ]}}'],
  ])('%s equals %s', (a, b) => {
    expect(equalJson(a, b)).toBe(true);
    expect(equalJson(b, a)).toBe(true);
  });

  it.each([
    ['1', '1.0'],
    ['0', '-0'],
    ['1e2', '100'],
    ['12345678901234567890', '12345678901234567891'],
    ['0', '"0"'],
    ['{}', '[]'],
    ['null', '{}'],
    ['"é"', '"e\u0301"'],
    ['[1,2]', '[2,1]'],
    ['[1]', '[1,1]'],
    ['{"a":null}', '{}'],
    ['{"a":1}', '{"b":1}'],
    ['{"__proto__":1}', '{"__proto__":2}'],
    ['{"constructor":1}', '{"toString":1}'],
    ['{"a":1,"a":2}', '{"a":2,"a":1}'],
    ['{"a":1,"a":1}', '{"a":1,"b":1}'],
    ['{"b":1,"a":1,"a":1}', '{"a":1,"b":1,"b":1}'],
    ['{"a":1,"a":2}', '{"a":2}'],
    ['true', 'false'],
  ])('%s does not equal %s', (a, b) => {
    expect(equalJson(a, b)).toBe(false);
    expect(equalJson(b, a)).toBe(false);
  });

  it('compares 200,000 levels', () => {
    const deep = (core: string): string => '[{"a":'.repeat(100_000) + core + '}]'.repeat(100_000);
    expect(equalJson(deep('1'), deep(' 1'))).toBe(true);
    expect(equalJson(deep('1'), deep('2'))).toBe(false);
  });
});

it('refuses states that are values', () => {
  const refused = { code: 'invalid_input', message: 'Give each state as JSON text.' };
  expect(() => equalJson({ a: 1 } as never, '{"a":1}')).toThrow(expect.objectContaining(refused));
});
