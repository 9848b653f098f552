import type { ChangeRequest, CheckpointSource, PlannedView } from '@checkpoint-inspector/core';
import {
  computeGraphSignature,
  createCheckpoint,
  FileCheckpointStorage,
} from '@checkpoint-inspector/apis/agent-framework';
import { AgentFrameworkSource } from '@checkpoint-inspector/systems/agent-framework';
import { AgentState, FilesystemStorage } from '@checkpoint-inspector/apis/kaizen';
import { KaizenSource } from '@checkpoint-inspector/systems/kaizen';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createChangeService } from './service.ts';
import { makeBench, ref, restore, type Bench } from './testing/bench.ts';
import { STORE } from './testing/stores.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await makeBench();
});
afterEach(() => bench.close());

async function apply(source: CheckpointSource, request: ChangeRequest) {
  const service = createChangeService({ journal: bench.journal, sources: () => source, readOnly: false });
  const plan = await service.preview(STORE, request);
  return { plan, receipt: await service.apply(plan.id) };
}

async function kaizenFolder(): Promise<CheckpointSource> {
  const folder = join(bench.base, 'kaizen');
  const storage = new FilesystemStorage({ baseDir: folder });
  for (const [at, checkpointId] of ['old', 'mid', 'new'].entries()) {
    const timestamp = new Date(Date.UTC(2026, 0, 1, at));
    await storage.save(new AgentState({ checkpointId, agentId: 'agent', stepNumber: at, timestamp }));
  }
  return KaizenSource.open({ folder, id: STORE, label: 'test', location: folder });
}

async function agentFrameworkFolder(): Promise<CheckpointSource> {
  const folder = join(bench.base, 'agent-framework');
  const storage = new FileCheckpointStorage(folder);
  const graph = { startExecutorId: 'a', executors: [{ id: 'a', type: 'A' }], edges: [] };
  const context = { workflowId: 'agent', executionId: 'run', sharedState: new Map(), executorOutputs: new Map() };
  for (const [at, id] of ['old', 'mid', 'new'].entries()) {
    const made = createCheckpoint('agent', 'run', computeGraphSignature(graph), new Map(), context);
    await storage.saveCheckpoint(id, { ...made, timestamp: new Date(Date.UTC(2026, 0, 1, at)) });
  }
  return AgentFrameworkSource.open({ folder, id: STORE, label: 'test', location: folder, layout: 'documents' });
}

describe('a fork of an older checkpoint in its own task', () => {
  it.each([
    ['Kaizen', kaizenFolder],
    ['Agent Framework', agentFrameworkFolder],
  ])('of %s is proven: it reads back as planned, and the latest stays as planned', async (_, open) => {
    const source = await open();
    const old = { task: 'agent', id: 'old' };
    const { plan, receipt } = await apply(source, { kind: 'fork', ref: old });
    expect(plan.latestAfter).toEqual({ task: 'agent', id: 'new' });
    expect(receipt).toMatchObject({ proof: 'same', latestNow: { ref: plan.latestAfter } });
    expect(receipt).not.toHaveProperty('differs');
    expect(receipt.written[0]?.id).not.toBe('new');
  });
});

describe('the proof says which part is not as planned', () => {
  const applyPlanned = async (more: Partial<PlannedView>) => {
    const plan = await bench.store.plan(restore('c2'));
    vi.spyOn(bench.store, 'plan').mockResolvedValueOnce({ ...plan, view: { ...plan.view, ...more } });
    return (await apply(bench.store, restore('c2'))).receipt;
  };

  it('the written one, when it reads back as another state', async () => {
    expect(await applyPlanned({ proofHash: 'f'.repeat(64) })).toMatchObject({
      proof: 'different',
      differs: ['written'],
      latestNow: { ref: ref('c4') },
    });
  });

  it('the latest, when it is another checkpoint', async () => {
    expect(await applyPlanned({ latestAfter: ref('c3') })).toMatchObject({ proof: 'different', differs: ['latest'] });
  });

  it('both', async () => {
    const receipt = await applyPlanned({ proofHash: 'f'.repeat(64), latestAfter: ref('c3') });
    expect(receipt.differs).toEqual(['written', 'latest']);
  });

  it('the latest, when an undo brings back another one than before', async () => {
    const { receipt } = await apply(bench.store, restore('c2'));
    const real = bench.store.latest.bind(bench.store);
    vi.spyOn(bench.store, 'latest').mockImplementation(async () => {
      const latest = await real();
      return latest.ref?.id === 'c3' ? { ref: ref('c1'), basis: 'rule' } : latest;
    });
    const undone = await createChangeService({
      journal: bench.journal,
      sources: () => bench.store,
      readOnly: false,
    }).undo(receipt.id);
    expect(undone).toMatchObject({ proof: 'different', differs: ['latest'] });
  });

  it('neither, with a note, when what was written cannot be read', async () => {
    const state = bench.store.state.bind(bench.store);
    vi.spyOn(bench.store, 'state').mockImplementation(async (asked) => {
      if (asked.id === 'c4') throw new Error('the disk is gone');
      return state(asked);
    });
    const { receipt } = await apply(bench.store, restore('c2'));
    expect(receipt).toMatchObject({ proof: 'none', latestNow: { ref: ref('c4') } });
    expect(receipt.latestNow.note).toContain('the disk is gone');
  });
});
