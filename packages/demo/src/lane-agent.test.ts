import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { diffJson } from '@checkpoint-inspector/core';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import type { SqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { seedResearch, startLaneAgent } from './index.ts';
import type { LaneAgent } from './index.ts';

const TASK = 'competitor-revenue';
let folder: string;
let store: SqliteStore;
let agent: LaneAgent;
const errors: unknown[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lane-agent-'));
  store = await openSqliteStore({ path: join(folder, 'research.db'), maxPerTask: 40 });
  await seedResearch(store, new Date('2026-03-01T12:00:00Z'));
  agent = startLaneAgent(store, { everyMs: 1, onError: (error) => errors.push(error) });
});
afterEach(async () => {
  await agent.stop();
  await store.close();
  await rm(folder, { recursive: true, force: true });
  expect(errors.splice(0)).toEqual([]);
});

const ORIGINAL = Array.from({ length: 10 }, (_, at) => `ckpt-${String(at + 1).padStart(2, '0')}`);

const textOf = async (id: string): Promise<string> => (await store.state({ task: TASK, id }))?.text ?? '';
const ids = async (): Promise<string[]> => (await store.checkpoints(TASK)).items.map((row) => row.id);

/** As another program forks: with the state as it is, or with the cache switched off. */
async function fork(id: string, text: string, trigger: 'fork' | 'edit'): Promise<void> {
  const other = await openSqliteStore({ path: join(folder, 'research.db') });
  await other.save({ id, task: TASK, text, parent: { task: TASK, id: 'ckpt-06' }, trigger });
  await other.close();
}

describe('the agent of the fourth scene', () => {
  it('fills the lane of a correction: four steps, and the ranking differs in two rows', async () => {
    const wrong = await textOf('ckpt-10');
    await fork('corrected', (await textOf('ckpt-06')).replace('"cache":true', '"cache":false'), 'edit');
    await expect.poll(ids).toContain('fix-10');
    expect((await ids()).slice(0, 5)).toEqual(['fix-10', 'fix-09', 'fix-08', 'fix-07', 'corrected']);
    const { items } = diffJson(wrong, await textOf('fix-10'), {});
    expect(items.filter((row) => row.path.startsWith('$.context.ranking'))).toEqual([
      { path: '$.context.ranking.first', kind: 'changed', before: '"CompanyB"', after: '"CompanyA"' },
      { path: '$.context.ranking.second', kind: 'changed', before: '"CompanyA"', after: '"CompanyB"' },
    ]);
    expect((await store.checkpoints(TASK)).items[0]).toMatchObject({ status: 'completed', description: 'compile' });
  });

  it('is wrong again on a fork that leaves the cache on', async () => {
    await fork('same', await textOf('ckpt-06'), 'fork');
    await expect.poll(ids).toContain('fix-10');
    expect((await store.checkpoints(TASK)).items[0]).toMatchObject({ id: 'fix-10', status: 'failed' });
    expect(await textOf('fix-10')).toContain('"CompanyB":4200');
  });

  it('leaves a restored copy and a state it cannot read alone', async () => {
    await fork('odd', '{"context":1}', 'edit');
    await store.save({ id: 'copy', task: TASK, text: '{}', parent: { task: TASK, id: 'ckpt-06' }, trigger: 'restore' });
    await fork('corrected', (await textOf('ckpt-06')).replace('"cache":true', '"cache":false'), 'edit');
    await expect.poll(ids).toContain('fix-2-10');
    expect((await ids()).filter((id) => id.startsWith('fix-'))).toHaveLength(4);
  });

  it('lets the old run fail again, once, beside a corrected lane that it makes where there is none', async () => {
    await agent.retryOldRun();
    await agent.retryOldRun();
    const { items } = await store.checkpoints(TASK);
    // Nothing that the story promised to keep is lost: the cause #07, and #06, at which both lanes meet.
    expect(items.map((row) => row.id)).toEqual([
      'ckpt-11',
      'fix-10',
      'fix-09',
      'fix-08',
      'fix-07',
      'ckpt-06-edit-1',
      ...ORIGINAL.toReversed(),
    ]);
    expect(items[0]).toMatchObject({
      status: 'failed',
      description: 'compile',
      parentId: 'ckpt-10',
    });
  });
});
