import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diffJson, storeIdFrom } from '@checkpoint-inspector/core';
import type { CheckpointSource, Task } from '@checkpoint-inspector/core';
import { openSqliteStore, sqliteSystem } from '@checkpoint-inspector/stores/sqlite';
import { agentFrameworkSystem } from '@checkpoint-inspector/systems/agent-framework';
import { ctxSysSystem } from '@checkpoint-inspector/systems/ctx-sys';
import { kaizenSystem } from '@checkpoint-inspector/systems/kaizen';
import { langgraphSystem } from '@checkpoint-inspector/systems/langgraph';
import { rlmActSystem } from '@checkpoint-inspector/systems/rlm-act';
import { createDemo, startLiveAgent } from './index.ts';
import type { Demo } from './index.ts';

describe('the demo', () => {
  let demo: Demo;
  const sources: CheckpointSource[] = [];
  const options = { label: 'demo', location: 'demo', nameStore: storeIdFrom };

  beforeAll(async () => {
    demo = await createDemo({ now: new Date('2026-03-01T12:00:00Z') });
    sources.push(...(await sqliteSystem.open({ kind: 'file', path: join(demo.folder, 'research.db') }, options)));
    sources.push(
      ...(await kaizenSystem.open({ kind: 'folder', path: join(demo.folder, '.kaizen/checkpoints') }, options)),
    );
    sources.push(
      ...(await langgraphSystem.open({ kind: 'file', path: join(demo.folder, 'checkpoints.sqlite') }, options)),
    );
    sources.push(...(await sqliteSystem.open({ kind: 'file', path: join(demo.folder, 'agents.db') }, options)));
  });
  afterAll(async () => {
    for (const source of sources) await source.close?.();
    await demo.remove();
    expect(existsSync(demo.folder)).toBe(false);
  });

  const tasksOf = async (at: number): Promise<readonly Task[]> => (await sources[at]?.tasks())?.items ?? [];

  it('plants the stale cache: +2 −1 ~3 ↕1 between step 6 and step 7', async () => {
    const [research] = sources;
    const text = async (id: string) => (await research?.state({ task: 'competitor-revenue', id }))?.text ?? '';
    const diff = diffJson(await text('ckpt-06'), await text('ckpt-07'), { ignore: research?.info.volatilePaths ?? [] });
    expect(diff.summary).toEqual({ added: 2, removed: 1, changed: 3, moved: 1 });
    expect(diff.items).toContainEqual({
      path: '$.context.revenue.CompanyB',
      kind: 'changed',
      before: '4.2',
      after: '4200',
    });
    expect(diff.items).toContainEqual(expect.objectContaining({ path: '$.context.sources[2]', kind: 'removed' }));
    expect(diff.items).toContainEqual(
      expect.objectContaining({ kind: 'moved', path: '$.conversation_history[1]', from: '$.conversation_history[4]' }),
    );
    expect(diff.ignored).toContainEqual({ rule: '$.updated_at', count: 1 });
  });

  it('fills the task that keeps ten, and says so', async () => {
    const tasks = await tasksOf(0);
    expect(tasks.map(({ id, checkpointCount, status }) => ({ id, checkpointCount, status }))).toEqual([
      { id: 'competitor-revenue', checkpointCount: 10, status: 'failed' },
      { id: 'clean-run', checkpointCount: 4, status: 'completed' },
    ]);
  });

  it('forks the Kaizen agent into three prompts, with a parent in another task, a missing one and a locked file', async () => {
    const tasks = await tasksOf(1);
    expect(tasks.map(({ id, kind }) => kind ?? id).toSorted()).toEqual([
      'experimental_agent',
      'prod_agent',
      'unassigned',
    ]);
    const rows = [];
    for await (const row of sources[1]?.lineage('prod_agent') ?? []) rows.push(row);
    const children = rows.filter((row) => row.parent?.id === 'ckpt_00000000102a').length;
    expect(children).toBe(3);
    const ids = new Set(rows.map((row) => row.id));
    expect(rows.filter((row) => row.parent && !ids.has(row.parent.id)).map((row) => row.parent?.id)).toEqual([
      'ckpt_000000001003',
    ]);
  });

  it('has a LangGraph thread that waits for a person, and one that failed', async () => {
    const tasks = await tasksOf(2);
    expect(new Map(tasks.map(({ id, status }) => [id, status]))).toEqual(
      new Map([
        ['support-4711', 'interrupted'],
        ['billing-question', 'failed'],
      ]),
    );
  });

  it('has a ctx-sys session that failed at its third step, and one that was resumed and completed', async () => {
    const [source] = await ctxSysSystem.open({ kind: 'file', path: join(demo.folder, '.ctx-sys/ctx-sys.db') }, options);
    const tasks = (await source?.tasks())?.items ?? [];
    expect(new Map(tasks.map(({ id, status }) => [id, status]))).toEqual(
      new Map([
        ['orders-monday', 'completed'],
        ['orders-tuesday', 'failed'],
      ]),
    );
    await source?.close?.();
  });

  it('has a workflow that waits for a person, and a pipeline whose tests fail', async () => {
    const [workflows] = await agentFrameworkSystem.open(
      { kind: 'folder', path: join(demo.folder, 'workflows') },
      options,
    );
    const [shop] = await rlmActSystem.open({ kind: 'folder', path: join(demo.folder, 'shop') }, options);
    expect((await workflows?.tasks())?.items).toMatchObject([
      { id: 'invoice-approval', checkpointCount: 3, status: 'interrupted' },
    ]);
    expect((await shop?.tasks())?.items).toMatchObject([
      { checkpointCount: 4, status: 'failed', lastError: expect.stringContaining('3 tests failed') },
    ]);
  });

  it('has a task of 2,000 checkpoints with forks', async () => {
    const [soak] = await tasksOf(3);
    expect(soak).toMatchObject({ id: 'soak-2000', checkpointCount: 2_000 });
  });

  it('runs a live agent that saves, fails now and then, and stops by itself', async () => {
    const store = await openSqliteStore({ path: join(demo.folder, 'live.db') });
    const errors: unknown[] = [];
    startLiveAgent(store, { everyMs: 1, saves: 24, onError: (error) => errors.push(error) });
    await expect.poll(async () => (await store.tasks()).items[0]?.checkpointCount).toBe(24);
    expect(errors).toEqual([]);
    const page = await store.checkpoints('live-research');
    expect(page.items.filter((row) => row.status === 'failed')).toHaveLength(1);
    expect(page.items[0]?.status).toBe('completed');
    await store.close();
  });
});
