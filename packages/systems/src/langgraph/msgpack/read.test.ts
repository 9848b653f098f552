/** The decoder against the encoder of another library, against Python's own texts, and against damage. */
import { Encoder, encode, ExtData } from '@msgpack/msgpack';
import { fromJsonText, parseJson } from '@checkpoint-inspector/core';
import fc from 'fast-check';
import { growth, LINEAR } from '@checkpoint-inspector/config/measure';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { pythonFloat } from './output.ts';
import { msgpackToJson } from './read.ts';

const of = (...bytes: number[]) => msgpackToJson(new Uint8Array(bytes));
const wide = new Encoder({ useBigInt64: true });
const ext = (code: number, body: unknown) => new ExtData(code, encode(body));
const decoded = (value: unknown) => msgpackToJson(encode(value));

describe('plain values', () => {
  test('any JSON value comes back equal, with its keys in their order', () => {
    const key = fc.string({ unit: 'grapheme' }).filter((text) => text !== '$type' && text !== '__proto__');
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constant(null),
        fc.boolean(),
        fc.integer(),
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        fc.array(tie('value'), { maxLength: 20 }),
        fc.dictionary(key, tie('value'), { maxKeys: 20 }),
      ),
    }));
    fc.assert(fc.property(value, (any) => decoded(any) === JSON.stringify(any)));
  });

  test('64-bit integers keep every digit', () => {
    const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n });
    fc.assert(fc.property(integer, (any) => msgpackToJson(wide.encode(any)) === String(any)));
  });

  test('floats come back as the same float, and never look like an integer', () => {
    fc.assert(
      fc.property(fc.double(), (any) => {
        const text = pythonFloat(any);
        expect(text).toMatch(/[.eNI]/);
        expect(Object.is(text === 'NaN' ? Number.NaN : Number(text), any)).toBe(true);
      }),
    );
  });

  test.each([
    [1, '1.0'],
    [-0, '-0.0'],
    [1e15, '1000000000000000.0'],
    [1e16, '1e+16'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [1.5e-7, '1.5e-07'],
    [123456.789, '123456.789'],
    [-0.00012345, '-0.00012345'],
    [1.7976931348623157e308, '1.7976931348623157e+308'],
    [5e-324, '5e-324'],
    [Infinity, 'Infinity'],
  ])('%s is written as Python writes it', (value, text) => {
    expect(pythonFloat(value)).toBe(text);
    expect(of(0xcb, ...new Uint8Array(new Float64Array([value]).buffer).toReversed())).toBe(text);
  });

  test('keys that are not texts, and objects that look like a type, are lists of pairs', () => {
    expect(of(0x82, 1, 0xa1, 0x61, 0xc0, 0xa1, 0x62)).toBe('{"$type":"dict","items":[[1,"a"],[null,"b"]]}');
    expect(decoded({ $type: 'os.system' })).toBe('{"$type":"dict","items":[["$type","os.system"]]}');
    expect(of(0x81, 0xa9, ...Buffer.from('__proto__'), 1)).toBe('{"__proto__":1}');
    expect(of(0x82, 0xa1, 0x62, 1, 0xa1, 0x31, 2)).toBe('{"b":1,"1":2}');
  });
});

describe('extensions', () => {
  test.each([
    [0, ['builtins', 'set', [1, 2]], '{"$type":"builtins.set","value":[1,2]}'],
    [0, ['pydantic.types', 'SecretBytes', 'hunter2'], '{"$type":"pydantic.types.SecretBytes","value":"**********"}'],
    [0, ['app', 'MySecretStr', 'hunter2'], '{"$type":"app.MySecretStr","value":"**********"}'],
    [0, ['pydantic', 'Secret[int]', 4711], '{"$type":"pydantic.Secret[int]","value":"**********"}'],
    [
      0,
      ['pydantic.types', 'SecretStr'],
      '{"$type":"msgpack extension 0","size":26,"base64":"kq5weWRhbnRpYy50eXBlc6lTZWNyZXRTdHI="}',
    ],
    [9, ['pydantic.types', 'SecretStr', 'hunter2'], '{"$type":"msgpack extension 9","size":34,"base64":"**********"}'],
    [1, ['langgraph.types', 'Send', ['n', { k: 1 }]], '{"$type":"langgraph.types.Send","node":"n","arg":{"k":1}}'],
    [2, ['langgraph.types', 'Interrupt', { value: 'ok?' }], '{"$type":"langgraph.types.Interrupt","value":"ok?"}'],
    [2, ['m', 'Empty', {}], '{"$type":"m.Empty"}'],
    [4, ['m', 'Odd', { $type: 1 }], '{"$type":"m.Odd","value":{"$type":"dict","items":[["$type",1]]}}'],
    [5, ['m', 'Model', { a: 1 }, 'model_validate_json'], '{"$type":"m.Model","a":1}'],
    [7, [1], '{"$type":"langgraph.DeltaSnapshot","value":[1]}'],
    [3, ['only'], '{"$type":"msgpack extension 3","size":6,"base64":"kaRvbmx5"}'],
    [0, [1, 2, 3], '{"$type":"msgpack extension 0","size":4,"base64":"kwECAw=="}'],
    [42, 'x', '{"$type":"msgpack extension 42","size":2,"base64":"oXg="}'],
    [-1, 'x', '{"$type":"msgpack extension -1","size":2,"base64":"oXg="}'],
  ])('%i %j is data with its name', (code, body, text) => {
    expect(decoded(ext(code, body))).toBe(text);
  });

  test('inside extensions and lists, at any place', () => {
    const set = ext(0, ['builtins', 'set', ['a']]);
    const text = decoded([{ held: ext(5, ['m', 'Model', { tags: set }, 'model_validate_json']) }]);
    expect(text).toBe('[{"held":{"$type":"m.Model","tags":{"$type":"builtins.set","value":["a"]}}}]');
  });
});

describe('work', () => {
  test('a state is made a text once, and each typed value has its name read: nothing is made for every value', () => {
    const message = ext(5, ['m', 'AIMessage', { content: 'x', parts: [1, 2.5, 'y', null] }, 'model_validate_json']);
    const states = Array.from({ length: 1000 }, (_, n) =>
      wide.encode({ id: n, messages: [message, message, message] }),
    );
    const made = vi.spyOn(Buffer.prototype, 'toString');
    onTestFinished(() => made.mockRestore());
    for (const state of states) msgpackToJson(state);
    expect(made.mock.calls.length).toBe(states.length * (1 + 3 * 2));
  });

  test('grows with the bytes, whatever they are', () => {
    for (const part of ['plain', 'é', '\n', '"', '\u0001']) {
      const texts = new Map([2_000, 32_000].map((size) => [size, encode(Array.from({ length: size }, () => part))]));
      expect(
        growth((size) => msgpackToJson(texts.get(size) ?? encode(null)), 32_000),
        part,
      ).toBeLessThan(LINEAR);
    }
  });

  test('a long text is escaped as JSON has it, also where it is written in pieces', () => {
    const sign = fc.constantFrom('a', '"', '\\', '\n', '\u0001', '\u001f', '\u007f', 'é', '漢', '😀', '\u2028');
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 12 }), fc.nat(1200), (signs, times) => {
        const text = signs.join('').repeat(times);
        return decoded(text) === JSON.stringify(text);
      }),
    );
  });

  test('damage inside damage comes to an end', () => {
    let nested: unknown = new Uint8Array(200_000);
    for (let level = 0; level < 90; level++) nested = ext(0, ['m', 'n', nested, 1, 2, 3].toSpliced(1, 1, level));
    expect(() => decoded(nested)).not.toThrow();
    let deep: Uint8Array = encode(new Uint8Array(200_000));
    for (let level = 0; level < 90; level++) {
      const body = Buffer.concat([Buffer.from([0x93]), encode('m'), encode('n'), deep, Buffer.from([0xc0])]);
      deep = encode(new ExtData(0, new Uint8Array(body)));
    }
    expect(() => msgpackToJson(deep)).toThrow(expect.objectContaining({ code: 'too_large' }));
  });
});

describe('damage', () => {
  test('any bytes give JSON or a reason, and never take more than they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          const text = msgpackToJson(bytes);
          parseJson(text);
          expect(text.length).toBeLessThan(100 * (bytes.length + 1));
        } catch (error) {
          expect(error).toMatchObject({ code: 'unreadable' });
        }
      }),
    );
  });

  test('every cut of a sound value is refused', () => {
    const whole = encode({ a: [1.5, 'text', null, ext(0, ['builtins', 'set', [1]])], b: 2 ** 31 });
    fromJsonText(msgpackToJson(whole));
    for (let end = 0; end < whole.length; end++) {
      expect(() => msgpackToJson(whole.subarray(0, end)), String(end)).toThrow(/ends too early/);
    }
  });

  test.each([
    ['a list of 4 billion', [0xdd, 0xff, 0xff, 0xff, 0xff], /ends too early at byte 5/],
    ['a text of 4 GB', [0xdb, 0xff, 0xff, 0xff, 0xff, 0x61], /ends too early/],
    ['more than one value', [1, 2], /has 1 more bytes at byte 1/],
    ['a code that does not exist', [0xc1], /unknown code 0xc1 at byte 0/],
    ['text that is not UTF-8', [0xa1, 0xff], /valid UTF-8 at byte 1/],
  ])('%s', (_, bytes, reason) => {
    expect(() => of(...bytes)).toThrow(reason);
  });

  test.each([0, 1, 2, 5, 7])(
    'extensions in extensions of code %i are followed to 90 levels and refused at 3,000',
    (code) => {
      const around = (inner: unknown) =>
        ext(code, code === 7 ? [inner] : ['m', 'n', code === 0 ? inner : { a: inner }]);
      let nested: unknown = 1;
      for (let level = 0; level < 90; level++) nested = around(nested);
      expect(decoded(nested)).toMatch(/1[}\]]*$/);
      for (let level = 0; level < 3000; level++) nested = around(nested);
      expect(() => decoded(nested)).toThrow(expect.objectContaining({ code: 'too_large' }));
    },
  );

  test('deep nesting is refused before it can end the program', () => {
    expect(() => msgpackToJson(new Uint8Array(2_000_000).fill(0x91))).toThrow(/nested more than 1000 levels/);
    expect(msgpackToJson(new Uint8Array([...new Uint8Array(900).fill(0x91), 1]))).toHaveLength(1801);
  });
});
