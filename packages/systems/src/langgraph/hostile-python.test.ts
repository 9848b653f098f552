/** Rows in msgpack that are made to harm whoever reads them (S23 to S31): they are data, or a reason. */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode, ExtData } from '@msgpack/msgpack';
import type { SqlRow } from '@checkpoint-inspector/io';
import { collect } from '@checkpoint-inspector/core/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { langgraphWrite } from './index.ts';
import { idAt, openPython, openRows, type TestStore } from './test-store.ts';

const MARKER = join(tmpdir(), `langgraph-python-marker-${process.pid}`);
const command = `touch ${MARKER}`;
let store: TestStore | undefined;
afterEach(async () => {
  await store?.close();
  store = undefined;
});

const ext = (code: number, body: unknown) => new ExtData(code, encode(body));
const TS = '2026-01-01T00:00:00.000001+00:00';

function checkpointOf(n: number, values: unknown, more: object = {}): Uint8Array {
  return encode({
    v: 4,
    id: idAt(n),
    ts: TS,
    channel_values: values,
    channel_versions: {},
    versions_seen: {},
    ...more,
  });
}

function row(n: number, columns: SqlRow = {}): SqlRow {
  return {
    thread_id: 't',
    checkpoint_ns: '',
    checkpoint_id: idAt(n),
    parent_checkpoint_id: n === 1 ? null : idAt(n - 1),
    type: 'msgpack',
    checkpoint: checkpointOf(n, { n }),
    metadata: Buffer.from(`{"source": "loop", "step": ${n}, "parents": {}}`),
    ...columns,
  };
}

const ref = (n: number) => ({ task: 't', id: idAt(n) });

const GADGETS: readonly (readonly [string, unknown])[] = [
  ['a constructor', ext(0, ['os', 'system', command])],
  ['a constructor by position', ext(1, ['subprocess', 'run', [['touch', MARKER]]])],
  ['a constructor by keywords', ext(2, ['subprocess', 'Popen', { args: command, shell: true }])],
  ['a method', ext(3, ['builtins', 'eval', `__import__('os').system('${command}')`, '__call__'])],
  ['a model of pydantic 1', ext(4, ['os', 'system', { command }])],
  ['a model of pydantic 2', ext(5, ['os', 'system', { command }, 'model_validate_json'])],
  ['a method of a prototype', ext(3, ['constructor', 'constructor', command, '__proto__'])],
  ['an unknown extension', ext(99, ['os', 'system', command])],
  ['the code of another serializer', new ExtData(0x72, Buffer.from(`cos\nsystem\n(S'${command}'\ntR.`))],
  [
    "LangChain's envelope",
    { lc: 2, type: 'constructor', id: ['os', 'system'], method: null, args: [command], kwargs: {} },
  ],
  ['keys of a prototype', JSON.parse('{"constructor":"x","toJSON":"x","then":"y"}')],
];

describe.each(GADGETS)('what Python would build: %s', (_, gadget) => {
  async function opened() {
    store = await openRows(
      [row(1), row(2, { checkpoint: checkpointOf(2, { gadget, messages: [gadget] }) }), row(3)],
      ['__error__', '__interrupt__', 'log'].map((channel, n) => ({
        ...langgraphWrite({ thread: 't', id: idAt(2), taskId: `a${n}`, idx: n, channel, value: 0 }),
        type: 'msgpack',
        value: encode(gadget),
      })),
    );
    return store;
  }

  test('is data in states, errors, questions and writes; nothing runs (S23, S24, S25)', async () => {
    const { source, bytes } = await opened();
    const before = bytes();
    const text = (await source.state(ref(2)))?.text ?? '';
    expect(text).toMatch(/^\{"gadget":\{/);
    const beside = await source.beside?.(ref(2));
    expect([beside?.errors?.length, beside?.requests.length, beside?.writes?.length]).toEqual([1, 1, 1]);
    expect(text.startsWith(`{"gadget":${beside?.writes?.[0]?.text}`)).toBe(true);
    expect((await source.checkpoints('t')).items.map(({ problem }) => problem)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(bytes()).toEqual(before);
    expect(existsSync(MARKER)).toBe(false);
  });

  test('is copied byte for byte, by a fork and, but for id and time, by a restore (S27)', async () => {
    const { source, apply, database } = await opened();
    await apply(await source.plan({ kind: 'fork', ref: ref(2), targetTask: 'copy' }));
    expect(await source.raw?.({ task: 'copy', id: idAt(2) })).toEqual(await source.raw?.(ref(2)));
    const plan = await source.plan({ kind: 'restore', ref: ref(2) });
    await apply(plan);
    const made = plan.view.latestAfter ?? expect.fail('no latest');
    const tail = Buffer.from(encode({ gadget, messages: [gadget] }));
    const raw = Buffer.from((await source.raw?.(made)) ?? []);
    const stored = Buffer.from((await source.raw?.(ref(2))) ?? []);
    expect(raw.includes(tail)).toBe(true);
    const at = stored.indexOf(tail);
    expect(raw.subarray(at)).toEqual(stored.subarray(at));
    const sql = "SELECT count(*) AS n FROM checkpoints WHERE type <> 'msgpack'";
    expect(database.prepare<{ n: number }>(sql).get()?.n).toBe(0);
    expect(existsSync(MARKER)).toBe(false);
  });
});

test.each([
  '{"n":{"$type":"os.system","value":"x"}}',
  '{"n":{"$type":"builtins.set","value":[1]}}',
  '{"n":3,"more":[{"$type":"langchain_core.messages.ai.AIMessage","content":"x"}]}',
  '{"n":{"$type":"bytes","size":1,"base64":"aw=="}}',
])('an edit adds no type that the row does not have: %s (S27)', async (text) => {
  store = await openRows([row(1)]);
  await expect(store.source.plan({ kind: 'edit', ref: ref(1), text })).rejects.toMatchObject({ code: 'unsupported' });
});

test('what is pickled or encrypted says so beside the checkpoint, and the row is listed (S26)', async () => {
  const pickle = Buffer.from(`cos\nsystem\n(S'${command}'\ntR.`);
  const write = langgraphWrite({ thread: 't', id: idAt(1), taskId: 'a', idx: 0, channel: 'log', value: 0 });
  store = await openRows(
    [row(1), row(2, { type: 'pickle', checkpoint: pickle }), row(3, { type: 'msgpack+aes', checkpoint: pickle })],
    [{ ...write, type: 'pickle', value: pickle }],
  );
  const { items } = await store.source.checkpoints('t');
  expect(items.map(({ problem }) => problem?.message ?? '').toSorted()).toEqual([
    '',
    expect.stringMatching(/^msgpack\+aes payload/),
    expect.stringMatching(/^pickle payload/),
  ]);
  expect((await store.source.beside?.(ref(1)))?.writes).toMatchObject([{ problem: expect.stringContaining('pickle') }]);
  expect(existsSync(MARKER)).toBe(false);
});

const PATTERNS = ['*', '?*', 'p%', '%', '_', '[a-z]*', "' OR '1'='1", '"; DROP TABLE writes; --', '\u0000', '$.step'];

test('patterns and pieces of SQL are ids and texts like any other (S28, S30)', async () => {
  store = await openPython();
  const { source, database } = store;
  const before = store.dump();
  for (const id of PATTERNS) {
    expect(await source.find(id)).toEqual([]);
    expect((await source.checkpoints(id)).items).toEqual([]);
    const found = (await source.tasks({ text: id })).items;
    expect(found.every((task) => task.id.includes(id))).toBe(true);
    for (const named of [
      { task: id, id },
      { task: 'long-run', id },
    ]) {
      await expect(source.plan({ kind: 'delete', refs: [named] })).rejects.toMatchObject({ code: 'not_found' });
      await expect(source.plan({ kind: 'restore', ref: named })).rejects.toMatchObject({ code: 'not_found' });
    }
  }
  expect(store.dump()).toBe(before);
  expect(database.pragma('integrity_check')).toBe('ok');
});

test('a cursor that is made up is refused, and a limit of a billion gives a page (S29)', async () => {
  store = await openPython();
  await expect(store.source.tasks({ cursor: "' OR 1=1" })).rejects.toMatchObject({ code: 'invalid_input' });
  const { items } = await store.source.checkpoints('long-run', { limit: 1000 });
  expect(items.length).toBeLessThanOrEqual(1000);
});

/** In the place of the values, and nothing after it. */
function cutOpen(...bytes: number[]): Uint8Array {
  return cutBefore(Buffer.from(bytes));
}

function cutBefore(bytes: Uint8Array): Uint8Array {
  const whole = Buffer.from(checkpointOf(2, {}));
  const at = whole.indexOf(Buffer.from('channel_values')) + 'channel_values'.length;
  return Buffer.concat([whole.subarray(0, at), bytes]);
}

const whole = checkpointOf(2, { a: 'x' });

const DAMAGED: readonly (readonly [string, SqlRow, string])[] = [
  ['200,000 levels of lists', { checkpoint: cutBefore(Buffer.alloc(200_000, 0x91)) }, 'too_large'],
  ['200,000 levels of maps', { checkpoint: cutBefore(Buffer.alloc(400_000, Buffer.from([0x81, 0xa0]))) }, 'too_large'],
  ['a list of 4 billion', { checkpoint: cutOpen(0xdd, 0xff, 0xff, 0xff, 0xff) }, 'unreadable'],
  ['a map of 4 billion', { checkpoint: cutOpen(0xdf, 0xff, 0xff, 0xff, 0xff) }, 'unreadable'],
  ['a text of 4 GB', { checkpoint: cutOpen(0xdb, 0xff, 0xff, 0xff, 0xff, 0x61) }, 'unreadable'],
  ['bytes of 4 GB', { checkpoint: cutOpen(0xc6, 0xff, 0xff, 0xff, 0xff, 0x61) }, 'unreadable'],
  ['an extension of 4 GB', { checkpoint: cutOpen(0xc9, 0xff, 0xff, 0xff, 0xff, 0x00) }, 'unreadable'],
  ['cut off', { checkpoint: whole.subarray(0, -20) }, 'unreadable'],
  ['more bytes after it', { checkpoint: Buffer.concat([whole, Buffer.from([0xc0])]) }, 'unreadable'],
  ['a text that is not UTF-8', { checkpoint: cutOpen(0x81, 0xa1, 0xff, 0xc0) }, 'unreadable'],
  ['a code that does not exist', { checkpoint: cutOpen(0xc1) }, 'unreadable'],
  ['NULL', { checkpoint: null }, 'unreadable'],
  ['empty', { checkpoint: new Uint8Array() }, 'unreadable'],
  ['text in the place of a blob', { checkpoint: '{"channel_values":{}}' }, 'unreadable'],
  ['no checkpoint', { checkpoint: encode([1, 2]) }, 'unreadable'],
  ['metadata in msgpack', { metadata: encode({ source: 'loop' }) }, 'unreadable'],
];

describe.each(DAMAGED)('a row with %s (S31)', (_, columns, code) => {
  test.each([2, 3])(
    'is listed with its reason, the others are read, and nothing is written: as row %i of 3',
    async (n) => {
      store = await openRows([1, 2, 3].map((id) => row(id, id === n ? columns : {})));
      const before = store.bytes();
      const { items } = await store.source.checkpoints('t');
      expect(items).toHaveLength(3);
      await expect(store.source.state(ref(n))).rejects.toMatchObject({ code });
      await expect(store.source.plan({ kind: 'restore', ref: ref(n) })).rejects.toMatchObject({ code });
      await expect(store.source.plan({ kind: 'edit', ref: ref(n), text: '{}' })).rejects.toMatchObject({ code });
      expect((await store.source.state(ref(1)))?.text).toBe('{"n":1}');
      expect(await store.source.raw?.(ref(n))).toBeInstanceOf(Uint8Array);
      expect(await store.source.beside?.(ref(n))).toMatchObject({ requests: [] });
      expect(await collect(store.source.lineage('t'))).toHaveLength(3);
      expect(items.find(({ id }) => id === idAt(n))?.problem?.code).toBe(code);
      expect(store.bytes()).toEqual(before);
    },
  );
});

test('a parent that is its own child ends, also where deltas are gathered along it (S31)', async () => {
  const metadata = Buffer.from(
    '{"source":"loop","step":1,"parents":{},"counters_since_delta_snapshot":{"messages":[1,1]}}',
  );
  store = await openRows([
    row(1, { parent_checkpoint_id: idAt(2), metadata }),
    row(2, { parent_checkpoint_id: idAt(1), metadata }),
    row(3, { parent_checkpoint_id: idAt(3) }),
  ]);
  expect((await store.source.state(ref(2)))?.text).toBe('{"n":2}');
  expect(await collect(store.source.lineage('t'))).toHaveLength(3);
  const plan = await store.source.plan({ kind: 'restore', ref: ref(3) });
  expect(plan.view.writes.count).toBe(1);
});

test('NaN and infinities are what Python writes, and the row is restored as any (S31)', async () => {
  store = await openRows([row(1, { checkpoint: checkpointOf(1, { a: Number.NaN, b: [Infinity, -Infinity] }) })]);
  expect((await store.source.state(ref(1)))?.text).toBe('{"a":NaN,"b":[Infinity,-Infinity]}');
  const plan = await store.source.plan({ kind: 'restore', ref: ref(1) });
  await store.apply(plan);
  const made = plan.view.latestAfter ?? expect.fail('no latest');
  expect((await store.source.state(made))?.text).toBe('{"a":NaN,"b":[Infinity,-Infinity]}');
});
