/** Rows that cannot be read as LangGraph would: each is listed with its reason, and the others are read. */
import { encode } from '@msgpack/msgpack';
import type { CheckpointSource } from '@checkpoint-inspector/core';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { joinValues } from './join.ts';
import { dict, none, number, pickle, raw, text, tuple, typed, type Piece } from './test-pickle.ts';
import { openDev, type DevStore } from './test-store.ts';

let store: DevStore | undefined;
afterEach(async () => {
  await store?.close();
  store = undefined;
});

const ID = '1f1e5b1f-8352-62c0-8001-3972be0cb0c7';
const NEXT = '1f1e5b1f-83cc-63e0-8002-41acc999ff1a';
const TS = '2026-11-21T13:46:36.140000+00:00';

async function rowOf(source: CheckpointSource, id: string) {
  const { items } = await source.checkpoints('t');
  const item = items.find((one) => one.id === id);
  const state = await source.state({ task: 't', id }).catch((error: unknown) => error);
  return { item, state };
}

describe('langgraphjs dev', () => {
  const base64 = (value: unknown) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');
  const checkpoint = (id: string, values: unknown = { n: 1 }) =>
    base64({ v: 4, id, ts: TS, channel_values: values, channel_versions: { n: 1 }, versions_seen: {} });
  const metadata = base64({ source: 'loop', step: 1, parents: {} });
  const openWith = async (entries: object, writes: object = {}) => {
    const file = JSON.stringify({ json: { storage: { t: { '': entries } }, writes }, meta: {} });
    store = await openDev({ '.langgraphjs_api.checkpointer.json': file });
    return store.source;
  };

  test.each([
    ['null', null, /isn't a list of checkpoint/],
    ['an empty list', [], /isn't a list of checkpoint/],
    ['a checkpoint that is not base64', ['%%%', metadata, null], /checkpoint isn't valid base64/],
    ['metadata that is not base64', [checkpoint(NEXT), 'x', null], /metadata isn't valid base64/],
    ['another JSON value', [base64([1]), metadata, null], /isn't a checkpoint/],
    ['JSON that was cut', [base64('{"v":4,"channel_values":{'), metadata, null], /./],
    ['bytes that are not text', [Buffer.from([0xff, 0xfe]).toString('base64'), metadata, null], /UTF-8/],
    ['metadata of another kind', [checkpoint(NEXT), base64([]), null], /metadata isn't a JSON object/],
    ['200,000 lists in each other', [base64('['.repeat(200_000)), metadata, null], /./],
  ])('%s is a row with its reason', async (_what, entry, reason) => {
    const source = await openWith({ [ID]: [checkpoint(ID), metadata, null], [NEXT]: entry });
    const { item, state } = await rowOf(source, NEXT);
    expect(item?.problem).toMatchObject({ message: expect.stringMatching(reason) });
    expect(state).toBeInstanceOf(Error);
    expect((await rowOf(source, ID)).state).toMatchObject({ text: '{"n":1}' });
    expect((await source.latest('t')).ref?.id).toBe(ID);
    // Lists look at metadata only where something else is odd, as in SQLite files.
    const counted = entry?.[1] === base64([]) ? 0 : 1;
    expect((await source.tasks()).items).toMatchObject([{ id: 't', checkpointCount: 2, unreadable: counted }]);
  });

  test('numbers have their digits, and what looks like a program is data', async () => {
    const values =
      '{"n":12345678901234567890,"f":1.0,"e":1e400,"__proto__":{"a":1},"lc":{"lc":2,"type":"constructor","id":["os","system"],"args":["x"]}}';
    const stored = base64(
      `{"v":4,"id":"${ID}","ts":"${TS}","channel_values":${values},"channel_versions":{},"versions_seen":{}}`,
    );
    const source = await openWith({ [ID]: [stored, metadata, null] });
    expect((await rowOf(source, ID)).state).toMatchObject({ text: values });
  });

  test('damaged writes are named, and the others read', async () => {
    const key = JSON.stringify(['t', '', ID]);
    const task = '65ccf51a-067a-571c-851c-c64f77d0ba51';
    const writes = {
      [key]: { [`${task},0`]: [task, 'n', base64('3'), ''], [`${task},1`]: null, [`${task},2`]: [task, 'm', '%'] },
    };
    const source = await openWith({ [ID]: [checkpoint(ID), metadata, null] }, writes);
    const beside = await source.beside?.({ task: 't', id: ID });
    expect(beside?.writes).toMatchObject([
      { channel: 'n', text: '3' },
      { channel: '', problem: expect.any(String) },
      { channel: 'm', problem: expect.any(String) },
    ]);
  });

  test.each([
    ['[]', /storage/],
    ['{"json":{"storage":{"t":1}}}', /storage of thread t/],
    ['{"json":{"storage":{},"writes":{"no key":{}}}}', /isn't valid JSON/],
    ['{"json":{"storage":{},"writes":{"[1]":{}}}}', /names no checkpoint/],
    ['\u{feff}{}', /isn't valid JSON/],
  ])("%s isn't a file of the server", async (file, reason) => {
    // Fresh files may be half-written, so the reason is the cause.
    const error: unknown = await openDev({ '.langgraphjs_api.checkpointer.json': file }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      code: 'busy',
      cause: { code: 'unreadable', message: expect.stringMatching(reason) },
    });
  });
});

describe('langgraph dev', () => {
  const metadata = typed('msgpack', encode({ source: 'loop', step: 1, parents: {} }));
  const checkpointOf = (more: object) =>
    typed('msgpack', encode({ v: 4, ts: TS, id: ID, ...more, versions_seen: {}, updated_channels: null }));
  const files = (entry: Piece, blobs?: Piece) => ({
    '.langgraph_checkpoint.1.pckl': pickle(dict([text('t'), dict([text(''), dict([text(ID), entry])])])),
    ...(blobs && { '.langgraph_checkpoint.3.pckl': pickle(blobs) }),
  });
  const blob = (channel: string, version: string, value: Piece) =>
    [tuple(text('t'), text(''), text(channel), text(version)), value] as const;

  test('a folder of early 2025 has its values in the checkpoints', async () => {
    store = await openDev(
      files(tuple(checkpointOf({ channel_values: { n: 1 }, channel_versions: { n: 1 } }), metadata, none)),
    );
    expect((await rowOf(store.source, ID)).state).toMatchObject({
      text: '{"n":1}',
      derived: "decoded from Python's msgpack",
    });
  });

  test('values of each type are joined; what is missing or not read is named', async () => {
    const versions = { a: '1', b: '1', c: '1', d: '1', e: '1', f: '1', g: 7, h: '1', i: '1' };
    const blobs = dict(
      blob('a', '1', typed('msgpack', encode([1, 'x']))),
      blob('b', '1', typed('null', '')),
      blob('c', '1', typed('empty', '')),
      blob('d', '1', typed('bytes', Uint8Array.of(0, 255))),
      blob('e', '1', typed('pickle', 'cos\nsystem\n.')),
      blob('f', '1', typed('msgpack', Uint8Array.of(0x92, 1))),
      [tuple(text('t'), text(''), text('g'), number(7)), typed('msgpack', encode('seven'))],
      blob('h', '1', typed('msgpack+aes', 'secret')),
    );
    store = await openDev(files(tuple(checkpointOf({ channel_versions: versions }), metadata, none), blobs));
    const { item, state } = await rowOf(store.source, ID);
    expect(item?.problem).toBeUndefined();
    const bytes = (size: number, base64: string) => `{"$type":"bytes","size":${size},"base64":"${base64}"}`;
    expect(state).toMatchObject({
      text: `{"a":[1,"x"],"b":null,"d":${bytes(2, 'AP8=')},"e":{"$type":"langgraph.pickle","data":${bytes(12, 'Y29zCnN5c3RlbQou')}},"f":{"$type":"langgraph.msgpack","data":${bytes(2, 'kgE=')}},"g":"seven","h":{"$type":"langgraph.msgpack+aes","data":${bytes(6, 'c2VjcmV0')}}}`,
      derived: expect.stringMatching(/e: stored as pickle.*h: stored as msgpack\+aes.*not in the file of values: i/),
    });
  });

  test.each([
    ['pickled', tuple(typed('pickle', 'cos\nsystem\n.'), metadata, none), /pickle payload/],
    ['damaged', tuple(typed('msgpack', Uint8Array.of(0x82, 0xa1)), metadata, none), /ends too early/],
    ['of 200,000 lists', tuple(typed('msgpack', Buffer.alloc(200_000, 0x91)), metadata, none), /./],
    [
      'claiming very much',
      tuple(typed('msgpack', Uint8Array.of(0xdf, 255, 255, 255, 255)), metadata, none),
      /ends too early/,
    ],
    ['absent', none, /metadata can't be read/],
    [
      'with encrypted metadata',
      tuple(checkpointOf({ channel_values: {} }), typed('msgpack+aes', 'x'), none),
      /stored as msgpack\+aes/,
    ],
    [
      'with metadata that is damaged',
      tuple(checkpointOf({ channel_values: {} }), typed('pickle', raw(0x80, 4, 'N')), none),
      /ends too early/,
    ],
  ])('a checkpoint %s is a row with its reason', async (_what, entry, reason) => {
    store = await openDev(files(entry));
    const { item, state } = await rowOf(store.source, ID);
    expect(item?.problem).toMatchObject({ message: expect.stringMatching(reason) });
    expect(state).toBeInstanceOf(Error);
    expect((await store.source.tasks()).items).toMatchObject([{ checkpointCount: 1, unreadable: 1 }]);
  });

  test('pickled metadata is read as data', async () => {
    const held = dict(
      [text('source'), text('loop')],
      [text('step'), number(4)],
      [text('graph_id'), text('agent')],
      [text('user'), raw('cos\nsystem\n)R')],
    );
    const entry = tuple(checkpointOf({ channel_values: { n: 1 } }), typed('pickle', pickle(held)), none);
    store = await openDev(files(entry));
    expect((await rowOf(store.source, ID)).item).toMatchObject({ trigger: 'auto', stepIndex: 4, status: 'completed' });
    expect((await store.source.tasks()).items).toMatchObject([{ agentId: 'agent', unreadable: 0 }]);
  });
});

describe('joining', () => {
  test('any bytes end in a value or an error of ours, and never run on', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          joinValues(bytes, () => undefined);
        } catch (error) {
          expect(error).toMatchObject({ code: expect.stringMatching(/unreadable|too_large/) });
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
