import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diffJson, isChangeable, storeIdFrom } from '@checkpoint-inspector/core';
import type { CheckpointSource, Task } from '@checkpoint-inspector/core';
import { openSqliteStore, sqliteSystem } from '@checkpoint-inspector/stores/sqlite';
import { agentFrameworkSystem } from '@checkpoint-inspector/systems/agent-framework';
import { ctxSysSystem } from '@checkpoint-inspector/systems/ctx-sys';
import { kaizenSystem } from '@checkpoint-inspector/systems/kaizen';
import { langgraphSystem } from '@checkpoint-inspector/systems/langgraph';
import { rlmActSystem } from '@checkpoint-inspector/systems/rlm-act';
import { createRegistry, foreignSystems } from '@checkpoint-inspector/systems/registry';
import { createDemo, startLiveAgent } from './index.ts';
import type { Demo } from './index.ts';

describe('the demo', () => {
  let demo: Demo;
  const sources: CheckpointSource[] = [];
  const options = { label: 'demo', location: 'demo', nameStore: storeIdFrom };

  beforeAll(async () => {
    demo = await createDemo({ now: new Date('2026-03-01T12:00:00Z') });
    sources.push(
      ...(await sqliteSystem.open({ kind: 'path', path: join(demo.folder, 'research.db'), is: 'file' }, options)),
    );
    sources.push(
      ...(await kaizenSystem.open(
        { kind: 'path', path: join(demo.folder, '.kaizen/checkpoints'), is: 'folder' },
        options,
      )),
    );
    sources.push(
      ...(await langgraphSystem.open(
        { kind: 'path', path: join(demo.folder, 'checkpoints.sqlite'), is: 'file' },
        options,
      )),
    );
    sources.push(
      ...(await sqliteSystem.open({ kind: 'path', path: join(demo.folder, 'agents.db'), is: 'file' }, options)),
    );
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

  it('has a run that failed and a clean one, in a store with room for the whole story', async () => {
    expect(sources[0]?.info.notes).toEqual([expect.stringContaining('40')]);
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
    const [source] = await ctxSysSystem.open(
      { kind: 'path', path: join(demo.folder, '.ctx-sys/ctx-sys.db'), is: 'file' },
      options,
    );
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
      { kind: 'path', path: join(demo.folder, 'workflows'), is: 'folder' },
      options,
    );
    const project = { kind: 'path', path: join(demo.folder, 'code-migration'), is: 'folder' } as const;
    const [migration] = await rlmActSystem.open(project, options);
    expect((await workflows?.tasks())?.items).toMatchObject([
      { id: 'invoice-approval', checkpointCount: 4, status: 'interrupted' },
    ]);
    expect((await migration?.tasks())?.items).toMatchObject([
      {
        id: 'code-migration',
        checkpointCount: 56,
        unreadable: 1,
        status: 'failed',
        lastError: expect.stringContaining('3 tests failed'),
      },
    ]);
  });

  it('has a Mastra run with the answer of a person, and a coding session that was rewound once', async () => {
    const registry = createRegistry(foreignSystems);
    const tasksAt = async (name: string) => {
      const [source] = await registry.open(join(demo.folder, name), options);
      if (!source) throw new Error(`${name} is a store.`);
      const { items } = await source.tasks();
      const rows = await Promise.all(items.map(async ({ id }) => (await source.checkpoints(id)).items));
      await source.close?.();
      return { items, rows: rows.flat(), info: source.info };
    };
    const mastra = await tasksAt('mastra.db');
    expect(mastra.items).toMatchObject([{ id: 'release-2.4.0', status: 'completed', checkpointCount: 6 }]);
    const gemini = await tasksAt('.gemini');
    expect(gemini.info).toMatchObject({ system: 'gemini-cli', private: true });
    expect(gemini.items).toMatchObject([
      { title: 'The date test fails on my machine only. Why?', status: 'completed' },
    ]);
    expect(gemini.rows.filter(({ id }) => id.endsWith('#rewind'))).toHaveLength(1);
  });

  it('deployed the workflow again on its way: a restore from before warns and names the executors; one failed', async () => {
    const target = { kind: 'path', path: join(demo.folder, 'workflows'), is: 'folder' } as const;
    const [workflows] = await agentFrameworkSystem.open(target, options);
    if (!workflows || !isChangeable(workflows)) throw new Error('The workflows cannot be changed.');
    const ref = { task: 'invoice-approval', id: 'invoice_checker' };
    const { view } = await workflows.plan({ kind: 'restore', ref });
    const graph = view.warnings.find(({ code }) => code === 'graph_changed');
    expect(graph?.message).toContain('only in the latest: poster');
    expect(graph?.message).toContain('described differently: checker');
    const { items } = await workflows.checkpoints('invoice-approval');
    expect(items.map(({ id, status }) => `${id} ${status}`)).toContain('invoice_poster failed');
    expect(new Set(items.map((row) => row.graphSignature)).size).toBe(2);
    await workflows.close?.();
  });

  it('has a worker in a store that keeps ten: one id saved twice in its first place, the oldest evicted', async () => {
    const store = await openSqliteStore({ path: join(demo.folder, 'snapshots.db'), readOnly: true });
    const { items } = await store.checkpoints('deep-worker');
    expect(items.map(({ id }) => id)).toEqual([
      'worker-13',
      'worker-12',
      'worker-11',
      'worker-09',
      'worker-08',
      'worker-07',
      'worker-06',
      'findings',
      'worker-04',
      'worker-03',
    ]);
    expect(items.find(({ id }) => id === 'findings')?.description).toBe('collect findings, second draft');
    expect(items.at(-1)?.parentId).toBe('worker-02');
    await store.close();
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
