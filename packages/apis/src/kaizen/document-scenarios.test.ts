// The examples, the listed scenarios and the key features of Kaizen's document, one test each.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  AgentState,
  FilesystemStorage,
  HookEvent,
  HookManager,
  HookResult,
  StateManager,
  StateSnapshot,
  type FilesystemStorageOptions,
  type HookContext,
  type StateManagerOptions,
} from './index.ts';
import { temporaryFolder } from '@checkpoint-inspector/systems/testing/kaizen/fixtures/open';
import { goldenState } from './fixtures/golden.ts';

async function managed(options: StateManagerOptions = {}, files: FilesystemStorageOptions = {}) {
  const baseDir = await temporaryFolder();
  const storage = new FilesystemStorage({ baseDir, ...files });
  return { baseDir, storage, manager: new StateManager({ storage, ...options }) };
}

describe('example usage', () => {
  it('CheckpointMetadata: list checkpoints without their states', async () => {
    const { manager } = await managed();
    await manager.saveCheckpoint(new AgentState({ agentId: 'research_agent', stepNumber: 42 }));
    const [item] = await manager.listCheckpoints('research_agent');
    expect(item).toMatchObject({ agentId: 'research_agent', stepNumber: 42, status: 'running' });
    expect(item?.sizeBytes).toBeGreaterThan(500);
    expect(item?.timestamp).toBeInstanceOf(Date);
  });

  it('StateSnapshot: summary of a state before deployment', () => {
    const snapshot = new StateSnapshot({ state: goldenState(), snapshotReason: 'pre_deployment_validation' });
    const summary = snapshot.getSummary();
    expect(`${String(summary['agent_id'])} ${String(summary['snapshot_reason'])}`).toBe(
      'research_agent pre_deployment_validation',
    );
    expect(Number(summary['budget_spent_usd']).toFixed(4)).toBe('0.0000');
  });

  it('StateManager: save, resume, fork, list, clean up', async () => {
    const hookManager = new HookManager();
    const { manager } = await managed({
      checkpointFrequency: 10,
      checkpointInterval: 60,
      retentionCount: 100,
      hookManager,
    });
    const state = new AgentState({ agentId: 'my_agent', stepNumber: 42 });
    expect(manager.shouldCheckpoint('my_agent', 42, Date.now() / 1000)).toBe(true);
    const checkpointId = await manager.saveCheckpoint(state);
    expect((await manager.resumeFromLatest('my_agent'))?.stepNumber).toBe(42);
    const forked = await manager.forkFromCheckpoint(checkpointId);
    expect(forked.checkpointId).not.toBe(checkpointId);
    expect(await manager.listCheckpoints('my_agent')).toHaveLength(2);
    expect(await manager.cleanupOldCheckpoints('my_agent')).toBe(0);
  });

  it.each([
    ['Plain', {}, '.jsonl'],
    ['Compressed', { compress: true }, '.jsonl.gz'],
    ['Encrypted', { encrypt: true, encryptionKey: 'your-secret-passphrase' }, '.enc.jsonl'],
    [
      'Encrypted + Compressed',
      { compress: true, encrypt: true, encryptionKey: 'your-secret-passphrase' },
      '.enc.gz.jsonl',
    ],
  ])('FilesystemStorage (%s): save, load, list', async (_, options, ending) => {
    const { baseDir, storage } = await managed({}, options);
    const checkpointId = await storage.save(goldenState());
    expect(await readdir(baseDir)).toEqual([checkpointId + ending]);
    expect(await storage.load(checkpointId)).toEqual(goldenState());
    expect(await storage.listCheckpoints('research_agent')).toHaveLength(1);
  });
});

describe('checkpoint workflow', () => {
  it('Automatic Checkpointing: every 10 steps of 100', async () => {
    const { manager } = await managed({ checkpointFrequency: 10, checkpointInterval: 60, retentionCount: 50 });
    const state = new AgentState({ agentId: 'my_agent' });
    const saved: number[] = [];
    for (let step = 0; step < 100; step++) {
      state.stepNumber = step;
      if (!manager.shouldCheckpoint(state.agentId, step, Date.now() / 1000)) continue;
      expect(await manager.saveCheckpoint(state)).toBe(state.checkpointId);
      saved.push(step);
    }
    expect(saved).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
    // One state keeps one id: each save replaces the one before, as in Kaizen.
    expect((await manager.listCheckpoints('my_agent')).map((item) => item.stepNumber)).toEqual([90]);
  });

  it('Resume from Crash: continues after the last step, or starts fresh', async () => {
    const { storage, manager } = await managed();
    expect(await manager.resumeFromLatest('my_agent')).toBeUndefined();
    await manager.saveCheckpoint(new AgentState({ agentId: 'my_agent', stepNumber: 17 }));
    const state = await new StateManager({ storage }).resumeFromLatest('my_agent');
    expect((state?.stepNumber ?? -1) + 1).toBe(18);
  });

  it('Forking for Experimentation: into another agent, with its parent', async () => {
    const { manager } = await managed();
    await manager.saveCheckpoint(new AgentState({ agentId: 'prod_agent', metadata: { prompt: 'v1' } }));
    const production = (await manager.listCheckpoints('prod_agent'))[0]?.checkpointId ?? '';
    const experimental = await manager.forkFromCheckpoint(production);
    experimental.agentId = 'experimental_agent';
    experimental.metadata['purpose'] = 'testing_new_strategy';
    const checkpointId = await manager.saveCheckpoint(experimental);
    const saved = await manager.resumeFromLatest('experimental_agent');
    expect(saved).toMatchObject({ checkpointId, parentCheckpointId: production });
    expect(saved?.metadata).toEqual({ prompt: 'v1', purpose: 'testing_new_strategy' });
    expect((await manager.listCheckpoints('prod_agent')).map((item) => item.checkpointId)).toEqual([production]);
  });
});

it('Example Hook: audit before and after the save', async () => {
  const lines: string[] = [];
  const audit = async ({ data }: HookContext) => {
    lines.push(
      `${String(data['agent_id'])} ${String(data['step_number'])} ${String(data['checkpoint_id'] ?? 'pending')}`,
    );
    return new HookResult({ success: true });
  };
  const hookManager = new HookManager();
  hookManager.register(HookEvent.PRE_CHECKPOINT_SAVE, audit);
  hookManager.register(HookEvent.POST_CHECKPOINT_SAVE, audit);
  const { manager } = await managed({ hookManager });
  const id = await manager.saveCheckpoint(new AgentState({ agentId: 'a', stepNumber: 3 }));
  expect(lines).toEqual(['a 3 pending', `a 3 ${id}`]);
});

describe('testing', () => {
  it('Unit: test_save_load_checkpoint', async () => {
    const { manager } = await managed();
    const original = new AgentState({
      agentId: 'test_agent',
      stepNumber: 42,
      conversationHistory: [{ user: 'test', agent: 'response' }],
    });
    const restored = await manager.loadCheckpoint(await manager.saveCheckpoint(original));
    expect(restored.agentId).toBe(original.agentId);
    expect(restored.stepNumber).toBe(original.stepNumber);
    expect(restored.conversationHistory).toHaveLength(1);
  });

  it('Integration: test_checkpoint_with_encryption', async () => {
    const encryptionKey = 'test-encryption-key-32-bytes!!';
    const { storage, manager } = await managed({}, { encrypt: true, encryptionKey });
    const state = new AgentState({ agentId: 'secure_agent', metadata: { api_key: 'secret-key-12345' } });
    const checkpointId = await manager.saveCheckpoint(state);
    const bytes = await readFile(join(storage.baseDir, `${checkpointId}.enc.jsonl`));
    expect(bytes.includes('secret-key')).toBe(false);
    expect((await manager.loadCheckpoint(checkpointId)).metadata['api_key']).toBe('secret-key-12345');
  });

  it('E2E: test_checkpoint_resume_after_crash', async () => {
    const { storage, manager } = await managed({ checkpointFrequency: 5, retentionCount: 10 });
    for (let step = 0; step < 20; step++) {
      const state = new AgentState({ agentId: 'crash_test_agent', stepNumber: step, conversationHistory: [{ step }] });
      if (step % 5 === 0) await manager.saveCheckpoint(state);
    }
    const restored = await new StateManager({ storage }).resumeFromLatest('crash_test_agent');
    expect(restored?.stepNumber).toBe(15);
    expect((await manager.listCheckpoints('crash_test_agent')).length).toBeLessThanOrEqual(10);
  });
});

describe('key features', () => {
  it('Automatic Checkpointing: by steps or by seconds', async () => {
    const { manager } = await managed({ checkpointFrequency: 3, checkpointInterval: 0.5 });
    await manager.saveCheckpoint(new AgentState({ agentId: 'a' }));
    const now = Date.now() / 1000;
    expect([manager.shouldCheckpoint('a', 2, now), manager.shouldCheckpoint('a', 3, now)]).toEqual([false, true]);
    expect(manager.shouldCheckpoint('a', 0, now + 0.6)).toBe(true);
  });

  it('Resume/Fork Operations: on encrypted and compressed files too', async () => {
    const { manager } = await managed({}, { compress: true, encrypt: true, encryptionKey: 'any passphrase' });
    await manager.saveCheckpoint(new AgentState({ checkpointId: 'one', agentId: 'a', stepNumber: 1 }));
    const fork = await manager.forkFromCheckpoint('one');
    expect(await manager.getCheckpointTree('a')).toEqual({ one: [fork.checkpointId] });
    expect((await manager.resumeFromLatest('a'))?.checkpointId).toBe(fork.checkpointId);
  });

  it('Retention Policies: 12 saves leave the 10 newest, encrypted ones too', async () => {
    const { manager, baseDir } = await managed(
      { retentionCount: 10 },
      { encrypt: true, encryptionKey: 'any passphrase' },
    );
    for (let n = 0; n < 12; n++) await manager.saveCheckpoint(new AgentState({ checkpointId: `c${n}`, agentId: 'a' }));
    expect((await readdir(baseDir)).toSorted()).not.toContain('c1.enc.jsonl');
    expect(await manager.listCheckpoints('a')).toHaveLength(10);
  });

  it('Compression: a smaller file', async () => {
    const state = new AgentState({ checkpointId: 'one', metadata: { text: 'the same words again. '.repeat(500) } });
    const sizes: number[] = [];
    for (const compress of [false, true]) {
      const { storage } = await managed({}, { compress });
      await storage.save(state);
      sizes.push((await storage.listCheckpoints())[0]?.sizeBytes ?? 0);
    }
    expect(sizes[1]).toBeLessThan((sizes[0] ?? 0) / 2);
  });

  it('Version History: AgentState has more than 15 state fields', () => {
    expect(Object.keys(new AgentState().toDict())).toHaveLength(24);
  });
});
