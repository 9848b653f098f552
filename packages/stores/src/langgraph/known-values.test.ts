import fc from 'fast-check';
import { JsonPlusSerializer } from '@langchain/langgraph-checkpoint';
import { describe, expect, it } from 'vitest';
import { KnownValues } from './known-values.ts';

const serde = new JsonPlusSerializer();
const asWhole = async (values: object): Promise<unknown> =>
  JSON.parse(new TextDecoder().decode((await serde.dumpsTyped(values))[1]));

describe('KnownValues', () => {
  it('gives what the serializer writes of all channels, whatever was there before', async () => {
    const entry = fc.oneof(fc.integer({ min: -20, max: 20 }), fc.constantFrom('', ',', ']', '12', '"'), fc.jsonValue());
    const channel = fc.oneof(
      fc.array(entry, { maxLength: 5 }),
      fc.jsonValue(),
      fc.constantFrom(undefined, new Set([1])),
    );
    const values = fc.dictionary(fc.constantFrom('a', 'b', '__proto__', '1'), channel);
    await fc.assert(
      fc.asyncProperty(fc.array(values, { minLength: 1, maxLength: 6 }), async (all) => {
        const known = new KnownValues();
        for (const one of all) expect(await known.read(serde, 't', one)).toEqual(await asWhole(one));
      }),
      { numRuns: 500 },
    );
  });

  it('gives the same objects for what is the same, entry by entry', async () => {
    const known = new KnownValues();
    const read = async (values: object) =>
      (await known.read(serde, 't', { ...values })) as { m: unknown[]; o: unknown };
    const one = await read({ m: [{ a: 1 }], o: { b: 2 } });
    const two = await read({ m: [{ a: 1 }, 12], o: { b: 2 } });
    const three = await read({ m: [{ a: 1 }, 123, { c: 3 }], o: { b: 3 } });
    expect(two.m[0]).toBe(one.m[0]);
    expect(two.o).toBe(one.o);
    expect(three).toEqual({ m: [{ a: 1 }, 123, { c: 3 }], o: { b: 3 } });
    expect(three.m[0]).toBe(one.m[0]);
    known.forget('t');
    expect((await read({ m: [{ a: 1 }] })).m[0]).not.toBe(one.m[0]);
  });

  it('leaves out what the serializer writes nothing of', async () => {
    expect(await new KnownValues().read(serde, 't', { f: () => 1, n: 1, s: Symbol('s') })).toEqual({ n: 1 });
  });

  it('leaves alone what is written otherwise than as JSON', async () => {
    const bytes = { dumpsTyped: async () => ['msgpack', new Uint8Array([0x7b, 0x22])] as [string, Uint8Array] };
    const known = new KnownValues();
    expect(await known.read({ ...bytes, loadsTyped: async () => 1 }, 't', { a: 1 })).toBeUndefined();
  });
});
