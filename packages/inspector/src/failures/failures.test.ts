import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryStore, storeId } from '@checkpoint-inspector/core';
import type { CheckpointSource, NewCheckpoint } from '@checkpoint-inspector/core';
import { FileCheckpointStorage, createCheckpoint } from '@checkpoint-inspector/apis/agent-framework';
import { kaizenDocument } from '@checkpoint-inspector/apis/kaizen';
import { LANGGRAPH_DDL, langgraphRow, langgraphWrite, newerId } from '@checkpoint-inspector/systems/langgraph';
import { openSqlite, type SqlRow } from '@checkpoint-inspector/io';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pythonThread } from '../testing/python-thread.ts';
import { createStoreService } from '../stores/service.ts';
import { defaultRegistry } from '../stores/registry.ts';
import { createFailures } from './service.ts';

type Step = Omit<NewCheckpoint, 'task' | 'text' | 'id'> & { readonly at?: string };

/** A line of checkpoints `1`, `2`, …, each the parent of the next. */
async function line(store: MemoryStore, task: string, steps: readonly Step[]): Promise<void> {
  for (const [at, { at: createdAt, ...step }] of steps.entries()) {
    await store.save({
      task,
      id: `${task}-${at + 1}`,
      text: `{"n": ${at}}`,
      ...(at === 0 ? {} : { parent: { task, id: `${task}-${at}` } }),
      ...(createdAt === undefined ? {} : { createdAt }),
      ...step,
    });
  }
}

function opened(...sources: CheckpointSource[]) {
  const stores = createStoreService({ registry: { open: async () => [] } });
  for (const source of sources) stores.add(source);
  return { stores, failures: createFailures(stores, 5_000) };
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'failures-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

const failed = { status: 'failed', trigger: 'error' } as const;

describe('errors', () => {
  it('groups every failed checkpoint, not only the latest, with the nearest on its own branch that did not fail', async () => {
    const runs = new MemoryStore({ id: storeId('runs') });
    await line(runs, 'a', [
      { description: 'start', at: '2026-01-01T00:00:00Z' },
      { ...failed, description: 'timeout after 3 s', at: '2026-01-01T00:00:01Z' },
      { description: 'retry', at: '2026-01-01T00:00:02Z' },
      { ...failed, description: 'ranking inconsistent', at: '2026-01-01T00:00:03Z' },
    ]);
    await line(runs, 'b', [{ ...failed, description: 'timeout after 30 s', at: '2026-01-01T00:00:04Z' }]);
    const { failures } = opened(runs);
    const { items, coverage } = await failures.errors();
    expect(coverage).toEqual({ n: 5, of: 5, unreadable: 0, complete: true });
    expect(items.map(({ pattern, count, current }) => [pattern, count, current])).toEqual([
      ['timeout after <n> s', 2, 1],
      ['ranking inconsistent', 1, 1],
    ]);
    const [b, a] = items[0]?.tasks ?? [];
    expect(b).toMatchObject({ task: 'b', current: true, failed: { id: 'b-1' } });
    expect(b).not.toHaveProperty('lastNotFailed');
    expect(a).toMatchObject({ task: 'a', current: false, failed: { id: 'a-2' }, lastNotFailed: { id: 'a-1' } });
    expect(items[1]?.tasks[0]).toMatchObject({
      failed: { id: 'a-4' },
      lastNotFailed: { store: 'runs', task: 'a', id: 'a-3' },
    });
  });

  it('follows changes, reads only the task that changed, and narrows to a store and a task', async () => {
    const runs = new MemoryStore({ id: storeId('runs') });
    await line(runs, 'a', [{ ...failed, description: 'x' }]);
    await line(runs, 'b', [{ ...failed, description: 'y' }]);
    const looked: string[] = [];
    const { lineage } = MemoryStore.prototype;
    const counting = new Proxy<CheckpointSource>(runs, {
      get: (target, name) => {
        if (name === 'lineage') return (task: string) => (looked.push(task), lineage.call(runs, task));
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const { stores, failures } = opened(counting);
    expect((await failures.errors()).items).toHaveLength(2);
    expect(looked.splice(0).toSorted()).toEqual(['a', 'b']);
    await runs.save({ task: 'b', id: 'b-2', text: '{}', ...failed, description: 'z' });
    stores.touch(storeId('runs'), 'b');
    // A task whose look took long is looked at again a little later.
    const keys = async () => (await failures.errors()).items.map(({ key }) => key).toSorted();
    await expect.poll(keys).toEqual(['x', 'y', 'z']);
    expect(looked).toEqual(['b']);
    expect((await failures.errors({ store: storeId('runs'), task: 'a' })).items).toMatchObject([{ key: 'x' }]);
    await stores.close(storeId('runs'));
    expect(await failures.errors()).toMatchObject({ items: [], coverage: { n: 0, of: 0 } });
    await expect(failures.errors({ store: storeId('runs') })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('has one text for one error: what the state says, and the name of the step only where it says nothing', async () => {
    const runs = new MemoryStore({ id: storeId('runs') });
    const lastError = { message: 'ranking inconsistent with the summary' };
    await runs.save({ task: 'a', id: 'a-1', text: JSON.stringify({ lastError }), ...failed, description: 'compile' });
    await runs.save({ task: 'b', id: 'b-1', text: '{}', ...failed, description: 'out of memory' });
    const { failures } = opened(runs);
    const { items } = await failures.errors();
    expect(items.map(({ pattern }) => pattern).toSorted()).toEqual([lastError.message, 'out of memory'].toSorted());
    const { items: outlines } = await failures.outlines();
    expect(Object.fromEntries(outlines.map(({ task, error }) => [task, error]))).toEqual({
      a: lastError.message,
      b: 'out of memory',
    });
  });

  it('reads the words of a branch that failed from the state, where the system keeps them there', async () => {
    const path = await folder();
    const save = (id: string, step: number, more: Record<string, unknown>) =>
      writeFile(
        join(path, `${id}.jsonl`),
        `${kaizenDocument({
          checkpoint_id: id,
          agent_id: 'prod',
          timestamp: `2026-01-01T00:00:0${step}+00:00`,
          step_number: step,
          status: 'running',
          metadata: {},
          ...more,
        })}\n`,
      );
    await save('ckpt_1', 1, {});
    await save('ckpt_2', 2, {
      parent_checkpoint_id: 'ckpt_1',
      status: 'failed',
      metadata: { error: 'fetch: API timeout' },
    });
    await save('ckpt_3', 3, { parent_checkpoint_id: 'ckpt_1' });
    const stores = createStoreService({ registry: defaultRegistry() });
    await stores.open(path, 'prod');
    onTestFinished(() => stores.closeAll());
    const { items } = await createFailures(stores, 5_000).errors();
    expect(items).toMatchObject([
      {
        pattern: 'fetch: API timeout',
        current: 0,
        tasks: [{ failed: { id: 'ckpt_2' }, lastNotFailed: { id: 'ckpt_1' } }],
      },
    ]);
  });
});

describe('inbox', () => {
  it('has the question of an Agent Framework workflow in its exact words, and not of one that continues', async () => {
    const path = await folder();
    const storage = new FileCheckpointStorage(path);
    const context = (id: string) => ({
      workflowId: id,
      executionId: 'run',
      sharedState: new Map(),
      executorOutputs: new Map(),
    });
    const waiting = [
      {
        requestId: 'approve-1',
        executorId: 'approver',
        data: { total: 18_400.5, ask: 'Approve?' },
        timestamp: new Date(),
      },
    ];
    for (const [id, pendingMessages] of [
      ['invoice', waiting],
      ['done', []],
    ] as const) {
      const states = new Map([['approver', { executorId: 'approver', output: undefined, completed: false }]]);
      const checkpoint = createCheckpoint(id, 'run', 'sig', states, context(id), {
        checkpointId: id,
        pendingMessages: [...pendingMessages],
      });
      await storage.saveCheckpoint(id, checkpoint);
    }
    const stores = createStoreService({ registry: defaultRegistry() });
    await stores.open(path, 'flows');
    onTestFinished(() => stores.closeAll());
    const { items } = await createFailures(stores, 5_000).inbox();
    expect(items).toMatchObject([
      { at: { store: 'flows', task: 'invoice', id: 'invoice' }, requests: [{ id: 'approve-1', from: 'approver' }] },
    ]);
    expect(JSON.parse(items[0]?.requests[0]?.text ?? '')).toEqual({ total: 18_400.5, ask: 'Approve?' });
    expect(items[0]?.since).toMatch(/Z$/);
  });

  it.each([
    ['2026-01-01T00:00:00Z', 'graph.invoke(new Command({ resume: … }), { configurable: { thread_id: "t\\"1" } })'],
    ['2026-01-01T00:00:00.000000+00:00', 'graph.invoke(Command(resume=…), {"configurable": {"thread_id": "t\\"1"}})'],
  ])('has the interrupts of LangGraph, beside the state, and the call that answers them, by %s', async (ts, next) => {
    const path = join(await folder(), 'graph.sqlite');
    const db = openSqlite(path, { readOnly: false, create: true });
    db.exec(LANGGRAPH_DDL);
    const { id } = newerId(undefined, 0, new Date('2026-01-01T00:00:00Z'));
    const insert = (table: string, row: SqlRow) => {
      const columns = Object.keys(row);
      db.prepare(
        `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((name) => `:${name}`).join(', ')})`,
      ).run(row);
    };
    insert(
      'checkpoints',
      langgraphRow({
        thread: 't"1',
        id,
        ts,
        source: 'loop',
        step: 0,
        values: {},
        versions: {},
        seen: {},
      }),
    );
    const taskId = '8f4b2c1e-0000-5000-8000-000000000001';
    const value = [{ id: 'q1', value: 'Approve 120 EUR?' }];
    insert('writes', langgraphWrite({ thread: 't"1', id, taskId, idx: -3, channel: '__interrupt__', value }));
    db.close();
    const stores = createStoreService({ registry: defaultRegistry() });
    await stores.open(path, 'graph');
    onTestFinished(() => stores.closeAll());
    const { items } = await createFailures(stores, 5_000).inbox();
    expect(items).toMatchObject([
      {
        requests: [{ id: 'q1', text: 'Approve 120 EUR?' }],
        next,
        since: '2026-01-01T00:00:00.000Z',
      },
    ]);
  });

  it('lists a task that waits though its state and question cannot be read, with the reason', async () => {
    const path = await pythonThread({
      task: '8f4b2c1e-0000-5000-8000-000000000001',
      channel: '__interrupt__',
      idx: -3,
    });
    const stores = createStoreService({ registry: defaultRegistry() });
    await stores.open(path, 'graph');
    onTestFinished(() => stores.closeAll());
    const { items } = await createFailures(stores, 5_000).inbox();
    expect(items).toMatchObject([
      { at: { task: 't' }, requests: [{ text: expect.stringContaining('stored as pickle'), unread: true }] },
    ]);
    expect(items[0]?.next).toBeUndefined();
  });

  it('has no interrupted Kaizen agent: nobody is asked anything, and its list says who stopped it', async () => {
    const path = await folder();
    const text = kaizenDocument({
      checkpoint_id: 'ckpt_1',
      agent_id: 'prod',
      timestamp: '2026-01-01T00:00:00+00:00',
      step_number: 1,
      status: 'interrupted',
      metadata: { interrupt_reason: { source: 'user', message: 'Ctrl+C' } },
    });
    await writeFile(join(path, 'ckpt_1.jsonl'), `${text}\n`);
    const stores = createStoreService({ registry: defaultRegistry() });
    const [info] = await stores.open(path, 'prod');
    onTestFinished(() => stores.closeAll());
    expect((await createFailures(stores, 5_000).inbox()).items).toEqual([]);
    expect((await stores.source(info?.id ?? storeId('none')).checkpoints('prod')).items).toMatchObject([
      { status: 'interrupted', description: 'Interrupted by the user (Ctrl+C)' },
    ]);
  });
});

describe('usage', () => {
  it('adds exactly, says of how many, and per agent', async () => {
    const runs = new MemoryStore({ id: storeId('runs') });
    await line(runs, 'a', [
      { agentId: 'writer', tokenUsage: 10, costUsd: 0.1, durationMs: 5 },
      { agentId: 'writer', tokenUsage: 5, costUsd: 0.2 },
    ]);
    await line(runs, 'b', [{ agentId: 'reader', costUsd: 0.004 }, {}]);
    const { failures } = opened(runs);
    const answer = await failures.usage();
    expect(answer.total).toEqual({
      checkpoints: 4,
      tokens: { value: '15', said: 2 },
      costUsd: { value: '0.304', said: 3 },
      durationMs: { value: '5', said: 1 },
    });
    expect(answer.agents.map(({ agent, tasks, costUsd }) => [agent, tasks, costUsd?.value])).toEqual([
      ['reader', 1, '0.004'],
      ['writer', 1, '0.3'],
      [undefined, 1, undefined],
    ]);
    const own = await failures.usage({ agent: 'reader' });
    expect(own.items.map(({ task, checkpoints }) => [task, checkpoints])).toEqual([['b', 1]]);
    expect(own.total.costUsd).toEqual({ value: '0.004', said: 1 });
  });

  it('takes what a Kaizen agent has spent as a running total: branches count what they added', async () => {
    const path = await folder();
    const save = (id: string, parent: string | null, step: number, cost: number) =>
      writeFile(
        join(path, `${id}.jsonl`),
        `${kaizenDocument({
          checkpoint_id: id,
          agent_id: 'prod',
          timestamp: `2026-01-01T00:00:0${step}+00:00`,
          step_number: step,
          budget_spent_usd: cost,
          parent_checkpoint_id: parent,
          status: 'running',
          metadata: {},
        })}\n`,
      );
    await save('ckpt_1', null, 1, 0.15);
    await save('ckpt_2', 'ckpt_1', 2, 0.63);
    await save('ckpt_3', 'ckpt_1', 3, 1.9);
    const stores = createStoreService({ registry: defaultRegistry() });
    await stores.open(path, 'prod');
    onTestFinished(() => stores.closeAll());
    const { items } = await createFailures(stores, 5_000).usage();
    expect(items).toMatchObject([{ task: 'prod', running: ['costUsd'], costUsd: { value: '2.38', said: 3 } }]);
  });
});

describe('the outline of a task', () => {
  const plain = (runs: MemoryStore) => opened(runs).failures.outlines();

  it('tells the steps to the latest with their failures, where the task is, and what its last step changed', async () => {
    const runs = new MemoryStore({ id: storeId('runs') });
    await line(runs, 'a', [
      { description: 'start' },
      { ...failed, description: 'timeout' },
      { status: 'running', description: 'read', stepIndex: 3, totalSteps: 8 },
    ]);
    const { items } = await plain(runs);
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      store: 'runs',
      task: 'a',
      steps: 3,
      lanes: 1,
      marks: ['done', 'failed', 'running'],
      step: 3,
      totalSteps: 8,
      name: 'read',
      change: 'n 1 → 2',
    });
  });

  it('puts many steps into thirteen parts, and a failure in any of them shows', async () => {
    const runs = new MemoryStore({ id: storeId('runs') });
    const steps = Array.from({ length: 100 }, (_, at): Step => (at === 50 ? failed : {}));
    await line(runs, 'long', steps);
    const [item] = (await plain(runs)).items;
    expect(item?.steps).toBe(100);
    expect(item?.marks.map((mark) => mark === 'failed')).toEqual(Array.from({ length: 13 }, (_, at) => at === 6));
  });

  it('counts the ends of branches, and leaves what a failed step changed to its error', async () => {
    const runs = new MemoryStore({ id: storeId('runs') });
    await line(runs, 'a', [{}, {}]);
    await runs.save({ task: 'a', id: 'other', text: '{"n":9}', parent: { task: 'a', id: 'a-1' }, ...failed });
    const [item] = (await plain(runs)).items;
    expect(item).toMatchObject({ lanes: 2, steps: 2, marks: ['done', 'failed'] });
    expect(item).not.toHaveProperty('change');
  });

  it('reads two states for each new latest, whatever the length of the task, and no more', async () => {
    const runs = new MemoryStore({ id: storeId('runs') });
    await line(runs, 'a', [{}, {}, {}]);
    let states = 0;
    const state = runs.state.bind(runs);
    runs.state = (ref) => {
      states += 1;
      return state(ref);
    };
    const { failures } = opened(runs);
    const at = { store: storeId('runs'), task: 'a' };
    await failures.outlines(at);
    expect(states).toBe(2);
    await runs.save({ task: 'a', id: 'aside', text: '{}', parent: { task: 'a', id: 'a-1' } });
    await failures.outlines(at);
    const [item] = (await failures.outlines(at)).items;
    expect(states).toBe(4);
    expect(item).toMatchObject({ lanes: 2 });
    expect(item).not.toHaveProperty('save');
  });
});
