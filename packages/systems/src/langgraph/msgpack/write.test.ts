/** What is written against the decoder of another library, over generated states. */
import { decode, Encoder, encode, ExtData, ExtensionCodec } from '@msgpack/msgpack';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FullRow } from '../queries.ts';
import { stampedCopy } from '../stamped.ts';
import { newerId } from '@checkpoint-inspector/core';
import { timeLike } from '../stamped.ts';
import { pythonFloat } from './output.ts';
import { numberBytes } from './heads.ts';
import { msgpackToJson } from './read.ts';
import { rewritten } from './write.ts';

const wide = new Encoder({ useBigInt64: true });
const extensionCodec = new ExtensionCodec();
const plain = (bytes: Uint8Array): unknown => decode(new Uint8Array(bytes), { useBigInt64: true, extensionCodec });
const ext = (code: number, body: unknown) => new ExtData(code, encode(body));
const message = (id: number, content: string) =>
  ext(5, ['langchain_core.messages.ai', 'AIMessage', { content, id: `m${id}`, extra: {} }, 'model_validate_json']);

const key = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((text) => text !== '$type' && text !== '__proto__');
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, false),
    fc.integer(),
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    fc.array(tie('json'), { maxLength: 20 }),
    fc.dictionary(key, tie('json'), { maxKeys: 20 }),
  ),
}));
/** As Python holds it: floats, large integers, messages and sets among plain values. */
const held = fc.oneof(
  json,
  fc.double(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
  fc.array(fc.tuple(fc.nat(), fc.string()).map(([id, content]) => message(id, content))),
  fc.array(fc.nat()).map((items) => ext(0, ['builtins', 'set', items])),
  fc.uint8Array({ maxLength: 300 }),
);
const state = fc.dictionary(key, held, { maxKeys: 8 });

const OLD = '1f1e5b11-9947-680f-bfff-7e62b0414ef9';
const rowOf = (checkpoint: Uint8Array): FullRow => ({
  ns: '',
  id: OLD,
  parent: null,
  type: 'msgpack',
  stored: 'blob',
  checkpoint,
  metadata: null,
  metadataStored: 'null',
});

describe('a copy with another id and time', () => {
  const times = fc.constantFrom(
    '2026-11-21T13:40:22.638756+00:00',
    '2026-11-21T13:40:22+00:00',
    `${'x'.repeat(300)}+00:00`,
  );
  /** The order of the first members in checkpoints of format 1, and of those since. */
  const firsts = fc.constantFrom(['v', 'ts', 'id'], ['v', 'id', 'ts'], ['id', 'v', 'ts']);

  test('of any state: the other library finds all else equal, and every other byte is the same', () => {
    fc.assert(
      fc.property(state, times, firsts, fc.constantFrom(1, 4), (values, ts, order, v) => {
        const first: Record<string, unknown> = { v, ts, id: OLD };
        const rest = { channel_values: values, channel_versions: {}, versions_seen: { n: {} } };
        const members = { ...Object.fromEntries(order.map((name) => [name, first[name]])), ...rest };
        const stored = wide.encode(members);
        const { id, ticks } = newerId(OLD, 3, new Date());
        const copy = stampedCopy(rowOf(stored), id, ticks);
        const time = timeLike(ts, ticks);
        expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);
        expect(plain(copy)).toEqual(plain(wide.encode({ ...members, id, ts: time })));
        const tail = wide.encode(rest).length - 1;
        expect(Buffer.from(copy.subarray(-tail))).toEqual(Buffer.from(stored.subarray(-tail)));
        if (ts.length === time.length) expect(copy).toHaveLength(stored.length);
      }),
    );
  });

  test.each([
    ['without an id', { v: 4, ts: 'x', channel_values: {} }],
    ['without a time', { v: 4, id: OLD, channel_values: {} }],
  ])('%s is refused', (_, members) => {
    expect(() => stampedCopy(rowOf(encode(members)), OLD, 0n)).toThrow(/LangGraph would not take a copy/);
  });

  test('with an id twice is refused: which one counts is not said', () => {
    const twice = Buffer.concat([
      Buffer.from([0x84]),
      ...['id', OLD, 'id', OLD, 'ts', 'x'].map((text) => encode(text)),
      encode('channel_values'),
      encode({}),
    ]);
    expect(() => stampedCopy(rowOf(twice), OLD, 0n)).toThrow(/stored twice/);
  });
});

describe('an edited state', () => {
  test('that says the same keeps every byte', () => {
    fc.assert(
      fc.property(state, (values) => {
        const stored = wide.encode(values);
        expect(Buffer.from(rewritten(stored, msgpackToJson(stored)))).toEqual(Buffer.from(stored));
      }),
    );
  });

  test('of plain values, in the place of any other, is what the other library reads', () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        expect(plain(rewritten(encode(before), JSON.stringify(after)))).toEqual(plain(encode(after)));
      }),
    );
  });

  test('keeps the bytes of channels that are unchanged', () => {
    fc.assert(
      fc.property(state, json, (values, added) => {
        const stored = wide.encode({ a: 1, ...values });
        const text = `{"an added channel":${JSON.stringify(added)},${msgpackToJson(stored).slice(1)}`;
        const bytes = Buffer.from(rewritten(stored, text));
        expect(bytes.subarray(1 - stored.length)).toEqual(Buffer.from(stored.subarray(1)));
      }),
      { numRuns: 50 },
    );
  });

  test('numbers have the bytes that the other library gives them', () => {
    const integer = fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }), fc.integer().map(BigInt));
    fc.assert(
      fc.property(integer, (any) => {
        const expected = any >= -(2n ** 31n) && any < 2n ** 32n ? encode(Number(any)) : wide.encode(any);
        expect(Buffer.from(numberBytes(String(any)) ?? [])).toEqual(Buffer.from(expected));
      }),
    );
    fc.assert(
      fc.property(fc.double(), (any) => Object.is(plain(numberBytes(pythonFloat(any)) ?? new Uint8Array()), any)),
    );
    expect([numberBytes(String(2n ** 64n)), numberBytes(String(-(2n ** 63n) - 1n))]).toEqual([undefined, undefined]);
  });

  test('messages are changed, moved, copied and removed, and stay of their class', () => {
    const texts = fc.array(fc.string(), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(texts, fc.infiniteStream(fc.nat()), fc.nat(2), (contents, picks, act) => {
        const stored = encode({ messages: contents.map((content, id) => message(id, content)) });
        const { messages } = JSON.parse(msgpackToJson(stored)) as { messages: { content: string }[] };
        const pick = (picks.next().value ?? 0) % messages.length;
        const one = messages[pick] ?? { content: '' };
        const acts = [
          messages.with(pick, { ...one, content: 'other' }),
          messages.toReversed(),
          messages.toSpliced(pick, 1),
        ];
        const next = acts[act] ?? [];
        const back = plain(rewritten(stored, JSON.stringify({ messages: next }))) as { messages: ExtData[] };
        const read = back.messages.map(({ type, data }) => [type, ...(decode(data as Uint8Array) as unknown[])]);
        expect(read).toEqual(
          next.map(({ content, ...fields }) => {
            const { $type: _, ...others } = fields as Record<string, unknown>;
            return [5, 'langchain_core.messages.ai', 'AIMessage', { content, ...others }, 'model_validate_json'];
          }),
        );
      }),
    );
  });

  const secret = (text: string) => ext(0, ['pydantic.types', 'SecretStr', text]);
  const masked = '{"$type":"pydantic.types.SecretStr","value":"**********"}';

  test('where secrets look alike, none takes the place of another', () => {
    const stored = encode({ keys: [secret('first'), secret('second')], n: 1 });
    expect(() => rewritten(stored, `{"keys":[${masked}],"n":1}`)).toThrow(/at \$\.keys\[0\], it is not plain which/);
    const kept = rewritten(stored, `{"keys":[${masked},${masked}],"n":2}`);
    expect(Buffer.from(kept).subarray(0, -1)).toEqual(Buffer.from(stored).subarray(0, -1));
    const named = encode({
      keys: [
        [1, secret('first')],
        [2, secret('second')],
      ],
    });
    const left = Buffer.from(rewritten(named, `{"keys":[[2,${masked}]]}`)).toString('latin1');
    expect([left.includes('first'), left.includes('second')]).toEqual([false, true]);
    expect(() => rewritten(named, `{"keys":[[3,${masked}]]}`)).toThrow(/not plain which/);
  });

  test.each([
    ['{"s":{"$type":"builtins.set","value":[3,4]}}', [0, ['builtins', 'set', [3, 4]]]],
    ['{"s":{"$type":"builtins.set","value":[]}}', [0, ['builtins', 'set', []]]],
  ])('the items of a set may change: %s', (text, [code, body]) => {
    const stored = encode({ s: ext(0, ['builtins', 'set', [1]]) });
    expect(Buffer.from(rewritten(stored, text))).toEqual(Buffer.from(encode({ s: ext(Number(code), body) })));
  });

  test('the argument of a Send may change, its node not', () => {
    const stored = encode([ext(1, ['langgraph.types', 'Send', ['n', { k: 1 }]])]);
    const text = msgpackToJson(stored);
    const changed = encode([ext(1, ['langgraph.types', 'Send', ['n', { k: 2 }]])]);
    expect(Buffer.from(rewritten(stored, text.replace('"k":1', '"k":2')))).toEqual(Buffer.from(changed));
    expect(() => rewritten(stored, text.replace('"n"', '"m"'))).toThrow(/written back exactly/);
  });
});
