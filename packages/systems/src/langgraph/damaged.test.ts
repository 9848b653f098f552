import type { SqlRow } from '@checkpoint-inspector/io';
import { existsSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckpointMeta } from '@checkpoint-inspector/core';
import { collect, describeSource } from '@checkpoint-inspector/core/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { langgraphRow, langgraphSystem, langgraphWrite } from './index.ts';
import { idAt, openRows, type TestStore } from './test-store.ts';

const MARKER = join(tmpdir(), `langgraph-marker-${process.pid}`);
let store: TestStore | undefined;
afterEach(async () => {
  await store?.close();
  store = undefined;
});

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function row(n: number, more: Partial<Parameters<typeof langgraphRow>[0]> = {}): SqlRow {
  const ts = new Date(Date.UTC(2026, 0, 1) + n).toISOString();
  return langgraphRow({ thread: 't', id: idAt(n), ts, source: 'loop', step: n, values: { n }, ...more });
}

/** A sound row with these columns put in. */
const bad = (n: number, columns: SqlRow): SqlRow => ({ ...row(n), ...columns });
const checkpointText = (values: string): Uint8Array =>
  bytes(
    `{"v":4,"id":"x","ts":"2026-01-01T00:00:00Z","channel_values":${values},"channel_versions":{},"versions_seen":{}}`,
  );

const DAMAGED: readonly (readonly [string, SqlRow, string, RegExp])[] = [
  ['cut off', { checkpoint: bytes('{"v":4,"channel_values":{"a":"é') }, 'unreadable', /Not JSON at offset 31/],
  ['trailing bytes', { checkpoint: bytes('{"channel_values":{}} x') }, 'unreadable', /Not JSON/],
  ['empty', { checkpoint: new Uint8Array() }, 'unreadable', /Not JSON/],
  ['bad UTF-8', { checkpoint: new Uint8Array([0x7b, 0xff, 0x7d]) }, 'unreadable', /isn't valid UTF-8/],
  ['NULL', { checkpoint: null }, 'unreadable', /NULL/],
  ['a number', { checkpoint: 5 }, 'unreadable', /stored as real/],
  ['no checkpoint', { checkpoint: bytes('[1]') }, 'unreadable', /isn't a checkpoint.*channel_values/],
  ['values that are no object', { checkpoint: checkpointText('7') }, 'unreadable', /channel_values/],
  ['metadata NULL', { metadata: null }, 'unreadable', /metadata isn't a JSON object/],
  ['metadata no JSON', { metadata: bytes('{') }, 'unreadable', /metadata isn't a JSON object/],
  [
    'msgpack',
    { type: 'msgpack', checkpoint: new Uint8Array([0xdd, 0xff, 0xff, 0xff, 0xff]) },
    'unreadable',
    /msgpack ends too early at byte 5/,
  ],
  ['pickle', { type: 'pickle', checkpoint: bytes('cos\nsystem\n') }, 'unsupported_version', /pickle payload/],
];

describe.each(DAMAGED)('a row that is damaged: %s', (_, columns, code, message) => {
  test('is in the list with its problem, and the others are read', async () => {
    store = await openRows([row(1), bad(2, columns), row(3)]);
    const before = store.bytes();
    const { items } = await store.source.checkpoints('t');
    expect(items.map((item) => item.problem?.code)).toEqual([undefined, code, undefined]);
    expect(items[1]?.problem?.message).toMatch(message);
    expect((await store.source.tasks()).items[0]).toMatchObject({
      checkpointCount: 3,
      unreadable: 1,
      latestId: idAt(3),
    });
    const ref = { task: 't', id: idAt(2) };
    await expect(store.source.state(ref)).rejects.toMatchObject({ code });
    expect((await store.source.state({ task: 't', id: idAt(3) }))?.text).toBe('{"n":3}');
    const stored = columns['checkpoint'];
    const raw = await store.source.raw?.(ref);
    if (stored instanceof Uint8Array) expect(Buffer.from(raw ?? []).equals(Buffer.from(stored))).toBe(true);
    else expect(raw).toBeInstanceOf(Uint8Array);
    expect(await collect(store.source.lineage('t'))).toHaveLength(3);
    await expect(store.source.plan({ kind: 'restore', ref })).rejects.toMatchObject({ code });
    expect(store.bytes()).toEqual(before);
  });
});

test('the offset of a damage is given in bytes', async () => {
  store = await openRows([bad(1, { checkpoint: bytes('{"channel_values":{"é":') })]);
  const problem = (await store.source.checkpoints('t')).items[0]?.problem;
  expect(problem?.offset).toBe(Buffer.byteLength('{"channel_values":{"é":'));
});

test('a damaged head is passed over, and said; it can be deleted', async () => {
  store = await openRows([row(1), row(2), bad(3, { checkpoint: bytes('{') })]);
  const latest = await store.source.latest('t');
  expect(latest.ref?.id).toBe(idAt(2));
  expect(latest.note).toContain(idAt(3));
  const [first] = (await store.source.checkpoints('t')).items;
  expect(first).toMatchObject({ id: idAt(2), isLatest: true });
  await store.apply(await store.source.plan({ kind: 'delete', refs: [{ task: 't', id: idAt(3) }] }));
  expect(await store.source.latest('t')).toEqual({ ref: { task: 't', id: idAt(2) }, basis: 'rule' });
});

test('a large row is looked into where it is the newest, and when it is opened', async () => {
  const large = (end: string): SqlRow => ({
    checkpoint: bytes(`{"channel_values":{"a":"${'x'.repeat(300_000)}${end}`),
  });
  store = await openRows([row(1), bad(2, large('')), bad(3, large('"}}')), bad(4, large(''))]);
  const { items } = await store.source.checkpoints('t');
  expect(items.map((item) => [item.id, item.problem?.code])).toEqual([
    [idAt(3), undefined],
    [idAt(4), 'unreadable'],
    [idAt(2), undefined],
    [idAt(1), undefined],
  ]);
  expect((await store.source.tasks()).items[0]).toMatchObject({ unreadable: 1, latestId: idAt(3) });
  await expect(store.source.state({ task: 't', id: idAt(2) })).rejects.toMatchObject({ code: 'unreadable' });
});

test('a thread without one readable checkpoint has no latest, and is listed', async () => {
  store = await openRows([bad(1, { checkpoint: null })]);
  expect(await store.source.latest('t')).toMatchObject({ basis: 'none', note: expect.stringContaining('can be read') });
  expect((await store.source.tasks()).items[0]).toMatchObject({ id: 't', status: 'unknown', unreadable: 1 });
});

test('threads of a type that is not read keep order, metadata and copies', async () => {
  const pickle = { type: 'pickle', checkpoint: new Uint8Array([0x80, 0x04, 0x4e, 0x2e]) };
  store = await openRows([bad(1, pickle), bad(2, { ...pickle, parent_checkpoint_id: idAt(1) })]);
  const [head] = (await store.source.checkpoints('t')).items;
  expect(head).toMatchObject({
    id: idAt(2),
    isLatest: true,
    stepIndex: 2,
    parentId: idAt(1),
    timeBasis: 'utc',
    status: 'unknown',
  });
  const plan = await store.source.plan({ kind: 'fork', ref: { task: 't', id: idAt(2) } });
  expect(plan.view.warnings.map((warning) => warning.code)).toEqual(['not_proven']);
  await store.apply(plan);
  const raw = await store.source.raw?.({ task: 't-fork', id: idAt(2) });
  expect(Buffer.from(raw ?? []).equals(Buffer.from(pickle.checkpoint))).toBe(true);
});

describe('exactness', () => {
  const VALUES: readonly string[] = [
    '{"a":18446744073709551615,"b":-0,"c":1e400,"d":1.0,"e":0.12345678901234567890123}',
    '{"nan":NaN,"inf":-Infinity}',
    '{"a":1,"a":2,"":0,"__proto__":{"x":1},"constructor":null}',
    '{ "lone":"\\ud83d", "nul":"\\u0000", "u":"\u2028" }',
    '{"channel_values":{"inner":1},"versions_seen":{"x":{}}}',
    `{"deep":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
  ];
  test.each(VALUES)('the state is the exact slice: %.40s', async (values) => {
    store = await openRows([bad(1, { checkpoint: checkpointText(values) }), row(0)]);
    const ref = { task: 't', id: idAt(1) };
    expect((await store.source.checkpoints('t')).items[0]?.problem).toBeUndefined();
    expect((await store.source.state(ref))?.text).toBe(values);
    await store.apply(await store.source.plan({ kind: 'restore', ref }));
    const { ref: copy } = await store.source.latest('t');
    expect(copy?.id).not.toBe(ref.id);
    expect(copy && (await store.source.state(copy))?.text).toBe(values);
  });

  test('a restored row differs only in id, time, source, step and one key', async () => {
    const metadata = '{"source": "loop", "step": 7, "parents": {}, "user": "é \\ud83d"}';
    store = await openRows([bad(1, { checkpoint: checkpointText('{"a": 1.0}'), metadata: bytes(metadata) })]);
    await store.apply(await store.source.plan({ kind: 'restore', ref: { task: 't', id: idAt(1) } }));
    const { ref } = await store.source.latest('t');
    const rows = store.database
      .prepare<{ c: string; m: string }>(
        'SELECT CAST(checkpoint AS TEXT) AS c, CAST(metadata AS TEXT) AS m FROM checkpoints ORDER BY checkpoint_id',
      )
      .all();
    const [old, copy] = rows;
    expect(copy?.c.replace(`"${ref?.id}"`, '"x"').replace(/"ts":"[^"]*"/, '"ts":"2026-01-01T00:00:00Z"')).toBe(old?.c);
    expect(copy?.m).toBe(
      `{"source": "fork", "step": 8, "parents": {}, "user": "é \\ud83d", "restored_from": "${idAt(1)}"}`,
    );
  });
});

describe('hostile payloads stay text', () => {
  const command = `touch ${MARKER}`;
  const GADGETS = [
    { lc: 2, type: 'constructor', id: ['os', 'system'], method: null, args: [command], kwargs: {} },
    {
      lc: 2,
      type: 'constructor',
      id: ['Map'],
      method: 'groupBy',
      args: [[command], { lc: 2, type: 'constructor', id: ['Function'], args: [command] }],
    },
    {
      lc: 2,
      type: 'constructor',
      id: ['Uint8Array'],
      method: 'constructor',
      args: [`require('child_process').execSync('${command}')`],
    },
    { lc: 1, type: 'secret', id: ['OPENAI_API_KEY'] },
    JSON.parse('{"toJSON":"x","then":"y","__proto__":{"polluted":true}}') as object,
  ];
  test.each(GADGETS)('%j', async (gadget) => {
    const values = { gadget, messages: [gadget] };
    store = await openRows(
      [row(1, { values }), row(2)],
      [langgraphWrite({ thread: 't', id: idAt(2), taskId: 'a', idx: -1, channel: '__error__', value: gadget })],
    );
    const ref = { task: 't', id: idAt(1) };
    const state = await store.source.state(ref);
    expect(state?.text).toBe(JSON.stringify(values));
    expect((await store.source.tasks()).items[0]?.lastError).toBe(JSON.stringify(gadget));
    await store.apply(await store.source.plan({ kind: 'restore', ref }));
    await store.apply(await store.source.plan({ kind: 'fork', ref, targetTask: 'copy' }));
    const stored = store.database.prepare<{ c: string }>('SELECT CAST(checkpoint AS TEXT) AS c FROM checkpoints').all();
    const envelopes = (text: string): number => text.split('"lc":').length;
    expect(Math.max(...stored.map(({ c }) => envelopes(c)))).toBe(envelopes(JSON.stringify(values)));
    expect(existsSync(MARKER)).toBe(false);
  });
});

describe('strange ids', () => {
  const IDS = [
    '*',
    '?*',
    'p%',
    'p_01',
    '[a-z]*',
    "x'; DROP TABLE checkpoints; --",
    '"',
    '../x',
    '__proto__',
    'a\u0000b',
    'é',
    '\r\nevent: x',
  ];
  test.each(IDS)('%j names itself only', async (id) => {
    const threads = [id, 'p1', 'pX01', 'other'];
    store = await openRows(threads.map((thread) => row(1, { thread })));
    expect((await store.source.checkpoints(id)).items.map((item: CheckpointMeta) => item.taskId)).toEqual([id]);
    expect(await store.source.find(id)).toEqual([]);
    expect(await store.source.state({ task: 'other', id })).toBeUndefined();
    await expect(store.source.plan({ kind: 'delete', refs: [{ task: 'other', id }] })).rejects.toMatchObject({
      code: 'not_found',
    });
    const undo = await store.apply(await store.source.plan({ kind: 'delete', refs: [{ task: id, id: idAt(1) }] }));
    expect((await store.source.tasks()).items.map((task) => task.id).sort()).toEqual(['other', 'p1', 'pX01']);
    await undo();
    expect((await store.source.tasks({ text: id })).items.map((task) => task.id)).toEqual([id]);
  });

  test('checkpoint ids that are not UUIDs are listed; a newer one is made only where it can be', async () => {
    store = await openRows([row(1, { id: '0001', ts: '2026-01-01T00:00:00.000Z' }), row(2, { id: 'zzz' })]);
    const { items } = await store.source.checkpoints('t');
    expect(items.map((item) => item.id)).toEqual(['zzz', '0001']);
    expect(items[1]?.createdAt).toBe('2026-01-01T00:00:00.000Z');
    const plan = store.source.plan({ kind: 'restore', ref: { task: 't', id: '0001' } });
    await expect(plan).rejects.toMatchObject({ code: 'unsupported', message: expect.stringContaining('zzz') });
  });
});

test('a source whose file is gone says so, and still says what it was', async () => {
  store = await openRows([row(1)]);
  renameSync(store.path, `${store.path}.moved`);
  await expect(store.source.tasks()).rejects.toMatchObject({ code: 'no_store' });
  expect(store.source.info).toMatchObject({
    system: 'langgraph',
    capabilities: { restore: expect.stringContaining('permission to write') },
  });
  renameSync(`${store.path}.moved`, store.path);
  expect((await store.source.tasks()).items).toHaveLength(1);
});

test(`other databases with a table "checkpoints" are not taken for LangGraph's`, async () => {
  store = await openRows([]);
  const target = { kind: 'path', path: store.path, is: 'file' } as const;
  expect((await langgraphSystem.detect(target))?.because).toBe('0 threads in the tables checkpoints and writes');
  store.database.exec(
    'DROP TABLE checkpoints; CREATE TABLE checkpoints(id TEXT PRIMARY KEY, created_at TEXT, parent_id TEXT, branch TEXT, data JSONB)',
  );
  expect(await langgraphSystem.detect(target)).toBeUndefined();
  const options = {
    label: 'x',
    location: 'x',
    nameStore: () => {
      throw new Error('not asked');
    },
  };
  await expect(langgraphSystem.open(target, options)).rejects.toMatchObject({ code: 'no_store' });
  expect(await langgraphSystem.detect({ kind: 'path', path: tmpdir(), is: 'folder' })).toBeUndefined();
});

test('ids that are stored as bytes: a parent is the same, and no list or tree of the thread is held up', async () => {
  const count = 300;
  const opened = await openRows(
    Array.from({ length: count }, (_, n) => row(n, n === 0 ? {} : { parent: idAt(n - 1) })),
  );
  store = opened;
  const { source, database } = opened;
  const rows = () => collect(source.lineage('t'));
  const before = await rows();
  const asBytes = (column: string, n: number) =>
    database.exec(`UPDATE checkpoints SET ${column} = CAST(${column} AS BLOB) WHERE checkpoint_id = '${idAt(n)}'`);
  asBytes('parent_checkpoint_id', 100);
  expect(await rows()).toEqual(before);
  expect((await source.meta({ task: 't', id: idAt(100) }))?.parentId).toBe(idAt(99));
  asBytes('checkpoint_id', 200);
  expect((await source.tasks()).items).toMatchObject([
    { id: 't', checkpointCount: count - 1, unreadable: 0, latestNote: expect.stringContaining('rowid 201') },
    { id: 'unassigned rows', checkpointCount: 1, unreadable: 1, kind: 'unassigned' },
  ]);
  expect((await rows()).length).toBe(count - 1);
});

describeSource('langgraph with damaged rows', {
  open: async () => {
    const opened = await openRows([
      row(50),
      ...DAMAGED.map(([, columns], at) => bad(at + 1, columns)),
      row(60, { thread: 'other' }),
    ]);
    return { source: opened.source, teardown: opened.close };
  },
});
