import { describe, expect, it } from 'vitest';
import { parseExpectation } from './expect.ts';

describe('parseExpectation', () => {
  it.each([
    ['$.a.b=122', '$.a.b', '122'],
    ['.a.b=122', '$.a.b', '122'],
    ['a.b=122', '$.a.b', '122'],
    ['$=[]', '$', '[]'],
    ['[0].price = 1.0', '$[0].price', '1.0'],
    ['rows[3]["unit price"]="4 = 2 + 2"', '$.rows[3]["unit price"]', '"4 = 2 + 2"'],
    ["a['x']=null", '$.a.x', 'null'],
    ['["a=b"].c=true', '$["a=b"].c', 'true'],
    ['$ref.id=1', '$.$ref.id', '1'],
    ['a=12345678901234567890.10', '$.a', '12345678901234567890.10'],
    ['a={"b": [1]}', '$.a', '{"b": [1]}'],
  ])('reads %s', (text, path, value) => expect(parseExpectation(text)).toEqual({ path, value }));

  it.each(['', '=', '=1', '$.a', '$.a.*=1', 'a..b=1', '$.a=', '$.a=hello', '$.a={', '$.a=1 2'])(
    'refuses %j and shows the form',
    (text) => {
      const refused = { code: 'invalid_input', remedy: expect.stringContaining("--expect '$.a.b=122'") };
      expect(() => parseExpectation(text, '--expect')).toThrow(expect.objectContaining(refused));
    },
  );
});
