import { describe, expect, expectTypeOf, it } from 'vitest';
import { InspectorError, MemoryStore, storeId } from '@checkpoint-inspector/core';
import type { z } from '@hono/zod-openapi';
import { jsonBody, recordingChanges, testApp } from '../testing/app.ts';
import { testJournal } from '../mcp/testing/deps.ts';
import { heldIn } from '@checkpoint-inspector/inspector';
import { metricsSchema } from '../wire/metrics.ts';
import type { HeldMetrics, ServerMetrics } from '@checkpoint-inspector/inspector';

/** The same keys, and each side fits the other. */
type Same<A, B> = [A, B, keyof A, keyof B] extends [B, A, keyof B, keyof A] ? true : false;
type App = Awaited<ReturnType<typeof testApp>>;

async function metrics({ ask }: App) {
  const answer = await ask('/api/metrics');
  expect(answer.status).toBe(200);
  return metricsSchema.parse(await answer.json());
}

/** A session of its own for every call: enough for one tool. */
async function tool({ ask }: App, name: string, args: object): Promise<void> {
  const accept = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  const post = (body: object, more = {}) => ask('/mcp', { ...jsonBody(body), headers: { ...accept, ...more } });
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '0' } };
  const begun = await post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
  const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  expect((await post(call, session)).status).toBe(200);
}

const state = (done: number, total = 3) => ({
  plan: Array.from({ length: total }, (_, at) => ({ id: `${at}`, status: at < done ? 'completed' : 'pending' })),
  currentStepIndex: done,
});

describe('GET /api/metrics', () => {
  it('tells what a store holds', async () => {
    const store = new MemoryStore({ id: storeId('memory') });
    await store.save({ task: 'a', id: '1', text: '{}', trigger: 'auto', status: 'running' });
    await store.save({ task: 'a', id: '2', text: '{"é":1}', trigger: 'error', status: 'failed' });
    await store.save({ task: 'b', id: '3', text: '{"n":1}', status: 'completed' });
    const { stores } = await metrics(await testApp({}, store));
    expect(stores).toEqual([
      {
        store: 'memory',
        system: 'native',
        tasks: 2,
        checkpoints: 3,
        unreadable: 0,
        tasksByStatus: { completed: 1, failed: 1 },
        counted: { n: 3, of: 3 },
        bytes: 17,
        averageBytes: 17 / 3,
        byStatus: { running: 1, failed: 1, completed: 1 },
        byTrigger: { auto: 1, error: 1, none: 1 },
      },
    ]);
  });

  it('counts what passed through this server by the names of the document, apart from the stores', async () => {
    const { agents } = testJournal();
    const app = await testApp({ agents }, new MemoryStore({ id: storeId('memory') }));
    const before = (await metrics(app)).server;
    expect(before).toMatchObject({ checkpoint_save_count: 0, checkpoint_resume_count: 0, steps_recovered: 0 });
    expect(before).not.toHaveProperty('checkpoint_save_size_bytes');

    await app.store.save({ task: 'by the agent itself', id: '1', text: '{}' });
    const sizes = [JSON.stringify(state(1)).length, JSON.stringify(state(2)).length];
    await tool(app, 'checkpoint_save', { sessionId: 's', state: state(1) });
    await tool(app, 'checkpoint_save', { sessionId: 's', state: state(2) });
    await tool(app, 'checkpoint_load', { sessionId: 's' });
    await tool(app, 'checkpoint_load', { sessionId: 'nobody' });
    await tool(app, 'checkpoint_save', { sessionId: '', state: {} });

    const { server, stores } = await metrics(app);
    expect(server).toMatchObject({
      checkpoint_save_count: 2,
      checkpoint_resume_count: 1,
      checkpoint_save_size_bytes: ((sizes[0] ?? 0) + (sizes[1] ?? 0)) / 2,
      steps_recovered: 2,
      failures: [{ operation: 'save', code: 'invalid_input', count: 1 }],
    });
    expect(server.checkpoint_save_latency_ms).toBe(server.saves?.averageMs);
    expect(server.saves?.maxMs).toBeGreaterThanOrEqual(server.saves?.averageMs ?? Infinity);
    expect(stores[0]?.checkpoints).toBe(3);
  });

  it('counts applied plans by kind with their time, and refusals by code', async () => {
    const { changes } = recordingChanges();
    const undo = async () => {
      throw new InspectorError('undo_conflict', 'Something newer is there.');
    };
    const app = await testApp({ changes: { ...changes, undo } });
    await app.ask('/api/plans/plan-1/apply', { method: 'POST' });
    await app.ask('/api/receipts/receipt-1/undo', { method: 'POST' });
    await app.ask('/api/receipts/receipt-1/undo', { method: 'POST' });
    const { server } = await metrics(app);
    expect(server.changes.delete?.count).toBe(1);
    expect(server.changes.delete?.averageMs).toBeGreaterThan(0);
    expect(server.failures).toEqual([{ operation: 'change', code: 'undo_conflict', count: 2 }]);
  });

  it('names a store that fails, and shows the others', async () => {
    const app = await testApp();
    const broken = new MemoryStore({ id: storeId('broken') });
    broken.tasks = async () => {
      throw new Error('/secret/path is broken');
    };
    app.stores.add(broken);
    const { stores, failures } = await metrics(app);
    expect(stores.map(({ store }) => store)).toEqual(['memory']);
    expect(failures).toMatchObject([{ store: 'broken', error: { code: 'internal' } }]);
    expect(JSON.stringify(failures)).not.toContain('secret');
  });

  it('says how many of all were counted where a limit was met', async () => {
    const store = new MemoryStore();
    for (let n = 0; n < 5; n++) await store.save({ task: 't', id: `${n}`, text: '{}' });
    const held = await heldIn(store, { maxCounted: 3, timeMs: 1000 });
    expect(held).toMatchObject({ checkpoints: 5, counted: { n: 3, of: 5 }, bytes: 6, averageBytes: 2 });
    expect((await heldIn(store, { maxCounted: 3, timeMs: 0 })).counted).toEqual({ n: 0, of: 5 });
  });

  it('sends the types by which it is read', () => {
    type Sent = z.output<typeof metricsSchema>;
    expectTypeOf<Same<Sent['server'], ServerMetrics>>().toEqualTypeOf<true>();
    expectTypeOf<Same<Sent['stores'][number], HeldMetrics>>().toEqualTypeOf<true>();
  });
});
