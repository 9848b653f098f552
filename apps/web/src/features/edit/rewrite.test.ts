import fc from 'fast-check';
import { expect, it } from 'vitest';
import { layoutJson } from '../../lib/json.ts';
import { rewritten } from './rewrite.ts';

const stored = String.raw`{"n":1.0,"big":12345678901234567890,"name":"\u0430","list":[1e3, {"x":null}],"long":"${'x'.repeat(90)}"}`;
const laid = layoutJson(stored, 60);

it('gives back the stored bytes of a text that was only laid out', () => {
  expect(laid).not.toBe(stored);
  expect(rewritten(stored, laid)).toBe(stored);
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(rewritten(text, JSON.stringify(value, null, 3))).toBe(text);
    }),
  );
});

it('changes the tokens that were changed, and no other byte', () => {
  expect(rewritten(stored, laid.replace('1e3', '1000'))).toBe(stored.replace('1e3', '1000'));
  expect(rewritten(stored, laid.replace('"x": null', '"x": true').replace('"x":null', '"x":true'))).toBe(
    stored.replace('null', 'true'),
  );
  expect(rewritten('{"n":1.0}', '{ "n": 1 }')).toBe('{"n":1}');
});

it('takes what it cannot carry over as it is typed', () => {
  for (const typed of ['{"n":', '{ "b": 2, "a": 1 }']) expect(rewritten('{"a":1,"b":2}', typed)).toBe(typed);
});
