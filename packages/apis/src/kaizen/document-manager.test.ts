// One test per item that Kaizen's document names about its manager and its hooks.
import { describe, expect, it, vi } from 'vitest';
import {
  AgentState,
  FilesystemStorage,
  HookEvent,
  HookManager,
  HookResult,
  StateManager,
  Timestamp,
  type HookContext,
  type StateManagerOptions,
} from './index.ts';
import { temporaryFolder } from '@checkpoint-inspector/systems/testing/kaizen/fixtures/open';

async function managed(options: StateManagerOptions = {}) {
  const storage = new FilesystemStorage({ baseDir: await temporaryFolder() });
  return { storage, manager: new StateManager({ storage, ...options }) };
}

const at = (second: number) =>
  Timestamp.fromisoformat(`2026-03-14T09:00:${String(second).padStart(2, '0')}.000001+00:00`);

/** Saves one checkpoint per second, ids a0, a1, … */
async function fill(manager: StateManager, count: number, agentId = 'a'): Promise<void> {
  for (let n = 0; n < count; n++) {
    await manager.saveCheckpoint(
      new AgentState({ checkpointId: `${agentId}${n}`, agentId, stepNumber: n, timestamp: at(n) }),
    );
  }
}

const idsIn = async (manager: StateManager, agentId?: string) =>
  (await manager.listCheckpoints(agentId)).map((item) => item.checkpointId);

describe('StateManager()', () => {
  it('storage: FilesystemStorage by default, in .kaizen/checkpoints', async () => {
    const folder = await temporaryFolder();
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder);
    const { storage } = new StateManager();
    cwd.mockRestore();
    expect(storage).toBeInstanceOf(FilesystemStorage);
    expect((storage as FilesystemStorage).baseDir).toBe('.kaizen/checkpoints');
  });

  it('checkpoint_frequency: 10 by default', async () => {
    expect((await managed()).manager.checkpointFrequency).toBe(10);
  });

  it('checkpoint_interval: 60 seconds by default', async () => {
    expect((await managed()).manager.checkpointInterval).toBe(60);
  });

  it('retention_count: 100 by default, and never under 1', async () => {
    const { storage, manager } = await managed();
    expect(manager.retentionCount).toBe(100);
    for (const retentionCount of [0, -1, 1.5, NaN]) {
      expect(() => new StateManager({ storage, retentionCount })).toThrow('retentionCount');
    }
  });

  it('hook_manager: none by default', async () => {
    expect((await managed()).manager.hookManager).toBeUndefined();
  });
});

describe('should_checkpoint', () => {
  const now = Date.now() / 1000;
  const saved = async (options: StateManagerOptions = {}) => {
    const { manager } = await managed(options);
    await manager.saveCheckpoint(new AgentState({ agentId: 'a', stepNumber: 100 }));
    return manager;
  };

  it('is true before the first save of an agent', async () => {
    const manager = await saved();
    expect(manager.shouldCheckpoint('other', 0, 0)).toBe(true);
    expect(manager.shouldCheckpoint('other', 1, now)).toBe(true);
  });

  it('current_step: true from checkpoint_frequency steps on', async () => {
    const manager = await saved({ checkpointFrequency: 5 });
    expect([100, 104, 105, 106].map((step) => manager.shouldCheckpoint('a', step, now))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it('current_time: true from checkpoint_interval seconds on', async () => {
    const manager = await saved({ checkpointInterval: 30 });
    const later = Date.now() / 1000;
    expect([0, 29, 30.5].map((seconds) => manager.shouldCheckpoint('a', 101, later + seconds))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('is true if either condition is met', async () => {
    const manager = await saved();
    expect(manager.shouldCheckpoint('a', 110, now)).toBe(true);
    expect(manager.shouldCheckpoint('a', 100, now + 100)).toBe(true);
  });
});

describe('save_checkpoint', () => {
  it('state: is saved, and its checkpoint_id returned', async () => {
    const { manager, storage } = await managed();
    const state = new AgentState({ agentId: 'a' });
    expect(await manager.saveCheckpoint(state)).toBe(state.checkpointId);
    expect(await storage.exists(state.checkpointId)).toBe(true);
  });

  it('force: saves, as without it', async () => {
    const { manager } = await managed();
    const state = new AgentState({ agentId: 'a' });
    for (const force of [true, false]) expect(await manager.saveCheckpoint(state, force)).toBe(state.checkpointId);
  });

  it('raises when the save fails, and then the tracking has not moved', async () => {
    const { manager, storage } = await managed();
    vi.spyOn(storage, 'save').mockRejectedValueOnce(new Error('disk full'));
    await expect(manager.saveCheckpoint(new AgentState({ agentId: 'a' }))).rejects.toThrow('disk full');
    expect(manager.shouldCheckpoint('a', 0, Date.now() / 1000)).toBe(true);
  });

  it('updates tracking for should_checkpoint logic', async () => {
    const { manager } = await managed();
    await manager.saveCheckpoint(new AgentState({ agentId: 'a', stepNumber: 7 }));
    expect(manager.shouldCheckpoint('a', 16, Date.now() / 1000)).toBe(false);
    expect(manager.shouldCheckpoint('a', 17, Date.now() / 1000)).toBe(true);
  });

  it('triggers hooks before and after save', async () => {
    const hookManager = new HookManager();
    const { manager, storage } = await managed({ hookManager });
    const seen: unknown[] = [];
    const hook = async ({ eventType, data }: HookContext) => {
      seen.push([eventType, data['checkpoint_id'], await storage.exists('one')]);
      return new HookResult({ success: true });
    };
    hookManager.register(HookEvent.PRE_CHECKPOINT_SAVE, hook);
    hookManager.register(HookEvent.POST_CHECKPOINT_SAVE, hook);
    await manager.saveCheckpoint(new AgentState({ checkpointId: 'one', agentId: 'a' }));
    expect(seen).toEqual([
      ['pre_checkpoint_save', undefined, false],
      ['post_checkpoint_save', 'one', true],
    ]);
  });

  it('automatically calls cleanup_old_checkpoints, which cannot make it fail', async () => {
    const { manager, storage } = await managed({ retentionCount: 2 });
    await fill(manager, 4);
    expect(await idsIn(manager)).toEqual(['a3', 'a2']);
    vi.spyOn(storage, 'listCheckpoints').mockRejectedValueOnce(new Error('no list'));
    await fill(manager, 1, 'b');
    expect(manager.cleanupFailures).toMatchObject([{ agentId: 'b', error: { message: 'no list' } }]);
  });

  it('never cleans up what it has just saved, a fork of an old checkpoint', async () => {
    const { manager } = await managed({ retentionCount: 3 });
    await fill(manager, 3);
    const fork = await manager.forkFromCheckpoint('a0');
    await manager.saveCheckpoint(fork);
    expect((await idsIn(manager)).toSorted()).toEqual(['a1', 'a2', fork.checkpointId].toSorted());
  });
});

describe('load_checkpoint', () => {
  it('checkpoint_id: gives the state back', async () => {
    const { manager } = await managed();
    const state = new AgentState({ agentId: 'a', stepNumber: 3, memoryContents: { x: [1.5, null] } });
    expect(await manager.loadCheckpoint(await manager.saveCheckpoint(state))).toEqual(state);
  });

  it('raises not_found if the checkpoint does not exist', async () => {
    const { manager } = await managed();
    await expect(manager.loadCheckpoint('none')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('resume_from_latest', () => {
  it('agent_id: loads its most recent checkpoint', async () => {
    const { manager } = await managed();
    await fill(manager, 3);
    await fill(manager, 5, 'b');
    expect((await manager.resumeFromLatest('a'))?.checkpointId).toBe('a2');
  });

  it('returns None if the agent has no checkpoints', async () => {
    const { manager } = await managed();
    await fill(manager, 1);
    expect(await manager.resumeFromLatest('nobody')).toBeUndefined();
    expect(await manager.resumeFromLatest('')).toBeUndefined();
  });
});

describe('fork_from_checkpoint', () => {
  it('returns a new state with a new checkpoint_id and parent_checkpoint_id set to the original', async () => {
    const { manager } = await managed();
    await fill(manager, 1);
    const fork = await manager.forkFromCheckpoint('a0');
    expect(fork.checkpointId).toMatch(/^ckpt_[0-9a-f]{12}$/);
    expect(fork.parentCheckpointId).toBe('a0');
  });

  it('keeps all else, the timestamp included', async () => {
    const { manager } = await managed();
    await fill(manager, 1);
    const [original, fork] = [await manager.loadCheckpoint('a0'), await manager.forkFromCheckpoint('a0')];
    expect({ ...fork, checkpointId: 'a0', parentCheckpointId: undefined }).toEqual({ ...original });
    expect(Timestamp.isoformat(fork.timestamp)).toBe('2026-03-14T09:00:00.000001+00:00');
  });

  it('creates an independent execution branch', async () => {
    const { manager } = await managed();
    await fill(manager, 1);
    const fork = await manager.forkFromCheckpoint('a0');
    fork.metadata['purpose'] = 'test';
    await manager.saveCheckpoint(fork);
    expect((await manager.loadCheckpoint('a0')).metadata).toEqual({});
    expect((await manager.loadCheckpoint(fork.checkpointId)).metadata).toEqual({ purpose: 'test' });
  });

  it('automatically saves the forked checkpoint', async () => {
    const { manager } = await managed();
    await fill(manager, 1);
    const fork = await manager.forkFromCheckpoint('a0');
    expect(await manager.loadCheckpoint(fork.checkpointId)).toEqual(fork);
  });

  it('raises not_found if the checkpoint does not exist', async () => {
    const { manager } = await managed();
    await expect(manager.forkFromCheckpoint('none')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('list_checkpoints', () => {
  it('agent_id: only those of the agent', async () => {
    const { manager } = await managed();
    await fill(manager, 2);
    await fill(manager, 2, 'b');
    expect(await idsIn(manager, 'b')).toEqual(['b1', 'b0']);
    expect(await idsIn(manager, '')).toEqual([]);
  });

  it('None: all, sorted by timestamp, newest first', async () => {
    const { manager } = await managed();
    await fill(manager, 3);
    await fill(manager, 1, 'b');
    expect(await idsIn(manager)).toEqual(['a2', 'a1', 'b0', 'a0']);
  });
});

describe('cleanup_old_checkpoints', () => {
  it('keeps the latest retention_count of the agent and returns the number deleted', async () => {
    const { manager, storage } = await managed();
    await fill(manager, 5);
    await fill(manager, 5, 'b');
    const strict = new StateManager({ storage, retentionCount: 2 });
    expect(await strict.cleanupOldCheckpoints('a')).toBe(3);
    expect(await strict.cleanupOldCheckpoints('a')).toBe(0);
    expect(await idsIn(manager, 'a')).toEqual(['a4', 'a3']);
    expect(await idsIn(manager, 'b')).toHaveLength(5);
  });

  it('preserves the most recent checkpoints by their microseconds', async () => {
    const { manager } = await managed({ retentionCount: 1 });
    for (const micros of ['000002', '000003', '000001']) {
      const timestamp = Timestamp.fromisoformat(`2026-03-14T09:00:00.${micros}+00:00`);
      await manager.storage.save(new AgentState({ checkpointId: `m${micros}`, agentId: 'a', timestamp }));
    }
    expect(await manager.cleanupOldCheckpoints('a')).toBe(2);
    expect(await idsIn(manager)).toEqual(['m000003']);
  });

  it('logs errors but continues on failure', async () => {
    const { manager, storage } = await managed();
    await fill(manager, 5);
    const remove = storage.delete.bind(storage);
    const refuse = (id: string) => (id === 'a1' ? Promise.reject(new Error('not permitted')) : remove(id));
    vi.spyOn(storage, 'delete').mockImplementation(refuse);
    const strict = new StateManager({ storage, retentionCount: 2 });
    expect(await strict.cleanupOldCheckpoints('a')).toBe(2);
    expect(await idsIn(strict)).toEqual(['a4', 'a3', 'a1']);
    expect(strict.cleanupFailures).toMatchObject([{ checkpointId: 'a1', error: { message: 'not permitted' } }]);
  });

  it('raises when the checkpoints cannot be listed', async () => {
    const { manager, storage } = await managed();
    vi.spyOn(storage, 'listCheckpoints').mockRejectedValueOnce(new Error('no list'));
    await expect(manager.cleanupOldCheckpoints('a')).rejects.toThrow('no list');
  });
});

it('get_checkpoint_tree: each parent with its children, newest first', async () => {
  const { manager } = await managed();
  await fill(manager, 2);
  const child = (id: string, parent: string, second: number, agentId = 'a') =>
    manager.saveCheckpoint(
      new AgentState({ checkpointId: id, agentId, parentCheckpointId: parent, timestamp: at(second) }),
    );
  await child('old', 'a0', 10);
  await child('new', 'a0', 11);
  await child('deep', 'new', 12);
  await child('gone', 'pruned', 13);
  await child('foreign', 'a0', 14, 'b');
  expect(await manager.getCheckpointTree('a')).toEqual({ a0: ['new', 'old'], new: ['deep'], pruned: ['gone'] });
  expect(await manager.getCheckpointTree('nobody')).toEqual({});
});

describe('hooks', () => {
  const withHooks = async (...hooks: ((context: HookContext) => Promise<HookResult>)[]) => {
    const hookManager = new HookManager({ timeout: 0.05 });
    for (const event of [HookEvent.PRE_CHECKPOINT_SAVE, HookEvent.POST_CHECKPOINT_SAVE]) {
      for (const hook of hooks) hookManager.register(event, hook);
    }
    return { hookManager, ...(await managed({ hookManager })) };
  };
  const state = () => new AgentState({ checkpointId: 'one', agentId: 'a', stepNumber: 4 });

  it.each([
    ['PRE_CHECKPOINT_SAVE', 0, undefined],
    ['POST_CHECKPOINT_SAVE', 1, 'one'],
  ] as const)('%s: is told agent_id, step_number, status and time', async (event, place, checkpointId) => {
    const contexts: HookContext[] = [];
    const { manager } = await withHooks(async (context) => {
      contexts.push(context);
      return new HookResult({ success: true });
    });
    await manager.saveCheckpoint(state());
    expect(contexts).toHaveLength(2);
    expect(contexts[place]).toMatchObject({ eventType: HookEvent[event], agentId: 'a' });
    const { timestamp, ...data } = contexts[place]?.data ?? {};
    const id = checkpointId === undefined ? {} : { checkpoint_id: checkpointId };
    expect(data).toEqual({ agent_id: 'a', step_number: 4, status: 'running', ...id });
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(5);
  });

  it('HookManager.register: any number, in order; unregister removes one', async () => {
    const hooks = new HookManager();
    const seen: string[] = [];
    const hook = (name: string) => () => {
      seen.push(name);
      return new HookResult({ success: true });
    };
    const [first, second] = [hook('first'), hook('second')];
    hooks.register(HookEvent.PRE_CHECKPOINT_SAVE, first);
    hooks.register(HookEvent.PRE_CHECKPOINT_SAVE, second);
    await hooks.trigger(HookEvent.PRE_CHECKPOINT_SAVE, 'a', {});
    await hooks.trigger(HookEvent.POST_CHECKPOINT_SAVE, 'a', {});
    expect(hooks.unregister(HookEvent.PRE_CHECKPOINT_SAVE, first)).toBe(true);
    expect(hooks.unregister(HookEvent.PRE_CHECKPOINT_SAVE, first)).toBe(false);
    await hooks.trigger(HookEvent.PRE_CHECKPOINT_SAVE, 'a', {});
    expect(seen).toEqual(['first', 'second', 'second']);
  });

  it('HookResult: success, data, error and how long it took', async () => {
    expect(new HookResult({ success: true })).toEqual({
      success: true,
      data: undefined,
      error: undefined,
      durationMs: 0,
    });
    const hooks = new HookManager();
    hooks.register(HookEvent.PRE_CHECKPOINT_SAVE, async () => new HookResult({ success: true, data: { x: 1 } }));
    const [result] = await hooks.trigger(HookEvent.PRE_CHECKPOINT_SAVE, 'a', {});
    expect(result).toMatchObject({ success: true, data: { x: 1 } });
    expect(result?.durationMs).toBeGreaterThan(0);
  });

  it.each([
    ['fails', async () => new HookResult({ success: false, error: 'audit says no' }), 'audit says no'],
    ['throws', async () => Promise.reject(new Error('thrown')), 'thrown'],
    ['never ends', () => new Promise<HookResult>(() => undefined), 'did not finish within 0.05 s'],
  ] as const)('a hook that %s is recorded and never stops a save', async (_, bad, words) => {
    const { manager, hookManager, storage } = await withHooks(bad);
    expect(await manager.saveCheckpoint(state())).toBe('one');
    expect(await storage.exists('one')).toBe(true);
    expect(hookManager.failures.map((failure) => failure.event)).toEqual([
      'pre_checkpoint_save',
      'post_checkpoint_save',
    ]);
    expect(hookManager.failures[0]?.error).toContain(words);
  });

  it('a hook cannot change what the next one is told', async () => {
    const { manager, hookManager } = await withHooks(async ({ data }) => {
      (data as { agent_id: string }).agent_id = 'forged';
      return new HookResult({ success: true });
    });
    await manager.saveCheckpoint(state());
    expect(hookManager.failures[0]?.error).toContain('read only');
  });
});
