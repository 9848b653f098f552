/** What cannot be read, or is missing, is said: threads without checkpoints, payloads of other types. */
import type { SqlRow } from '@checkpoint-inspector/io';
import { collect, describeSource } from '@checkpoint-inspector/core/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { langgraphRow, langgraphWrite } from './index.ts';
import { idAt, insert, openRows, type TestStore } from './test-store.ts';

let store: TestStore | undefined;
afterEach(async () => {
  await store?.close();
  store = undefined;
});

const row = (n: number, columns: SqlRow = {}): SqlRow => ({
  ...langgraphRow({ thread: 't', id: idAt(n), ts: '2026-01-01T00:00:00Z', source: 'loop', step: n, values: { n } }),
  ...columns,
});
const pickle: SqlRow = { type: 'pickle', checkpoint: new Uint8Array([0x80, 0x04, 0x4e, 0x2e]) };
const orphan = (idx: number): SqlRow =>
  langgraphWrite({ thread: 'orphan', id: idAt(9), taskId: 'a', idx, channel: 'log', value: idx });

describe('a thread that has writes and no checkpoint', () => {
  test('is a task without checkpoints that says so, and has no latest, page or tree', async () => {
    store = await openRows([row(1)], [orphan(0), orphan(1)]);
    const { items } = await store.source.tasks();
    expect(items.map(({ id, checkpointCount, status }) => [id, checkpointCount, status])).toEqual([
      ['orphan', 0, 'unknown'],
      ['t', 1, 'completed'],
    ]);
    const note = 'No checkpoint yet, only 2 writes. LangGraph starts this thread from the beginning.';
    expect(items[0]).toMatchObject({ latestNote: note, unreadable: 0, sizeBytes: 2 });
    expect(await store.source.latest('orphan')).toEqual({ basis: 'none', note });
    expect(await store.source.checkpoints('orphan')).toEqual({ items: [] });
    expect(await collect(store.source.lineage('orphan'))).toEqual([]);
    expect((await store.source.tasks({ text: 'orph' })).items).toHaveLength(1);
  });
});

describe('a store whose states cannot be read', () => {
  test('says that it cannot restore or edit, and why; fork and delete go on', async () => {
    store = await openRows([row(1, pickle), row(2, pickle)]);
    const reason = expect.stringMatching(/pickle.*can't read/);
    await store.source.tasks();
    expect(store.source.info.capabilities).toEqual({ restore: reason, edit: reason, fork: true, delete: true });
    insert(store.database, 'checkpoints', row(3));
    await store.source.tasks();
    expect(store.source.info.capabilities).toMatchObject({ restore: true, edit: true });
  });

  test('an empty store promises nothing less than others', async () => {
    store = await openRows([]);
    expect(store.source.info.capabilities).toMatchObject({ restore: true, edit: true });
  });

  test('in a mixed store each row says what cannot be done with it', async () => {
    store = await openRows([row(1), row(2, pickle), row(3, { checkpoint_ns: 'sub:1' })]);
    const of = (n: number, namespace?: string) =>
      store?.source.capability?.({ task: 't', id: idAt(n), ...(namespace === undefined ? {} : { namespace }) });
    const reason = expect.stringMatching(/pickle/);
    await store.source.tasks();
    expect(store.source.info.capabilities).toMatchObject({ restore: true, edit: true });
    expect(await of(1)).toEqual({});
    expect(await of(2)).toEqual({ restore: reason, edit: reason });
    const subgraph = expect.stringContaining('subgraph');
    expect(await of(3, 'sub:1')).toEqual({ restore: subgraph, fork: subgraph, edit: subgraph });
    expect(await of(4)).toEqual({});
  });

  test('an edit of a thread with delta channels is refused before it begins', async () => {
    const metadata = new TextEncoder().encode(
      '{"source":"loop","step":1,"parents":{},"counters_since_delta_snapshot":{"messages":[1,1]}}',
    );
    store = await openRows([row(1, { metadata })]);
    expect(await store.source.capability?.({ task: 't', id: idAt(1) })).toEqual({
      edit: expect.stringContaining('messages'),
    });
  });

  test('what a row refuses is what its plan refuses', async () => {
    store = await openRows([row(1), row(2, pickle), row(3, { checkpoint_ns: 'sub:1' })]);
    for (const { id, namespace } of (await store.source.checkpoints('t')).items) {
      const ref = { task: 't', id, ...(namespace === undefined ? {} : { namespace }) };
      const refused = (await store.source.capability?.(ref)) ?? {};
      const isRefused = async (plan: Promise<unknown>) =>
        plan.then(
          () => false,
          () => true,
        );
      expect(await isRefused(store.source.plan({ kind: 'restore', ref }))).toBe('restore' in refused);
      expect(await isRefused(store.source.plan({ kind: 'fork', ref }))).toBe('fork' in refused);
      expect(await isRefused(store.source.plan({ kind: 'edit', ref, text: '{"n":9}' }))).toBe('edit' in refused);
    }
  });
});

describeSource('langgraph with a thread that has writes only', {
  open: async () => {
    const opened = await openRows([row(1), row(2), row(1, { thread_id: 'other' })], [orphan(0)]);
    return { source: opened.source, teardown: opened.close };
  },
});
