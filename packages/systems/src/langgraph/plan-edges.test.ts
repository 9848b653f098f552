import type { Plan } from '@checkpoint-inspector/core';
import type { SqlRow } from '@checkpoint-inspector/io';
import { createHash } from 'node:crypto';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { langgraphRow, langgraphWrite } from './index.ts';
import { openSaver } from './test-graphs.ts';
import { idAt, openFixture, openRows, type TestStore } from './test-store.ts';

let store: TestStore | undefined;
afterEach(async () => {
  await store?.close();
  store = undefined;
});

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The n-th row of a chain; `columns` are put in as they are. */
function row(n: number, columns: SqlRow = {}): SqlRow {
  const ts = '2026-01-01T00:00:00Z';
  const chained = langgraphRow({
    thread: 't',
    id: idAt(n),
    parent: idAt(n - 1),
    ts,
    source: 'loop',
    step: n,
    values: { n },
  });
  return { ...chained, ...columns };
}

const codes = (plan: Plan): string[] => plan.view.warnings.map((warning) => warning.code);

describe('a checkpoint under which a subgraph ran', () => {
  async function outer() {
    const opened = await openFixture('subgraph-done');
    store = opened;
    const { items } = await opened.source.checkpoints('subgraph-done');
    const inner = items.filter((item) => item.namespace !== undefined);
    const id = inner.at(-1)?.parentId ?? expect.fail('no subgraph');
    return { source: opened.source, apply: opened.apply, items, inner, ref: { task: 'subgraph-done', id } };
  }

  test('is forked or restored with a warning, its parent without one', async () => {
    const { source, items, ref } = await outer();
    const before = { ...ref, id: items.find((item) => item.id === ref.id)?.parentId ?? '' };
    expect(codes(await source.plan({ kind: 'fork', ref }))).toEqual(['subgraph_restarts']);
    expect(codes(await source.plan({ kind: 'restore', ref }))).toEqual(['subgraph_restarts']);
    expect(codes(await source.plan({ kind: 'fork', ref: before }))).toEqual([]);
    expect(codes(await source.plan({ kind: 'restore', ref: before }))).toEqual([]);
  });

  test('is deleted with a warning, and the subgraph stays', async () => {
    const { source, apply, inner, ref } = await outer();
    const plan = await source.plan({ kind: 'delete', refs: [ref] });
    expect(codes(plan)).toEqual(['children_moved', 'parent_missing']);
    await apply(plan);
    const after = (await source.checkpoints(ref.task)).items;
    expect(after.filter((item) => item.namespace !== undefined).map((item) => item.id)).toEqual(
      inner.map((item) => item.id),
    );
    expect(after.some((item) => item.id === ref.id)).toBe(false);
  });
});

test('a fork of the head takes a waiting subgraph along as it is, without a warning', async () => {
  store = await openFixture('subgraph-waiting');
  const { ref } = await store.source.latest('subgraph-waiting');
  const plan = await store.source.plan({ kind: 'fork', ref: ref ?? expect.fail('no latest') });
  expect(codes(plan)).toEqual([]);
});

test('restore and fork of the head hold only for the head that was seen, and a restore leaves it', async () => {
  store = await openRows([row(1), row(2)]);
  const head = { task: 't', id: idAt(2) };
  const restore = await store.source.plan({ kind: 'restore', ref: { task: 't', id: idAt(1) } });
  expect(restore.view.preconditions[0]).toEqual({ kind: 'head', task: 't', ref: head });
  expect(restore.view.protected).toMatchObject({ count: 1, items: [{ ref: head }] });
  const fork = await store.source.plan({ kind: 'fork', ref: head, targetTask: 'new' });
  expect(fork.view.preconditions.filter(({ kind }) => kind === 'head')).toEqual([
    { kind: 'head', task: 't', ref: head },
    { kind: 'head', task: 'new' },
  ]);
});

test('a row of NULLs is deleted: nothing is freed, and its hash is that of no bytes', async () => {
  store = await openRows([
    row(1),
    row(2, { checkpoint: null, metadata: null }),
    row(3, { parent_checkpoint_id: null }),
  ]);
  const before = store.dump();
  const ref = { task: 't', id: idAt(2) };
  const plan = await store.source.plan({ kind: 'delete', refs: [ref] });
  const sha256 = createHash('sha256').update('').digest('hex');
  expect(await store.source.raw?.(ref)).toEqual(new Uint8Array());
  expect(plan.view.preconditions).toEqual([{ kind: 'revision', ref, revision: sha256 }]);
  expect([plan.view.bytesFreed, plan.view.removes.items[0]?.sizeBytes]).toEqual([0, 0]);
  const undo = await store.apply(plan);
  expect(await store.source.raw?.(ref)).toBeUndefined();
  await undo();
  expect(store.dump()).toBe(before);
});

test.each([
  ['can be read', {}, 'planned'],
  ['cannot be read', { checkpoint: bytes('{') }, 'unsupported'],
  ['is no checkpoint', { checkpoint: bytes('[]') }, 'unsupported'],
] as const)('pending sends are deleted only where the checkpoint after them %s', async (_, child, expected) => {
  const send = { taskId: 'a', idx: 0, channel: '__pregel_tasks', value: { node: 'n', args: 1 } };
  store = await openRows([row(1), row(2, child), row(3)], [langgraphWrite({ thread: 't', id: idAt(1), ...send })]);
  const outcome = store.source.plan({ kind: 'delete', refs: [{ task: 't', id: idAt(1) }] }).then(
    () => 'planned',
    (error: { code: string }) => error.code,
  );
  expect(await outcome).toBe(expected);
});

test('a fork of a format that keeps pending sends with the parent takes the parent along', async () => {
  const old = bytes(
    '{"v":3,"id":"x","ts":"2026-01-01T00:00:00Z","channel_values":{},"channel_versions":{},"versions_seen":{}}',
  );
  const send = {
    thread: 't',
    id: idAt(2),
    taskId: 'a',
    idx: 0,
    channel: '__pregel_tasks',
    value: { node: 'n', args: 1 },
  };
  store = await openRows([row(1), row(2), row(3, { checkpoint: old }), row(4)], [langgraphWrite(send)]);
  await store.apply(await store.source.plan({ kind: 'fork', ref: { task: 't', id: idAt(3) }, targetTask: 'copy' }));
  const saver = openSaver(store.path);
  onTestFinished(() => void saver.db.close());
  const read = await saver.getTuple({ configurable: { thread_id: 'copy', checkpoint_id: idAt(3) } });
  expect(read?.checkpoint.channel_values['__pregel_tasks']).toEqual([{ node: 'n', args: 1 }]);
  expect((await store.source.checkpoints('copy')).items.map(({ id, parentId }) => [id, parentId])).toEqual([
    [idAt(3), idAt(2)],
    [idAt(2), undefined],
  ]);
});

test('a plan says how long writers wait: of a fork next to nothing, with history by its rows', async () => {
  store = await openRows(Array.from({ length: 1_500 }, (_, n) => row(n + 1)));
  const fork = async (history: boolean) => {
    const ref = { task: 't', id: idAt(1_500) };
    return (await store?.source.plan({ kind: 'fork', ref, history }))?.view.holdsMs ?? Number.NaN;
  };
  expect(await fork(false)).toBeLessThan(5);
  expect(await fork(true)).toBeGreaterThan(15);
});

test('a fork of a row that cannot be read is refused, also as the target of a restore', async () => {
  store = await openRows([row(1, { checkpoint: bytes('{"channel_values":') }), row(2)]);
  const ref = { task: 't', id: idAt(1) };
  const before = store.dump();
  await expect(store.source.plan({ kind: 'fork', ref })).rejects.toMatchObject({ code: 'unreadable' });
  await expect(store.source.plan({ kind: 'restore', ref, targetTask: 'new' })).rejects.toMatchObject({
    code: 'unreadable',
  });
  expect(store.dump()).toBe(before);
});

test('a row without a step is restored as the first step', async () => {
  store = await openRows([row(1, { metadata: bytes('{"source": "loop", "parents": {}}') })]);
  await store.apply(await store.source.plan({ kind: 'restore', ref: { task: 't', id: idAt(1) } }));
  const sql = 'SELECT CAST(metadata AS TEXT) AS m FROM checkpoints ORDER BY checkpoint_id DESC LIMIT 1';
  expect(store.database.prepare<{ m: string }>(sql).get()?.m).toBe(
    `{"source": "fork", "parents": {}, "step": 0, "restored_from": "${idAt(1)}"}`,
  );
});

/** The modules loaded again, over a writer that changes a number of the state. */
async function withDamagingWriter(): Promise<typeof import('./test-store.ts')> {
  vi.resetModules();
  vi.doMock('@checkpoint-inspector/core', async (original) => {
    const real = await original<typeof import('@checkpoint-inspector/core')>();
    const patchJson: typeof real.patchJson = (text, edits) =>
      real.patchJson(real.patchJson(text, edits), [{ path: ['channel_values', 'n'], text: '7.0' }]);
    return { ...real, patchJson };
  });
  onTestFinished(() => {
    vi.doUnmock('@checkpoint-inspector/core');
    vi.resetModules();
  });
  return import('./test-store.ts');
}

test('a restore that would change one byte of the state is refused', async () => {
  const request = { kind: 'restore', ref: { task: 't', id: idAt(1) } } as const;
  store = await openRows([row(1)]);
  expect((await store.source.plan(request)).view.writes.count).toBe(1);
  await store.close();
  store = await (await withDamagingWriter()).openRows([row(1)]);
  await expect(store.source.plan(request)).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('without changing its state'),
  });
});
