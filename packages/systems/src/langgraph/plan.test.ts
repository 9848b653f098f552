import type { SystemRequest, Plan } from '@checkpoint-inspector/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { facts } from './fixtures/facts.ts';
import { langgraphRow, langgraphWrite } from './index.ts';
import { idAt, insert, openFixture, openRows, type TestStore } from './test-store.ts';
import { timeOf } from '@checkpoint-inspector/core';

let store: TestStore;
beforeEach(async () => {
  store = await openFixture();
});
afterEach(() => store.close());

const headOf = (thread: string): string => facts.threads[thread]?.head.id ?? '';
const parentOf = (thread: string): string => facts.threads[thread]?.head.parent ?? '';

async function refuse(request: SystemRequest): Promise<{ code: string; message: string }> {
  return store.source.plan(request).then(
    () => ({ code: 'planned', message: '' }),
    (error: { code: string; message: string }) => error,
  );
}

const REQUESTS: readonly (readonly [string, () => SystemRequest])[] = [
  ['restore', () => ({ kind: 'restore', ref: { task: 'long-run', id: parentOf('long-run') } })],
  ['restore of a delta thread', () => ({ kind: 'restore', ref: { task: 'delta-chat', id: parentOf('delta-chat') } })],
  ['fork of a head', () => ({ kind: 'fork', ref: { task: 'subgraph-waiting', id: headOf('subgraph-waiting') } })],
  ['fork of an older one', () => ({ kind: 'fork', ref: { task: 'fork-demo', id: parentOf('fork-demo') } })],
  ['delete of a middle one', () => ({ kind: 'delete', refs: [{ task: 'fork-demo', id: parentOf('fork-demo') }] })],
];

test.each(REQUESTS)('%s: undo puts every row back, rowids too', async (_, request) => {
  const before = store.dump();
  const plan = await store.source.plan(request());
  expect(store.dump()).toBe(before);
  const undo = await store.apply(plan);
  expect(store.dump()).not.toBe(before);
  await undo();
  expect(store.dump()).toBe(before);
});

test('a whole thread is deleted with its writes and subgraphs, and comes back', async () => {
  const before = store.dump();
  const { items } = await store.source.checkpoints('subgraph-done');
  const refs = items.map((item) => ({
    task: item.taskId,
    id: item.id,
    ...(item.namespace === undefined ? {} : { namespace: item.namespace }),
  }));
  const plan = await store.source.plan({ kind: 'delete', refs });
  const { sizeBytes } = (await store.source.tasks({ text: 'subgraph-done' })).items[0] ?? {};
  expect([plan.view.bytesFreed, plan.view.latestAfter]).toEqual([sizeBytes, undefined]);
  const undo = await store.apply(plan);
  expect(await store.source.latest('subgraph-done')).toEqual({ basis: 'none' });
  expect(store.database.prepare("SELECT 1 FROM writes WHERE thread_id = 'subgraph-done'").all()).toEqual([]);
  await undo();
  expect(store.dump()).toBe(before);
});

test('a restored id is newer than all, also when the newest lies in the future', async () => {
  await store.close();
  const future = '2f1e5add-ffff-6fff-8001-000000000000';
  const base = { thread: 't', ts: '2026-01-01T00:00:00Z', source: 'loop', values: {} } as const;
  store = await openRows([
    langgraphRow({ ...base, id: idAt(1), step: 4 }),
    langgraphRow({ ...base, id: future, step: 5 }),
  ]);
  const plan = await store.source.plan({ kind: 'restore', ref: { task: 't', id: idAt(1) } });
  expect(plan.view.latestAfter?.id).toMatch(/^2f1e5ade-0000-6000-8005-[0-9a-f]{12}$/);
  expect((plan.view.latestAfter?.id ?? '') > future).toBe(true);
  const now = await store.source.plan({ kind: 'restore', ref: { task: 't', id: future } });
  expect(now.view.warnings.map((warning) => warning.code)).toContain('already_latest');
  expect(timeOf('1f1e5add-7601-6fe1-ffff-eb5c8d3739dd')).toBe('2026-11-21T13:17:03.070Z');
});

test('a save after the preview stops the change, and nothing is written', async () => {
  const plan = await store.source.plan({ kind: 'restore', ref: { task: 'fork-demo', id: parentOf('fork-demo') } });
  const fork = await store.source.plan({ kind: 'fork', ref: { task: 'fork-demo', id: headOf('fork-demo') } });
  const row = langgraphRow({
    thread: 'fork-demo',
    id: 'ffffffff-0000-6000-8000-000000000000',
    ts: '2026-01-01T00:00:00Z',
    source: 'loop',
    step: 1,
    values: {},
  });
  insert(store.database, 'checkpoints', row);
  const refused = async (stale: Plan, code: string): Promise<void> => {
    const before = store.dump();
    await expect(store.apply(stale)).rejects.toMatchObject({ code });
    expect(store.dump()).toBe(before);
  };
  await refused(plan, 'head_moved');
  await refused(fork, 'head_moved');
  store.database
    .prepare("UPDATE checkpoints SET metadata = x'7b7d' WHERE checkpoint_id = ?")
    .run(parentOf('fork-demo'));
  await refused(plan, 'changed');
  store.database.prepare('DELETE FROM checkpoints WHERE checkpoint_id = ?').run(parentOf('fork-demo'));
  await refused(plan, 'changed');
});

test('what is refused, and why', async () => {
  const [sub] = (await store.source.checkpoints('subgraph-waiting')).items.filter(
    (item) => item.namespace !== undefined,
  );
  const waiting = { task: 'subgraph-waiting', namespace: sub?.namespace ?? '', id: sub?.id ?? '' };
  const ref = { task: 'fork-demo', id: parentOf('fork-demo') };
  expect(await refuse({ kind: 'restore', ref: waiting })).toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('subgraph'),
  });
  expect(await refuse({ kind: 'delete', refs: [waiting] })).toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('runs next'),
  });
  expect(await refuse({ kind: 'delete', refs: [] })).toMatchObject({ code: 'invalid_input' });
  expect(await refuse({ kind: 'delete', refs: [ref, waiting] })).toMatchObject({ code: 'invalid_input' });
  expect(await refuse({ kind: 'fork', ref, targetTask: 'long-run' })).toMatchObject({ code: 'invalid_input' });
  expect(await refuse({ kind: 'fork', ref, targetTask: '' })).toMatchObject({ code: 'invalid_input' });
  expect(await refuse({ kind: 'fork', ref, id: 'mine' })).toMatchObject({ code: 'invalid_input' });
  expect(await refuse({ kind: 'restore', ref: { ...ref, id: 'none' } })).toMatchObject({ code: 'not_found' });
});

test('pending sends of an old format keep their checkpoint', async () => {
  await store.close();
  const base = { thread: 't', ts: '2026-01-01T00:00:00Z', source: 'loop', values: {} } as const;
  const old = Buffer.from(
    '{"v":3,"id":"x","ts":"2026-01-01T00:00:00Z","channel_values":{},"channel_versions":{},"versions_seen":{}}',
  );
  store = await openRows(
    [
      langgraphRow({ ...base, id: idAt(1), step: 0 }),
      { ...langgraphRow({ ...base, id: idAt(2), step: 1, parent: idAt(1) }), checkpoint: old },
    ],
    [
      langgraphWrite({
        thread: 't',
        id: idAt(1),
        taskId: 'a',
        idx: 0,
        channel: '__pregel_tasks',
        value: { node: 'n', args: 1 },
      }),
    ],
  );
  expect(await refuse({ kind: 'delete', refs: [{ task: 't', id: idAt(1) }] })).toMatchObject({
    message: expect.stringContaining('pending sends'),
  });
});

test('a chain in the middle is deleted: its child hangs under what is left', async () => {
  const { items } = await store.source.checkpoints('long-run');
  const [, , child, a, b, parent] = items;
  const refs = [a, b].map((item) => ({ task: 'long-run', id: item?.id ?? '' }));
  await store.apply(await store.source.plan({ kind: 'delete', refs }));
  const after = (await store.source.checkpoints('long-run')).items;
  expect(after.find((item) => item.id === child?.id)?.parentId).toBe(parent?.id);
  expect(after[0]?.id).toBe(headOf('long-run'));
});

test('a thread that saved a moment ago is warned of', async () => {
  const quiet = await store.source.plan({ kind: 'restore', ref: { task: 'long-run', id: parentOf('long-run') } });
  expect(quiet.view.warnings.map((warning) => warning.code)).toEqual([]);
  const ts = new Date().toISOString();
  insert(
    store.database,
    'checkpoints',
    langgraphRow({
      thread: 'long-run',
      id: 'ffffffff-0000-6000-8000-000000000000',
      ts,
      source: 'loop',
      step: 1,
      values: {},
    }),
  );
  const busy = await store.source.plan({ kind: 'restore', ref: { task: 'long-run', id: parentOf('long-run') } });
  expect(busy.view.warnings.map((warning) => warning.code)).toEqual(['agent_active']);
});
