/** The example code and the implementation notes of the document TASK-304, one test per item. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { temporaryFolder } from '@checkpoint-inspector/systems/testing/agent-framework/fixtures/open';
import { everyStorageWith, newPrefix, redisOfFile } from './fixtures/storages.ts';
import { checkpointAt, context, executorStates, graph } from './fixtures/workflow.ts';
import * as api from './index.ts';
import {
  assertCheckpointCompatible,
  computeGraphSignature,
  createCheckpoint,
  FileCheckpointStorage,
  InMemoryCheckpointStorage,
  RedisCheckpointStorage,
  validateCheckpointCompatibility,
  type ExecutorState,
  type PendingMessage,
  type SerializedExecutionContext,
} from './index.ts';

const redis = await redisOfFile();
const everyStorage = everyStorageWith(redis);

const T = (second: number) => `2026-11-21T13:00:0${second}.000Z`;
const pending: PendingMessage[] = [
  { requestId: 'r1', executorId: 'reviewer', data: { prompt: 'Approve?' }, timestamp: new Date(T(1)) },
];
const full = checkpointAt(T(2), { checkpointId: 'cp', pendingMessages: pending }, { metadata: { graph, note: 'é' } });
const signature = computeGraphSignature(graph);

describe('Example Code Pattern', () => {
  it('ExecutorState: executorId, output?, internalState?, completed, error? { message, stack?, type }', () => {
    expectTypeOf<ExecutorState>().toMatchTypeOf<{ executorId: string; completed: boolean }>();
    expectTypeOf<NonNullable<ExecutorState['error']>>().toMatchTypeOf<{ message: string; type: string }>();
    const least: ExecutorState = { executorId: 'a', completed: false };
    expect(Object.keys(least)).toEqual(['executorId', 'completed']);
  });

  it('PendingMessage: requestId, executorId, data, timestamp', () => {
    expectTypeOf<keyof PendingMessage>().toEqualTypeOf<'requestId' | 'executorId' | 'data' | 'timestamp'>();
    const made = createCheckpoint('w', 'e', 's', executorStates, context, { pendingMessages: pending });
    expect(made.pendingMessages).toEqual(pending);
    expect(made.pendingMessages).not.toBe(pending);
  });

  it('SerializedExecutionContext: workflowId, executionId, threadState?, sharedState, executorOutputs', () => {
    const { thread: _, ...rest } = context;
    const made = createCheckpoint('w', 'e', 's', new Map(), rest).executionContext;
    expectTypeOf(made).toEqualTypeOf<SerializedExecutionContext | undefined>();
    expect(Object.keys(made ?? {})).toEqual(['workflowId', 'executionId', 'sharedState', 'executorOutputs']);
  });

  it('createCheckpoint(workflowId, executionId, graphSignatureHash, executorStates, executionContext, options?)', () => {
    expect(createCheckpoint).toHaveLength(5);
    expect(createCheckpoint('w', 'e', 's', new Map(), context).metadata).toBeUndefined();
    expect(createCheckpoint('w', 'e', 's', new Map(), context, { metadata: { a: 1 } }).metadata).toEqual({ a: 1 });
  });

  it('validateCheckpointCompatibility(checkpoint, currentGraphSignature): boolean', () => {
    expect([validateCheckpointCompatibility(full, signature), validateCheckpointCompatibility(full, '')]).toEqual([
      true,
      false,
    ]);
  });

  it('generateCheckpointId(): `checkpoint_<Date.now()>_<9 characters>`', () => {
    expect(createCheckpoint('w', 'e', 's', new Map(), context).checkpointId).toMatch(/^checkpoint_\d{13}_[0-9a-z]{9}$/);
  });

  it('InMemoryCheckpointStorage.clear(): Clear all checkpoints (for testing)', async () => {
    const storage = new InMemoryCheckpointStorage();
    await storage.saveCheckpoint('cp', full);
    expect(storage.clear()).toBeUndefined();
    expect([await storage.loadCheckpoint('cp'), await storage.listCheckpoints('release-notes')]).toEqual([null, []]);
  });
});

describe('Implementation Notes', () => {
  it('In-memory for development: new InMemoryCheckpointStorage()', async () => {
    const [one, two] = [new InMemoryCheckpointStorage(), new InMemoryCheckpointStorage()];
    await one.saveCheckpoint('cp', full);
    expect(await two.loadCheckpoint('cp')).toBeNull();
  });

  it.skipIf(typeof redis === 'string')('Redis for production: new RedisCheckpointStorage(redisClient)', async () => {
    if (typeof redis === 'string') return;
    const prefix = newPrefix();
    await new RedisCheckpointStorage(redis.client, { prefix }).saveCheckpoint('cp', full);
    const other = new RedisCheckpointStorage(redis.client, { prefix });
    expect(await other.loadCheckpoint('cp')).toEqual(full);
    expect(await new RedisCheckpointStorage(redis.client).loadCheckpoint(`cp-${prefix}`)).toBeNull();
    await other.deleteCheckpoint('cp');
    expect(await redis.client.keys(`{${prefix}}:checkpoint:*`)).toEqual([]);
  });

  it("File system for debugging: new FileCheckpointStorage('./checkpoints')", async () => {
    const dir = join(await temporaryFolder(), 'made', 'checkpoints');
    await new FileCheckpointStorage(dir).saveCheckpoint('cp', full);
    expect(await readdir(dir)).toEqual(['cp.json']);
    expect(await new FileCheckpointStorage(dir).loadCheckpoint('cp')).toEqual(full);
  });

  everyStorage('Graph Signature Validation: Prevent loading incompatible checkpoints', async (storage) => {
    await storage.saveCheckpoint('cp', full);
    const loaded = await storage.loadCheckpoint('cp');
    if (!loaded) throw new Error('The checkpoint is not there.');
    assertCheckpointCompatible(loaded, graph);
    const now = {
      ...graph,
      executors: [...graph.executors.slice(0, 1), { id: 'editor', type: 'AgentExecutor' }],
      edges: [],
    };
    expect(() => assertCheckpointCompatible(loaded, now)).toThrow('added: editor; removed: reviewer; changed: writer');
    expect(() => assertCheckpointCompatible({ ...loaded, metadata: {} }, now)).toThrow(api.IncompatibleCheckpointError);
  });

  everyStorage('Checkpoint Granularity: Save checkpoint after executor completes', async (storage) => {
    for (const executor of ['writer', 'reviewer']) {
      await storage.saveCheckpoint(
        `run-1_${executor}`,
        createCheckpoint('flow', 'run-1', signature, executorStates, context),
      );
    }
    const ids = await storage.listCheckpoints('flow');
    expect(ids.toSorted()).toEqual(['run-1_reviewer', 'run-1_writer']);
    for (const id of ids) expect((await storage.loadCheckpoint(id))?.checkpointId).toBe(id);
  });

  it('Always validate graph signature before loading checkpoint', () => {
    expect(api.compareCheckpointGraphs(full, full)).toEqual({ added: [], removed: [], changed: [] });
    const now = { ...graph, executors: graph.executors.slice(0, 1) };
    const other = { ...full, graphSignatureHash: computeGraphSignature(now), metadata: { graph: now } };
    expect(api.compareCheckpointGraphs(full, other)).toEqual({ added: [], removed: ['reviewer'], changed: [] });
    expect(api.compareCheckpointGraphs(full, { ...other, metadata: {} })).toBeUndefined();
  });

  everyStorage("Don't forget to serialize Date objects properly", async (storage) => {
    const date = new Date('2026-02-28T23:59:59.999+09:00');
    await storage.saveCheckpoint('cp', { ...full, timestamp: date, metadata: { at: date, list: [date] } });
    const loaded = await storage.loadCheckpoint('cp');
    expect([loaded?.timestamp, loaded?.metadata]).toEqual([date, { at: date, list: [date] }]);
    await expect(
      storage.saveCheckpoint('cp', { ...full, metadata: { at: new Date(Number.NaN) } }),
    ).rejects.toMatchObject({
      kind: 'serialization',
      data: { path: '$.metadata.at' },
    });
  });

  everyStorage('Include all executor internal state, not just outputs', async (storage) => {
    await storage.saveCheckpoint('cp', full);
    expect((await storage.loadCheckpoint('cp'))?.executorStates['writer']?.internalState).toEqual({ tries: 2 });
  });

  everyStorage('Remember pending requests for human-in-the-loop', async (storage) => {
    await storage.saveCheckpoint('cp', full);
    const asked = await storage.loadCheckpoint('cp');
    expect(asked?.pendingMessages.map((message) => message.data)).toEqual([{ prompt: 'Approve?' }]);
    if (asked) await storage.saveCheckpoint('answered', { ...asked, pendingMessages: [] });
    expect((await storage.loadCheckpoint('answered'))?.pendingMessages).toEqual([]);
  });

  everyStorage('Handle serialization errors gracefully', async (storage) => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    for (const bad of [cycle, { n: Number.NaN }, { m: new Map() }, { s: Symbol('x') }, { p: Promise.resolve() }]) {
      await expect(storage.saveCheckpoint('cp', { ...full, sharedState: bad })).rejects.toMatchObject({
        kind: 'serialization',
        code: 'invalid_input',
      });
    }
    expect(await storage.listCheckpoints('release-notes')).toEqual([]);
  });
});
