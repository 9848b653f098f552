/** One test per item that the document TASK-304 names, titled by it; its code and notes: document-notes.test.ts. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { temporaryFolder } from '@checkpoint-inspector/systems/testing/agent-framework/fixtures/open';
import { everyStorageWith, redisOfFile } from './fixtures/storages.ts';
import { checkpointAt, context, executorStates, graph } from './fixtures/workflow.ts';
import * as room from './index.ts';
import * as api from './index.ts';
import {
  computeGraphSignature,
  createCheckpoint,
  FileCheckpointStorage,
  InMemoryCheckpointStorage,
  RedisCheckpointStorage,
  validateCheckpointCompatibility,
  type CheckpointStorage,
  type PendingMessage,
  type WorkflowCheckpoint,
} from './index.ts';

const everyStorage = everyStorageWith(await redisOfFile());

const T = (second: number) => `2026-11-21T13:00:0${second}.000Z`;
const pending: PendingMessage[] = [
  { requestId: 'r1', executorId: 'reviewer', data: { prompt: 'Approve?' }, timestamp: new Date(T(1)) },
];
const full = checkpointAt(T(2), { checkpointId: 'cp', pendingMessages: pending }, { metadata: { graph, note: 'é' } });
const signature = computeGraphSignature(graph);
const folder = fileURLToPath(new URL('.', import.meta.url));

describe('Core Functionality', () => {
  it('1. Create `CheckpointStorage` interface for checkpoint persistence', async () => {
    const own: CheckpointStorage = {
      saveCheckpoint: async () => undefined,
      loadCheckpoint: async () => null,
      listCheckpoints: async () => [],
      deleteCheckpoint: async () => undefined,
    };
    expect(await own.loadCheckpoint('x')).toBeNull();
  });

  it('2. Implement `WorkflowCheckpoint` data structure', () => {
    expectTypeOf(full).toEqualTypeOf<WorkflowCheckpoint>();
    expect(() => api.assertCheckpoint(full)).not.toThrow();
  });

  it('3. Define checkpoint metadata (checkpointId, workflowId, timestamp, etc.)', () => {
    const { checkpointId, workflowId, executionId, timestamp } = full;
    expect([checkpointId, workflowId, executionId, timestamp]).toEqual([
      'cp',
      'release-notes',
      'run-1',
      new Date(T(2)),
    ]);
  });

  it('4. Include graph signature hash for compatibility validation', () => {
    expect(full.graphSignatureHash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('5. Store executor states (outputs, internal state)', () => {
    expect(full.executorStates['writer']).toMatchObject({ output: { draft: 1 }, internalState: { tries: 2 } });
  });

  everyStorage('6. Store pending messages and requests', async (storage) => {
    await storage.saveCheckpoint('cp', full);
    expect((await storage.loadCheckpoint('cp'))?.pendingMessages).toEqual(pending);
  });

  everyStorage('7. Store shared state', async (storage) => {
    await storage.saveCheckpoint('cp', full);
    expect((await storage.loadCheckpoint('cp'))?.sharedState).toEqual({ brief: 'Ship v2 🚀' });
  });

  everyStorage('8. Implement `saveCheckpoint()` method', async (storage) => {
    expect(await storage.saveCheckpoint('cp', full)).toBeUndefined();
    await storage.saveCheckpoint('cp', { ...full, executionId: 'run-2' });
    expect((await storage.loadCheckpoint('cp'))?.executionId).toBe('run-2');
    expect(await storage.listCheckpoints('release-notes')).toEqual(['cp']);
  });

  everyStorage('9. Implement `loadCheckpoint()` method', async (storage) => {
    await storage.saveCheckpoint('cp', full);
    expect(await storage.loadCheckpoint('cp')).toEqual(full);
  });

  everyStorage('10. Implement `listCheckpoints()` method for workflow history', async (storage) => {
    await storage.saveCheckpoint('second', checkpointAt(T(2)));
    await storage.saveCheckpoint('third', checkpointAt(T(3)));
    await storage.saveCheckpoint('first', checkpointAt(T(1)));
    expect(await storage.listCheckpoints('release-notes')).toEqual(['third', 'second', 'first']);
  });
});

describe('Checkpoint Data', () => {
  const load = async (change: Partial<WorkflowCheckpoint> = {}) => {
    const storage = new FileCheckpointStorage(await temporaryFolder());
    await storage.saveCheckpoint('cp', { ...full, ...change });
    return storage.loadCheckpoint('cp');
  };
  it('11. Checkpoint ID (unique identifier)', async () => {
    expect((await load())?.checkpointId).toBe('cp');
    const ids = new Set(
      Array.from({ length: 1000 }, () => createCheckpoint('w', 'e', 's', new Map(), context).checkpointId),
    );
    expect(ids.size).toBe(1000);
  });
  it('12. Workflow ID (which workflow this checkpoint belongs to)', async () => {
    expect((await load())?.workflowId).toBe('release-notes');
  });
  it('13. Execution ID (which execution run)', async () => {
    expect((await load())?.executionId).toBe('run-1');
  });
  it('14. Timestamp (when checkpoint was created)', async () => {
    expect((await load())?.timestamp).toEqual(new Date(T(2)));
    const before = Date.now();
    const { timestamp } = createCheckpoint('w', 'e', 's', new Map(), context);
    expect(timestamp.getTime()).toBeGreaterThanOrEqual(before);
    expect(timestamp.getTime()).toBeLessThanOrEqual(Date.now());
  });
  it('15. Graph signature hash (for compatibility checking)', async () => {
    expect((await load())?.graphSignatureHash).toBe(signature);
  });
  it('16. Executor states (map of executor ID to state)', async () => {
    expect(Object.keys((await load())?.executorStates ?? {})).toEqual(['writer', 'reviewer']);
  });
  it('17. Pending requests (for human-in-the-loop)', async () => {
    expect((await load())?.pendingMessages[0]).toMatchObject({ requestId: 'r1', executorId: 'reviewer' });
  });
  it('18. Shared state (global workflow state)', async () => {
    const sharedState = { big: 12345678901234567890n, zero: -0, list: [null, true, 1.5] };
    expect((await load({ sharedState }))?.sharedState).toEqual(sharedState);
  });
  it('19. Serialized execution context', async () => {
    expect((await load())?.executionContext).toEqual({
      workflowId: 'release-notes',
      executionId: 'run-1',
      threadState: { messages: ['hi'] },
      sharedState: { brief: 'Ship v2 🚀' },
      executorOutputs: { writer: { draft: 1 } },
    });
  });
});

describe('Test Requirements', () => {
  it('Test CheckpointStorage interface definition', () => {
    expectTypeOf<CheckpointStorage['saveCheckpoint']>().toEqualTypeOf<
      (checkpointId: string, checkpoint: WorkflowCheckpoint) => Promise<void>
    >();
    expectTypeOf<CheckpointStorage['loadCheckpoint']>().returns.toEqualTypeOf<Promise<WorkflowCheckpoint | null>>();
    expectTypeOf<CheckpointStorage['listCheckpoints']>().returns.toEqualTypeOf<Promise<string[]>>();
    expectTypeOf<CheckpointStorage['deleteCheckpoint']>().returns.toEqualTypeOf<Promise<void>>();
    const methods = ['saveCheckpoint', 'loadCheckpoint', 'listCheckpoints', 'deleteCheckpoint'];
    for (const Storage of [InMemoryCheckpointStorage, FileCheckpointStorage, RedisCheckpointStorage]) {
      expect(Object.getOwnPropertyNames(Storage.prototype)).toEqual(expect.arrayContaining(methods));
    }
  });

  it('Test WorkflowCheckpoint structure creation', () => {
    const made = createCheckpoint('flow', 'run', signature, executorStates, context, { checkpointId: 'id' });
    expect(made).toEqual({
      checkpointId: 'id',
      workflowId: 'flow',
      executionId: 'run',
      timestamp: expect.any(Date),
      graphSignatureHash: signature,
      executorStates: Object.fromEntries(executorStates),
      pendingMessages: [],
      sharedState: { brief: 'Ship v2 🚀' },
      executionContext: expect.objectContaining({ executorOutputs: { writer: { draft: 1 } } }),
    });
  });

  it('Test checkpoint metadata completeness', () => {
    const keys = ['checkpointId', 'workflowId', 'executionId', 'timestamp', 'graphSignatureHash', 'executorStates'];
    const rest = ['pendingMessages', 'sharedState', 'executionContext', 'metadata'];
    expect(Object.keys(full)).toEqual([...keys, ...rest]);
    expect(full.metadata).toEqual({ graph, note: 'é' });
  });

  it('Test graph signature hash inclusion', () => {
    expect(validateCheckpointCompatibility(full, signature)).toBe(true);
    const shuffled = { ...graph, executors: graph.executors.toReversed() };
    expect(computeGraphSignature(shuffled)).toBe(signature);
    expect(validateCheckpointCompatibility(full, computeGraphSignature({ ...graph, edges: [] }))).toBe(false);
  });

  everyStorage('Test executor states serialization', async (storage) => {
    const error = { message: 'no answer', stack: 'at x', type: 'TimeoutError' };
    const states = {
      a: { executorId: 'a', completed: false, error },
      __proto__x: { executorId: 'b', completed: true },
    };
    await storage.saveCheckpoint('cp', { ...full, executorStates: states });
    expect((await storage.loadCheckpoint('cp'))?.executorStates).toEqual(states);
  });

  everyStorage('Test pending messages storage', async (storage) => {
    const two = [...pending, { requestId: 'r2', executorId: 'gate', data: null, timestamp: new Date(T(3)) }];
    await storage.saveCheckpoint('cp', { ...full, pendingMessages: two });
    const loaded = await storage.loadCheckpoint('cp');
    expect(loaded?.pendingMessages).toEqual(two);
    expect(loaded?.pendingMessages[1]?.timestamp).toBeInstanceOf(Date);
  });

  everyStorage('Test shared state storage', async (storage) => {
    const sharedState = {
      since: new Date(T(0)),
      $date: 'no date',
      one: { $date: T(0) },
      ['__proto__']: { x: 1 },
      deep: [{}],
    };
    await storage.saveCheckpoint('cp', { ...full, sharedState });
    const loaded = (await storage.loadCheckpoint('cp'))?.sharedState;
    expect(loaded).toEqual(sharedState);
    expect(Object.keys(loaded ?? {})).toEqual(Object.keys(sharedState));
    expect(loaded?.['since']).toBeInstanceOf(Date);
  });

  everyStorage('Test saveCheckpoint() saves all data', async (storage) => {
    const given = structuredClone(full);
    const saved = storage.saveCheckpoint('cp', given);
    given.sharedState['brief'] = 'changed meanwhile';
    given.pendingMessages.pop();
    await saved;
    expect(await storage.loadCheckpoint('cp')).toEqual(full);
  });

  everyStorage('Test loadCheckpoint() retrieves correct checkpoint', async (storage) => {
    await storage.saveCheckpoint('a', checkpointAt(T(1), { executionId: 'run-a' }));
    await storage.saveCheckpoint('b', checkpointAt(T(2), { executionId: 'run-b' }));
    const a = await storage.loadCheckpoint('a');
    expect([a?.checkpointId, a?.executionId]).toEqual(['a', 'run-a']);
    if (a) a.sharedState['brief'] = 'mine';
    expect((await storage.loadCheckpoint('a'))?.sharedState).toEqual({ brief: 'Ship v2 🚀' });
  });

  everyStorage('Test loadCheckpoint() returns null for missing checkpoint', async (storage) => {
    expect(await storage.loadCheckpoint('missing')).toBeNull();
    await storage.saveCheckpoint('cp', full);
    expect(await storage.loadCheckpoint('cp2')).toBeNull();
  });

  everyStorage('Test listCheckpoints() filters by workflow ID', async (storage) => {
    await storage.saveCheckpoint('a', checkpointAt(T(1)));
    await storage.saveCheckpoint('b', checkpointAt(T(2), { workflowId: 'other' }));
    await storage.saveCheckpoint('c', checkpointAt(T(3), { workflowId: '' }));
    expect(await storage.listCheckpoints('release-notes')).toEqual(['a']);
    expect(await storage.listCheckpoints('other')).toEqual(['b']);
    expect(await storage.listCheckpoints('')).toEqual(['c']);
    expect(await storage.listCheckpoints('none')).toEqual([]);
    await storage.saveCheckpoint('a', checkpointAt(T(1), { workflowId: 'other' }));
    expect([await storage.listCheckpoints('release-notes'), await storage.listCheckpoints('other')]).toEqual([
      [],
      ['b', 'a'],
    ]);
  });

  everyStorage('Test deleteCheckpoint() removes checkpoint', async (storage) => {
    await storage.saveCheckpoint('a', checkpointAt(T(1)));
    await storage.saveCheckpoint('b', checkpointAt(T(2)));
    await storage.deleteCheckpoint('a');
    expect(await storage.loadCheckpoint('a')).toBeNull();
    expect(await storage.listCheckpoints('release-notes')).toEqual(['b']);
    await expect(storage.deleteCheckpoint('a')).resolves.toBeUndefined();
  });

  it('Test checkpoint serialization/deserialization', () => {
    const text = api.serializeCheckpoint(full);
    expect(JSON.parse(text)).toMatchObject({ timestamp: T(2), pendingMessages: [{ timestamp: T(1) }] });
    expect(api.deserializeCheckpoint(text)).toEqual(full);
    expect(api.serializeCheckpoint(api.deserializeCheckpoint(text))).toBe(text);
  });

  everyStorage('Test error handling for invalid checkpoints', async (storage) => {
    const save = (change: object) => storage.saveCheckpoint('cp', { ...full, ...change });
    await expect(save({ timestamp: 'now' })).rejects.toBeInstanceOf(api.InvalidCheckpointError);
    await expect(save({ executorStates: null })).rejects.toMatchObject({ data: { path: '$.executorStates' } });
    await expect(save({ pendingMessages: [{}] })).rejects.toMatchObject({
      data: { path: '$.pendingMessages[0].requestId' },
    });
    await expect(save({ sharedState: { f: () => 1 } })).rejects.toBeInstanceOf(api.CheckpointSerializationError);
    await expect(storage.saveCheckpoint('', full)).rejects.toBeInstanceOf(api.InvalidCheckpointError);
    expect(await storage.loadCheckpoint('cp')).toBeNull();
  });

  everyStorage('Test concurrent checkpoint operations', async (storage) => {
    const ids = Array.from({ length: 40 }, (_, at) => `cp-${at}`);
    await Promise.all(ids.map((id, at) => storage.saveCheckpoint(id, checkpointAt(new Date(at * 1000).toISOString()))));
    expect(await storage.listCheckpoints('release-notes')).toEqual(ids.toReversed());
    const runs = Array.from({ length: 20 }, (_, at) =>
      storage.saveCheckpoint('one', checkpointAt(T(9), { executionId: `run-${at}` })),
    );
    await Promise.all([...runs, storage.loadCheckpoint('one'), storage.listCheckpoints('release-notes')]);
    expect((await storage.loadCheckpoint('one'))?.executionId).toBe('run-19');
    await Promise.all(ids.map((id) => storage.deleteCheckpoint(id)));
    expect(await storage.listCheckpoints('release-notes')).toEqual(['one']);
  });
});

describe('Acceptance Criteria and Code Standards', () => {
  it('JSDoc documentation for all public APIs with `@example` tags', async () => {
    for (const [name, text] of await sources()) {
      const items = [...text.matchAll(/^(export (?:abstract )?(?:class|function|interface|const|type) (\w+))/gm)];
      for (const { index, 2: item } of items) {
        const doc = /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*$/.exec(text.slice(0, index))?.[0] ?? '';
        expect([name, item, doc.includes('@example')]).toEqual([name, item, true]);
      }
    }
  });

  it('No `any` types without explicit justification comment; 120 character line length', async () => {
    for (const [name, text] of await sources()) {
      expect([name, /\b(as|:|<)\s*any\b/.test(text)]).toEqual([name, false]);
      expect([name, text.split('\n').filter((line) => line.length > 120)]).toEqual([name, []]);
    }
  });

  it('Exports added to index.ts files', () => {
    expect(Object.entries(api).filter(([name, item]) => Reflect.get(room, name) !== item)).toEqual([]);
    expect(room.FileCheckpointStorage).toBe(FileCheckpointStorage);
    expect(room.RedisCheckpointStorage).toBe(RedisCheckpointStorage);
  });

  everyStorage('Async storage methods implemented', async (storage) => {
    const calls = [storage.saveCheckpoint('cp', full), storage.loadCheckpoint('cp'), storage.listCheckpoints('w')];
    for (const call of [...calls, storage.deleteCheckpoint('cp')]) expect(call).toBeInstanceOf(Promise);
    await Promise.allSettled(calls);
  });
});

async function sources(): Promise<(readonly [string, string])[]> {
  const names = (await readdir(folder)).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && name !== 'index.ts',
  );
  expect(names.length).toBeGreaterThan(6);
  return Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const));
}
