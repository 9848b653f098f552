import { describe, expect, test } from 'vitest';
import { changedChannels, editedCheckpoint, editedMetadata, refuseEnvelopes } from './edited.ts';
import { langgraphRow, langgraphWrite } from './index.ts';
import { idAt, openRows } from './test-store.ts';

const STAMP = { id: 'new', ts: '2026-01-01T00:00:00.000Z' };
const checkpoint = (versions: string, more = '') =>
  `{"v":4,"id":"old","ts":"then","channel_values":{"a": 1.0,"b":2},"channel_versions":${versions},"versions_seen":{"n":{"a":1}}${more}}`;

describe('the checkpoint of an edit', () => {
  test('changed, added and removed channels get the next version, others keep theirs; the rest stays byte for byte', () => {
    const values = '{ "a": 1.0, "c": [] }';
    const changed = changedChannels('{"a": 1.0,"b":2}', values);
    expect(changed).toEqual(['b', 'c']);
    expect(editedCheckpoint(checkpoint('{"a":3,"b":7}'), values, changed, STAMP)).toBe(
      '{"v":4,"id":"new","ts":"2026-01-01T00:00:00.000Z","channel_values":{ "a": 1.0, "c": [] },' +
        '"channel_versions":{"a":3,"b":8,"c":8},"versions_seen":{"n":{"a":1}}}',
    );
  });

  test("Python's versions are texts that begin with 32 digits, and it keeps the list of what was written", () => {
    const versions = `{"a": "${'3'.padStart(32, '0')}.0.5", "b": "${'12'.padStart(32, '0')}.0.25"}`;
    const text = editedCheckpoint(checkpoint(versions, ',"updated_channels":["b"]'), '{"a":2,"b":2}', ['a'], STAMP);
    const parsed = JSON.parse(text) as { channel_versions: Record<string, string>; updated_channels: string[] };
    expect(parsed.channel_versions['a']).toMatch(/^0{30}13\.0\.\d{16}$/);
    expect(parsed.channel_versions['b']).toContain('12.0.25');
    expect(parsed.updated_channels).toEqual(['b', 'a']);
  });

  test('without versions LangGraph would see nothing, so it is refused', () => {
    expect(() => editedCheckpoint(checkpoint('null'), '{}', ['a'], STAMP)).toThrow(/no channel versions/);
  });

  test('the metadata keeps its other keys, and not the words of an edit before', () => {
    const ref = { task: 't', id: 'from' };
    const first = editedMetadata(
      '{"source":"loop","step":1,"run_id":"r"}',
      { kind: 'edit', ref, text: '', author: 'Ann' },
      2,
    );
    expect(first).toBe('{"source":"update","step":2,"run_id":"r","edited_from":"from","edited_by":"Ann"}');
    const second = editedMetadata(first, { kind: 'edit', ref, text: '', reason: 'why' }, 3);
    expect(JSON.parse(second)).toEqual({
      source: 'update',
      step: 3,
      run_id: 'r',
      edited_from: 'from',
      edited_by: null,
      edit_reason: 'why',
    });
  });
});

describe('envelopes', () => {
  const message = (content: string) =>
    `{"lc":1,"type":"constructor","id":["langchain_core","messages","HumanMessage"],"kwargs":{"content":"${content}"}}`;
  const set = (items: string) => `{"lc":2,"type":"constructor","id":["Set"],"method":null,"args":[${items}]}`;
  const open = (args: string) => `{"lc":2,"type":"constructor","id":["my","Class"],"args":[${args}]}`;

  test('fields of a message and items of a set may change; what Python would call may not', () => {
    const before = `{"m":${message('a')},"s":${set('1')},"o":${open('1')}}`;
    expect(() => refuseEnvelopes(before, `{"m":[${message('b')}],"s":${set('2')},"o":${open('1')}}`)).not.toThrow();
    expect(() => refuseEnvelopes(before, `{"o":${open('2')}}`)).toThrow(
      expect.objectContaining({ data: { path: '$.o' } }),
    );
    expect(() => refuseEnvelopes('{}', `{"x":{"m":${message('a')}}}`)).toThrow(
      expect.objectContaining({ code: 'unsupported', data: { path: '$.x.m' } }),
    );
    expect(() => refuseEnvelopes('{}', '{"lc":"a text"}')).not.toThrow();
  });
});

describe('rows that cannot be edited', () => {
  const base = { thread: 't', ts: '2026-01-01T00:00:00Z', source: 'loop', values: {} } as const;
  const refused = async (store: Awaited<ReturnType<typeof openRows>>, id: string) => {
    const answer = await store.source.plan({ kind: 'edit', ref: { task: 't', id }, text: '{}' }).then(
      () => ({ code: 'planned', message: '' }),
      (error: { code: string; message: string }) => error,
    );
    await store.close();
    return answer;
  };

  test('of a type that is not read, in words', async () => {
    const row = {
      ...langgraphRow({ ...base, id: idAt(1), step: 0 }),
      type: 'pickle',
      checkpoint: Buffer.from([0x80, 0x04, 0x4e, 0x2e]),
    };
    expect(await refused(await openRows([row]), idAt(1))).toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('pickle'),
    });
  });

  test('of format 3 with sends that wait: a child would run others', async () => {
    const old = `{"v":3,"id":"x","ts":"2026-01-01T00:00:00Z","channel_values":{},"channel_versions":{},"versions_seen":{}}`;
    const rows = [
      langgraphRow({ ...base, id: idAt(1), step: 0 }),
      { ...langgraphRow({ ...base, id: idAt(2), step: 1, parent: idAt(1) }), checkpoint: Buffer.from(old) },
    ];
    const send = { thread: 't', taskId: 'a', idx: 0, channel: '__pregel_tasks', value: { node: 'n', args: 1 } };
    expect(await refused(await openRows(rows, [langgraphWrite({ ...send, id: idAt(1) })]), idAt(2))).toMatchObject({
      message: expect.stringContaining('format 3'),
    });
    expect(await refused(await openRows(rows), idAt(2))).toMatchObject({ code: 'planned' });
  });
});
