/** Saving to a database of ctx-sys: its own loader has to resume from what was saved, and the inspector to show it. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { storeId } from '@checkpoint-inspector/core';
import { openSqlite } from '@checkpoint-inspector/io';
import { createCtxSysCheckpointManager } from '@checkpoint-inspector/apis/ctx-sys';
import { defaultRegistry, createStoreService } from '@checkpoint-inspector/inspector';
import { readResult } from './testing/client.ts';
import { callTool, toolsFor } from './call.ts';
import { toolDeps } from './testing/deps.ts';

const projectDdl = (table: string) => `CREATE TABLE ${table} (
  id TEXT PRIMARY KEY, session_id TEXT NOT NULL, step_number INTEGER NOT NULL,
  created_at DATETIME DEFAULT CURRENT_TIMESTAMP, state_json TEXT NOT NULL,
  description TEXT, trigger_type TEXT NOT NULL, duration_ms INTEGER, token_usage INTEGER);`;
const PROJECTS = `CREATE TABLE projects (id TEXT PRIMARY KEY, name TEXT UNIQUE NOT NULL, path TEXT NOT NULL);
  INSERT INTO projects VALUES ('shop-1', 'shop', '/shop'), ('blog', 'blog', '/blog');`;

let cleanUp: (() => Promise<void>) | undefined;
afterEach(() => cleanUp?.());

async function database(make: (path: string) => Promise<void> | void) {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-ctx-sys-'));
  const path = join(folder, 'ctx-sys.db');
  await make(path);
  const stores = createStoreService({ registry: defaultRegistry() });
  await stores.open(path, 'db');
  cleanUp = async () => {
    await stores.closeAll();
    rmSync(folder, { recursive: true });
  };
  const deps = toolDeps(stores);
  const call = async (name: string, args: object) => readResult(await callTool(deps, name, args));
  return {
    path,
    stores,
    deps,
    save: (sessionId: string, text: string, more: object = {}) =>
      call('checkpoint_save', { sessionId, state: { text }, ...more }),
    load: (sessionId: string, more: object = {}) => call('checkpoint_load', { sessionId, ...more }),
    latest: async (session: string, projectId?: string) => {
      const manager = await createCtxSysCheckpointManager({ path, projectId });
      const found = await manager.loadLatest(session);
      manager.close();
      return found;
    },
  };
}

function execute(path: string, sql: string): void {
  const db = openSqlite(path, { readOnly: false, create: true });
  db.exec(sql);
  db.close();
}

const oneProject = () => database((path) => execute(path, PROJECTS + projectDdl('p_shop_1_checkpoints')));
const twoProjects = () =>
  database((path) => execute(path, PROJECTS + projectDdl('p_shop_1_checkpoints') + projectDdl('p_blog_checkpoints')));

const planned = (step: number) =>
  `{"query": "q", "plan": [{"id":"a","description":"d","action":"x","parameters":{},"status":"completed"}], ` +
  `"currentStepIndex": ${step}, "results": [], "context": {"big": 12345678901234567890}}`;

describe('checkpoint_save to a database of ctx-sys', () => {
  it('is offered, and keeps the state of its document as it is, at its step', async () => {
    const { deps, save, latest, stores } = await oneProject();
    expect(toolsFor(deps).map(({ name: tool }) => tool)).toContain('checkpoint_save');
    const { checkpoint } = await save('run', planned(1), { description: 'by hand' });
    expect(checkpoint).toMatchObject({
      sessionId: 'run',
      stepNumber: 1,
      triggerType: 'manual',
      description: 'by hand',
    });
    expect(await latest('run')).toMatchObject({ id: checkpoint?.id, projectId: 'shop-1', stepNumber: 1 });
    const stored = await stores.source(storeId('db')).state({ task: 'run', id: checkpoint?.id ?? '' });
    expect(stored?.text).toBe(planned(1));
  });

  it('makes any other object the context of a state, a step above all others', async () => {
    const { save, latest, load } = await oneProject();
    await save('run', planned(4));
    const { checkpoint } = await save('run', '{"note": 1.0}');
    expect(await latest('run')).toMatchObject({ stepNumber: 5, state: { plan: [], context: { note: 1 } } });
    const loaded = await load('run');
    expect(loaded.checkpoint?.id).toBe(checkpoint?.id);
    expect(loaded.text).toContain('"context":{"note": 1.0}');
  });

  it('goes to the project that knows the session, else names the projects', async () => {
    const { save, latest, load } = await twoProjects();
    const { error } = await save('new', '{}');
    expect(error).toMatchObject({ code: 'invalid_input', data: { stores: ['db-blog', 'db-shop-1'] } });
    const first = await save('new', '{"n":1}', { store: 'db-blog' });
    expect(first.isError).toBe(false);
    const second = await save('new', '{"n":2}');
    expect(second.checkpoint).toMatchObject({ store: 'db-blog', stepNumber: 2 });
    expect(await latest('new', 'blog')).toMatchObject({ id: second.checkpoint?.id, projectId: 'blog' });
    expect(await latest('new', 'shop-1')).toBeNull();
    expect((await load('new')).checkpoint?.id).toBe(second.checkpoint?.id);
  });

  it("goes to the table of the document too, under the project of the session's rows", async () => {
    const { save, latest } = await database(async (path) => {
      const manager = await createCtxSysCheckpointManager({ path });
      const state = { query: '', plan: [], currentStepIndex: 0, results: [], context: {} };
      await manager.save('mine', 'project-a', state);
      await manager.save('other', 'project-b', state);
      manager.close();
    });
    const { checkpoint } = await save('mine', '{"n":1}');
    expect(await latest('mine')).toMatchObject({ id: checkpoint?.id, projectId: 'project-a', stepNumber: 1 });
  });

  it('refuses a state that the session would drop at once', async () => {
    const { save, latest } = await oneProject();
    for (let step = 10; step < 20; step++) expect((await save('run', planned(step))).isError).toBe(false);
    const { error } = await save('run', planned(3));
    expect(error?.code).toBe('invalid_input');
    expect(error?.remedy).toMatch(/currentStepIndex/);
    expect((await latest('run'))?.stepNumber).toBe(19);
  });

  it('names a step that is not a whole number', async () => {
    const { save } = await oneProject();
    expect((await save('run', planned(1.5))).error?.message).toMatch(/currentStepIndex/);
  });

  it.skipIf(process.getuid?.() === 0)('is not offered where the file may only be read', async () => {
    const { deps } = await database((path) => {
      execute(path, PROJECTS + projectDdl('p_shop_1_checkpoints'));
      chmodSync(path, 0o444);
    });
    expect(toolsFor(deps).map(({ name: tool }) => tool)).not.toContain('checkpoint_save');
  });
});
