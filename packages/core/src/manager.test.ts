import { describe, expect, test } from 'vitest';
import { type CheckpointState, CheckpointManager, createCheckpointManager } from './manager.ts';
import { MemoryStore } from './memory.ts';

function stateOf(id: string, taskId = 'task-1', more: Partial<CheckpointState> = {}): CheckpointState {
  return {
    id,
    taskId,
    agentId: 'agent-1',
    stepIndex: 1,
    totalSteps: 3,
    context: { cursor: 1, nested: { list: [1, 2] } },
    completedSteps: [
      { stepId: 's1', name: 'Step 1', result: { ok: true }, durationMs: 5, completedAt: '2026-01-01T00:00:00Z' },
    ],
    pendingSteps: ['s2', 's3'],
    createdAt: '2026-01-01T00:00:00.000Z',
    ...more,
  };
}

async function managerWith(ids: readonly string[], config = {}): Promise<CheckpointManager> {
  const manager = new CheckpointManager(config);
  for (const id of ids) await manager.save(stateOf(id));
  return manager;
}

const idsOf = (states: readonly CheckpointState[]) => states.map((state) => state.id);

describe('constructor', () => {
  test('keeps ten per task by default', async () => {
    const manager = await managerWith(Array.from({ length: 12 }, (_, at) => `cp-${at}`));
    expect(idsOf(await manager.list('task-1'))).toEqual(Array.from({ length: 10 }, (_, at) => `cp-${at + 2}`));
  });

  test('a storagePath is refused, with the entry that has a disk: memory would lose what is saved', () => {
    const config = { storage: { storagePath: './unused', maxPerTask: 2 } };
    for (const make of [() => new CheckpointManager(config), () => createCheckpointManager(config)])
      expect(make).toThrow(
        expect.objectContaining({
          code: 'unsupported',
          remedy: expect.stringContaining('checkpoint-inspector/stores/manager') as string,
        }),
      );
  });

  test.each<[object, string, string]>([
    [{ maxPertask: 3 }, 'maxPertask', 'maxPerTask'],
    [{ maxCheckpoints: 3 }, 'maxCheckpoints', 'maxPerTask'],
    [{ storage: { storagePath: '.', autoCleanUp: true } }, 'storage.autoCleanUp', 'storage.autoCleanup'],
  ])('an unknown option is an error that names the nearest one: %j', (config, key, nearest) => {
    expect(() => new CheckpointManager(config)).toThrow(
      expect.objectContaining({ code: 'invalid_input', data: { key, nearest } }),
    );
  });

  test.each([0, -1, 1.5, Number.NaN])('maxPerTask %s is an error', (maxPerTask) => {
    const message = `maxPerTask must be a positive whole number, not ${maxPerTask}.`;
    const refused = expect.objectContaining({ code: 'invalid_input', message });
    expect(() => new CheckpointManager({ maxPerTask })).toThrow(refused);
  });

  test.each([{ maxPerTask: 3 }, { storage: { storagePath: './unused' } }])(
    '%j beside a store is an error: the store has its own limit and place',
    (more) => {
      const config = { store: new MemoryStore(), ...more };
      expect(() => new CheckpointManager(config)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
    },
  );

  test.each<[string, object]>([
    ['storage', { storage: null }],
    ['storage.storagePath', { storage: {} }],
    ['storage.storagePath', { storage: { storagePath: '' } }],
    ['storage.autoCleanup', { storage: { storagePath: '.', autoCleanup: 1 } }],
    ['maxPerTask', { storage: { storagePath: '.', maxPerTask: 0, autoCleanup: false } }],
  ])('a wrong value of %s is an error: %j', (key, config) => {
    expect(() => new CheckpointManager(config)).toThrow(
      expect.objectContaining({ code: 'invalid_input', data: { key } }),
    );
  });

  test('its store is there to look into, and says that it is in memory only', () => {
    expect(new CheckpointManager().store.info.notes).toEqual([expect.stringMatching(/^In memory only.*storagePath/)]);
  });
});

describe('save', () => {
  test('a saved state comes back equal', async () => {
    const manager = await managerWith(['a']);
    expect(await manager.restore('task-1')).toEqual({
      success: true,
      checkpoint: stateOf('a'),
      remainingSteps: ['s2', 's3'],
    });
  });

  test('the oldest is evicted past the limit', async () => {
    const manager = await managerWith(['a', 'b', 'c'], { maxPerTask: 2 });
    expect(idsOf(await manager.list('task-1'))).toEqual(['b', 'c']);
    expect(await manager.restoreById('a')).toEqual({
      success: false,
      error: 'Checkpoint not found: a',
      remainingSteps: [],
    });
  });

  test('the same id again replaces the state in its place', async () => {
    const manager = await managerWith(['a', 'b']);
    await manager.save(stateOf('a', 'task-1', { stepIndex: 2 }));
    expect((await manager.list('task-1')).map((state) => [state.id, state.stepIndex])).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
    expect((await manager.restore('task-1')).checkpoint?.id).toBe('b');
  });

  test('later changes of the original, at any depth, do not reach the store', async () => {
    const original = stateOf('a');
    const manager = new CheckpointManager();
    const saved = manager.save(original);
    original.context['nested'] = 'changed';
    original.pendingSteps.push('changed');
    await saved;
    expect((await manager.restore('task-1')).checkpoint).toEqual(stateOf('a'));
  });

  test('saves that nobody waited for keep the order of their calls', async () => {
    const manager = new CheckpointManager();
    void manager.save(stateOf('big', 'task-1', { context: { text: 'x'.repeat(1_000_000) } }));
    void manager.save(stateOf('small'));
    expect(idsOf(await manager.list('task-1'))).toEqual(['big', 'small']);
  });

  test.each([
    ['id', { id: '' }],
    ['task', { taskId: '' }],
  ])('a state with an empty %s is refused: nobody could name it afterwards', async (name, more) => {
    const manager = new CheckpointManager();
    const saved = manager.save(stateOf('a', 'task-1', more));
    await expect(saved).rejects.toMatchObject({ code: 'invalid_input', data: { name } });
    expect((await manager.store.tasks()).items).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['pendingSteps', { ...stateOf('b'), pendingSteps: undefined }],
    ['pendingSteps', { ...stateOf('b'), pendingSteps: null }],
    ['pendingSteps', { ...stateOf('b'), pendingSteps: 's2' }],
    ['state', null],
    ['state', 'b'],
  ])('what could not be restored is refused, so that the task can go on: %s of %j', async (name, state) => {
    const manager = await managerWith(['a']);
    const saved = manager.save(state as CheckpointState);
    await expect(saved).rejects.toMatchObject({ code: 'invalid_input', data: { name } });
    expect((await manager.restore('task-1')).checkpoint?.id).toBe('a');
  });

  test('what JSON cannot hold is refused by its path', async () => {
    const bad = stateOf('a', 'task-1', { context: { when: new Date(0) } });
    await expect(new CheckpointManager().save(bad)).rejects.toMatchObject({
      code: 'invalid_input',
      data: { path: '$.context.when' },
    });
  });

  test('own __proto__ keys stay data', async () => {
    const context: Record<string, unknown> = JSON.parse('{"__proto__": {"polluted": true}}');
    const manager = new CheckpointManager();
    await manager.save(stateOf('a', 'task-1', { context }));
    const back = (await manager.restore('task-1')).checkpoint?.context ?? {};
    expect(Object.getOwnPropertyNames(back)).toEqual(['__proto__']);
    expect('polluted' in back).toBe(false);
  });

  test('a createdAt that is not a UTC time is kept in the state', async () => {
    const manager = new CheckpointManager();
    await manager.save(stateOf('a', 'task-1', { createdAt: 'yesterday' }));
    expect((await manager.restore('task-1')).checkpoint?.createdAt).toBe('yesterday');
  });

  test('lists of the store show step, agent, status and error', async () => {
    const store = new MemoryStore();
    const manager = new CheckpointManager({ store });
    await manager.save(stateOf('a', 'task-1', { metadata: { trigger: 'error', error: 'boom' } }));
    await manager.save(stateOf('b', 'task-2', { pendingSteps: [] }));
    const [failed] = (await store.checkpoints('task-1')).items;
    expect(failed).toMatchObject({
      stepIndex: 1,
      totalSteps: 3,
      agentId: 'agent-1',
      status: 'failed',
      trigger: 'error',
      durationMs: 5,
    });
    const tasks = (await store.tasks()).items.map((task) => [task.id, task.status, task.lastError]);
    expect(tasks).toEqual([
      ['task-1', 'failed', 'boom'],
      ['task-2', 'completed', undefined],
    ]);
  });
});

test('a name or an agent that isn’t text is kept in the state, and left out of lists', async () => {
  const manager = new CheckpointManager();
  const odd = { ...stateOf('a'), agentId: 7, completedSteps: [{ name: { en: 'Step' } }] };
  await manager.save(odd as unknown as CheckpointState);
  expect((await manager.restore('task-1')).checkpoint).toEqual(odd);
  const [meta] = (await manager.store.checkpoints('task-1')).items;
  expect([meta?.agentId, meta?.description]).toEqual([undefined, undefined]);
});

describe('restore', () => {
  test('takes the latest of the task', async () => {
    expect((await (await managerWith(['a', 'b'])).restore('task-1')).checkpoint?.id).toBe('b');
  });

  test('fails in words for an unknown task', async () => {
    const error = 'No checkpoints found for task: nope';
    expect(await new CheckpointManager().restore('nope')).toEqual({ success: false, error, remainingSteps: [] });
  });

  test('remaining steps are a copy of the pending ones', async () => {
    const result = await (await managerWith(['a'])).restore('task-1');
    expect(result.remainingSteps).toEqual(['s2', 's3']);
    expect(result.remainingSteps).not.toBe(result.checkpoint?.pendingSteps);
  });

  test('text that is not an execution state is unreadable, not half a result', async () => {
    const store = new MemoryStore();
    await store.save({ task: 't', id: 'a', text: '{"pendingSteps": 3}' });
    await expect(new CheckpointManager({ store }).restore('t')).rejects.toMatchObject({
      code: 'unreadable',
      remedy: expect.stringContaining('restore another by its id'),
    });
  });
});

describe('restoreById', () => {
  test('takes that checkpoint', async () => {
    expect((await (await managerWith(['a', 'b'])).restoreById('a')).checkpoint).toEqual(stateOf('a'));
  });

  test('fails in words for an unknown id', async () => {
    const error = 'Checkpoint not found: nope';
    expect(await new CheckpointManager().restoreById('nope')).toEqual({ success: false, error, remainingSteps: [] });
  });

  test('gives a copy, deep', async () => {
    const manager = await managerWith(['a']);
    const first = (await manager.restoreById('a')).checkpoint;
    first?.completedSteps.pop();
    const second = (await manager.restoreById('a')).checkpoint;
    expect(second).not.toBe(first);
    expect(second).toEqual(stateOf('a'));
  });
});

describe('list', () => {
  test('is in save order', async () => {
    expect(idsOf(await (await managerWith(['b', 'a', 'c'])).list('task-1'))).toEqual(['b', 'a', 'c']);
  });

  test('keeps tasks apart, also when both hold one id', async () => {
    const manager = await managerWith(['a', 'b']);
    await manager.save(stateOf('a', 'task-2', { stepIndex: 9 }));
    expect((await manager.list('task-1')).map((state) => [state.id, state.stepIndex])).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    expect((await manager.list('task-2')).map((state) => [state.taskId, state.stepIndex])).toEqual([['task-2', 9]]);
    expect((await manager.restoreById('a')).checkpoint?.taskId).toBe('task-2');
  });

  test('takes each checkpoint from its own namespace, as deleteAll does', async () => {
    const manager = await managerWith(['a']);
    const inner = { ...stateOf('a'), stepIndex: 7 };
    await manager.store.save({ task: 'task-1', namespace: 'sub', id: 'a', value: inner });
    await manager.store.save({ task: 'task-1', namespace: 'sub', id: 'b', value: inner });
    const states = await manager.list('task-1');
    expect(states.map(({ id, stepIndex }) => [id, stepIndex])).toEqual([
      ['a', 1],
      ['a', 7],
      ['b', 7],
    ]);
    expect(await manager.deleteAll('task-1')).toBe(3);
    expect((await manager.store.checkpoints('task-1')).items).toEqual([]);
  });

  test('goes on past a checkpoint that another program saved and that is no execution state', async () => {
    const manager = await managerWith(['a']);
    await manager.store.save({ task: 'task-1', id: 'other', text: '{"pendingSteps":null}' });
    await manager.save(stateOf('b'));
    expect(idsOf(await manager.list('task-1'))).toEqual(['a', 'b']);
  });

  test('is empty for an unknown task', async () => {
    expect(await new CheckpointManager().list('nope')).toEqual([]);
  });
});

describe('delete', () => {
  test('removes one', async () => {
    const manager = await managerWith(['a', 'b']);
    expect(await manager.delete('a')).toBe(true);
    expect(idsOf(await manager.list('task-1'))).toEqual(['b']);
  });

  test('is false for an unknown id', async () => {
    expect(await new CheckpointManager().delete('nope')).toBe(false);
  });

  test('with the last one the task is gone', async () => {
    const store = new MemoryStore();
    const manager = new CheckpointManager({ store });
    await manager.save(stateOf('a'));
    await manager.delete('a');
    expect((await manager.restore('task-1')).error).toBe('No checkpoints found for task: task-1');
    expect((await store.tasks()).items).toEqual([]);
  });
});

describe('deleteAll', () => {
  test('removes the task and counts', async () => {
    const manager = await managerWith(['a', 'b', 'c']);
    expect(await manager.deleteAll('task-1')).toBe(3);
    expect(await manager.list('task-1')).toEqual([]);
  });

  test('leaves other tasks alone', async () => {
    const manager = await managerWith(['a']);
    await manager.save(stateOf('x', 'task-2'));
    await manager.deleteAll('task-1');
    expect(idsOf(await manager.list('task-2'))).toEqual(['x']);
  });

  test('is zero for an unknown task', async () => {
    expect(await new CheckpointManager().deleteAll('nope')).toBe(0);
  });
});

describe('fork', () => {
  test('saves a child with a readable id, which becomes the latest', async () => {
    const store = new MemoryStore();
    const manager = new CheckpointManager({ store });
    await manager.save(stateOf('a'));
    await manager.save(stateOf('b'));
    const fork = await manager.fork('a');
    expect(fork).toEqual({ ...stateOf('a'), id: 'a-fork-1', createdAt: fork.createdAt });
    expect((await manager.restore('task-1')).checkpoint).toEqual(fork);
    expect((await store.checkpoints('task-1')).items[0]).toMatchObject({
      parentId: 'a',
      lineage: 'recorded',
      trigger: 'fork',
    });
    expect((await manager.fork('a')).id).toBe('a-fork-2');
  });

  test('takes an id and another task', async () => {
    const manager = await managerWith(['a']);
    expect(await manager.fork('a', { id: 'x', taskId: 'try' })).toMatchObject({ id: 'x', taskId: 'try' });
    expect(idsOf(await manager.list('task-1'))).toEqual(['a']);
  });

  test('touches nothing else in the stored text', async () => {
    const store = new MemoryStore();
    await store.save({
      task: 't',
      id: 'a',
      text: '{ "id":"a","n": 1.0, "pendingSteps" : [], "taskId":"t", "createdAt":"" }',
    });
    const { createdAt } = await new CheckpointManager({ store }).fork('a', { id: 'b' });
    const text = `{ "id":"b","n": 1.0, "pendingSteps" : [], "taskId":"t", "createdAt":"${createdAt}" }`;
    expect((await store.state({ task: 't', id: 'b' }))?.text).toBe(text);
  });

  test('refuses an option that it does not know', async () => {
    const options: object = { taskid: 'try' };
    await expect((await managerWith(['a'])).fork('a', options)).rejects.toMatchObject({
      code: 'invalid_input',
      data: { nearest: 'taskId' },
    });
  });

  test('refuses an id that is taken, and an unknown source', async () => {
    const manager = await managerWith(['a', 'b']);
    for (const id of ['b', 'a'])
      await expect(manager.fork('a', { id })).rejects.toMatchObject({
        code: 'changed',
        message: `Checkpoint "${id}" of task "task-1" already exists.`,
      });
    await expect(manager.fork('nope')).rejects.toMatchObject({ code: 'not_found' });
  });
});

test('createCheckpointManager passes the configuration on', async () => {
  const manager = createCheckpointManager({ maxPerTask: 1 });
  await manager.save(stateOf('a'));
  await manager.save(stateOf('b'));
  expect(idsOf(await manager.list('task-1'))).toEqual(['b']);
});
