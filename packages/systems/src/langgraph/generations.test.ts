/**
 * The three generations of Python's rows: JSON and msgpack of format 1 (2024), and format 4. Rows as
 * `langgraph-checkpoint-sqlite` of that time wrote them, with a graph of an agent and its tools.
 */
import { createHash } from 'node:crypto';
import { encode, ExtData } from '@msgpack/msgpack';
import type { SqlRow } from '@checkpoint-inspector/io';
import { afterEach, describe, expect, test } from 'vitest';
import { openRows, type TestStore } from './test-store.ts';

let store: TestStore | undefined;
afterEach(async () => {
  await store?.close();
  store = undefined;
});

const version = (n: number): string => `${String(n).padStart(32, '0')}.0.${n}237865409`;
const ids = [
  '1ef9c3a1-7a10-6f02-bfff-2d3c4b5a6978',
  '1ef9c3a1-7a1b-6c44-8000-2d3c4b5a6978',
  '1ef9c3a1-8e02-6d10-8001-2d3c4b5a6978',
];
const TS = '2024-11-06T10:21:33.123456+00:00';

type Kind = 'json' | 'msgpack';
const human = (kind: Kind) =>
  kind === 'json'
    ? {
        lc: 1,
        type: 'constructor',
        id: ['langchain', 'schema', 'messages', 'HumanMessage'],
        kwargs: { content: 'Wetter in Köln?', type: 'human', id: 'h1' },
      }
    : new ExtData(
        5,
        encode([
          'langchain_core.messages.human',
          'HumanMessage',
          { content: 'Wetter in Köln?', type: 'human', id: 'h1', additional_kwargs: {} },
          'model_validate_json',
        ]),
      );

interface Step {
  readonly values: Record<string, unknown>;
  readonly versions: Record<string, string>;
  readonly seen: Record<string, Record<string, string>>;
}

/** The input, what `__start__` made of it, and the agent's turn: its branch says that the tools run next. */
function steps(kind: Kind, format: number): readonly Step[] {
  const messages = [human(kind)];
  const start = { __start__: version(1) };
  const entry = format === 1 ? 'start:agent' : 'branch:to:agent';
  const branch = format === 1 ? 'branch:agent:should_continue:tools' : 'branch:to:tools';
  const begun = { ...start, messages: version(2), [entry]: version(2) };
  return [
    { values: { __start__: { messages } }, versions: start, seen: { __input__: {} } },
    {
      values: { messages, [entry]: format === 1 ? '__start__' : null },
      versions: begun,
      seen: { __input__: {}, __start__: start },
    },
    {
      values: { messages, ...(format === 1 ? { agent: 'agent' } : {}), [branch]: format === 1 ? 'agent' : null },
      versions: {
        ...begun,
        messages: version(3),
        ...(format === 1 ? { agent: version(3) } : {}),
        [branch]: version(3),
      },
      seen: { __input__: {}, __start__: start, agent: { [entry]: version(2) } },
    },
  ];
}

function rowsOf(kind: Kind, format: number): SqlRow[] {
  return steps(kind, format).map(({ values, versions, seen }, n) => {
    const id = ids[n] ?? '';
    const first = format === 1 ? { v: 1, ts: TS, id } : { v: format, id, ts: TS };
    const body = { ...first, channel_values: values, channel_versions: versions, versions_seen: seen };
    const checkpoint = format === 1 ? { ...body, pending_sends: [] } : { ...body, updated_channels: ['messages'] };
    const metadata = { source: n === 0 ? 'input' : 'loop', writes: null, step: n - 1, parents: {}, thread_id: '7' };
    return {
      thread_id: '7',
      checkpoint_ns: '',
      checkpoint_id: id,
      parent_checkpoint_id: ids[n - 1] ?? null,
      type: kind,
      checkpoint: kind === 'json' ? Buffer.from(JSON.stringify(checkpoint)) : encode(checkpoint),
      metadata: Buffer.from(JSON.stringify(metadata)),
    };
  });
}

/** The id of a task in format 1: SHA-1 over the parts, one after another. */
function taskOf(node: string, step: number, trigger: string, checkpoint: string): string {
  const hex = createHash('sha1')
    .update(Buffer.from(checkpoint.replaceAll('-', ''), 'hex'))
    .update([node, String(step), node, '__pregel_pull', trigger].join(''))
    .digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

const errorBy = (task: string): SqlRow => ({
  thread_id: '7',
  checkpoint_ns: '',
  checkpoint_id: ids[2] ?? '',
  task_id: task,
  idx: -1,
  channel: '__error__',
  type: 'msgpack',
  value: encode("ToolException('no forecast')"),
});

describe.each([
  ['json', 1],
  ['msgpack', 1],
  ['msgpack', 4],
] as const)('%s of format %i', (kind, format) => {
  const ref = (n: number) => ({ task: '7', id: ids[n] ?? '' });

  test('is read: state, time, what ran and what runs next', async () => {
    store = await openRows(rowsOf(kind, format));
    const { items } = await store.source.checkpoints('7');
    expect(
      items.map(({ id, createdAtText, description, problem }) => [id, createdAtText, description, problem]),
    ).toEqual([
      [ids[2], TS, 'agent; next: tools', undefined],
      [ids[1], TS, '__start__', undefined],
      [ids[0], TS, 'input', undefined],
    ]);
    const next = await Promise.all([0, 1, 2].map(async (n) => (await store?.source.beside?.(ref(n)))?.next));
    expect(next).toEqual([['__start__'], ['agent'], ['tools']]);
    const state = (await store.source.state(ref(2)))?.text ?? '';
    expect(state).toContain('"content":"Wetter in Köln?"');
    expect((await store.source.tasks()).items[0]).toMatchObject({ checkpointCount: 3, unreadable: 0 });
  });

  test('is restored: the copy is the newest by the rule of ids, and undo leaves the bytes as they were', async () => {
    store = await openRows(rowsOf(kind, format));
    const before = store.dump();
    const plan = await store.source.plan({ kind: 'restore', ref: ref(1) });
    const made = plan.view.latestAfter;
    const undo = await store.apply(plan);
    const sql =
      'SELECT checkpoint_id AS id, parent_checkpoint_id AS parent, type, checkpoint FROM checkpoints ORDER BY checkpoint_id DESC LIMIT 1';
    const row = store.database.prepare<{ id: string; parent: string; type: string; checkpoint: Buffer }>(sql).get();
    expect([row?.id, row?.parent, row?.type]).toEqual([made?.id, ids[0], kind]);
    expect(made?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-6[0-9a-f]{3}-8001-[0-9a-f]{12}$/);
    const source = Buffer.from((await store.source.raw?.(ref(1))) ?? []).toString('latin1');
    const copy = Buffer.from(row?.checkpoint ?? []).toString('latin1');
    const time = /\d{4}-\d\d-\d\dT[\d:.]{15}\+00:00/.exec(copy)?.[0] ?? '';
    expect(copy).toBe(source.replace(ids[1] ?? '', made?.id ?? '').replace(TS, time));
    expect(time > TS).toBe(true);
    expect((await store.source.beside?.({ task: '7', id: made?.id ?? '' }))?.next).toEqual(['agent']);
    await undo();
    expect(store.dump()).toBe(before);
  });

  test('an edit gives the channel the version after the greatest one', async () => {
    store = await openRows(rowsOf(kind, format));
    const text = (await store.source.state(ref(2)))?.text.replace('Köln', 'Bonn') ?? '';
    const plan = await store.source.plan({ kind: 'edit', ref: ref(2), text });
    await store.apply(plan);
    const made = plan.view.latestAfter;
    expect(made && (await store.source.state(made))?.text).toBe(text);
    const raw = Buffer.from((made && (await store.source.raw?.(made))) ?? []).toString('latin1');
    expect(raw).toMatch(/0{31}4\.0\.\d+/);
  });
});

test('an error of format 1 names its node, among several that could have run', async () => {
  const [, , last] = rowsOf('msgpack', 1);
  const base = steps('msgpack', 1)[2];
  if (!last || !base) throw new Error('The thread has three steps.');
  const branches = ['branch:agent:should_continue:tools', 'branch:agent:should_continue:search'];
  const values = { ...base.values, [branches[1] ?? '']: 'agent' };
  const versions = { ...base.versions, [branches[1] ?? '']: version(3) };
  const body = {
    v: 1,
    ts: TS,
    id: ids[2],
    channel_values: values,
    channel_versions: versions,
    versions_seen: base.seen,
  };
  const task = taskOf('search', 2, branches[1] ?? '', ids[2] ?? '');
  store = await openRows([{ ...last, checkpoint: encode(body) }], [errorBy(task)]);
  expect(await store.source.beside?.({ task: '7', id: ids[2] ?? '' })).toMatchObject({
    errors: [{ node: 'search', text: "ToolException('no forecast')" }],
    next: ['tools', 'search'],
  });
});
