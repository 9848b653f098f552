import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { createApp } from '@checkpoint-inspector/api';
import { createDemoControl } from '@checkpoint-inspector/inspector';
import { storeId } from '@checkpoint-inspector/core';
import { createDemo } from '@checkpoint-inspector/demo';
import type { Demo } from '@checkpoint-inspector/demo';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWorkspace } from './workspace.ts';
import type { Workspace } from './workspace.ts';

const HOST = '127.0.0.1:4600';
const TOKEN = 'test-token-0123456789';
const RESEARCH = 'research-db';
const TASK = 'competitor-revenue';

let demo: Demo;
let workspace: Workspace;
let app: ReturnType<typeof createApp>;

beforeAll(async () => {
  demo = await createDemo({ now: new Date('2026-03-01T12:00:00Z') });
  workspace = await openWorkspace(demo.targets, { readOnly: false, journalFolder: demo.journal });
  const { stores, journal } = workspace;
  app = createApp({
    inspector: await workspace.inspector(),
    status: { version: '0', readOnly: false, demo: true, pid: 1, startedAt: '2026-03-01T12:00:00.000Z' },
    guards: { token: TOKEN, hosts: [HOST] },
    demo: createDemoControl({ stage: demo, stores, journal, agents: false }),
  });
}, 60_000);
afterAll(async () => {
  await workspace.close();
  await demo.remove();
});

async function call(method: string, path: string, body?: unknown): Promise<Response> {
  const headers = { host: HOST, authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const answer = await app.request(`http://${HOST}/api/${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer;
}

/** Plans a change and applies it. */
async function change(request: Record<string, unknown>, store = RESEARCH): Promise<void> {
  const plan = (await (await call('POST', 'plans', { store, request })).json()) as { id: string };
  await call('POST', `plans/${plan.id}/apply`);
}

/** File -> sha256. The two side files of a database that is open contain nothing that its own file does not. */
async function hashes(): Promise<Record<string, string>> {
  const entries = await readdir(demo.folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const found: Record<string, string> = {};
  for (const file of files.toSorted()) {
    const name = relative(demo.folder, file);
    if (/^(journal|\.pristine)/.test(name) || name.endsWith('-shm')) continue;
    const bytes = await readFile(file);
    if (name.endsWith('-wal') && bytes.length === 0) continue;
    found[name] = createHash('sha256').update(bytes).digest('hex');
  }
  return found;
}

const ref = (id: string) => ({ task: TASK, id });

describe('POST /api/demo/reset', { timeout: 30_000 }, () => {
  it('puts every file back to the byte while the stores are open, and forgets the changes', async () => {
    const before = await hashes();
    const stores = workspace.stores.list().map(({ id }) => id);
    await change({ kind: 'restore', ref: ref('ckpt-06') });
    await change({ kind: 'delete', refs: [ref('ckpt-08')] });
    await change({ kind: 'edit', ref: ref('ckpt-07'), text: '{"context":{"cache":false}}' });
    await change({ kind: 'restore', ref: { task: 'prod_agent', id: 'ckpt_00000000102a' } }, 'kaizen-checkpoints');
    await workspace.stores.close(storeId('ctx-sys-db'));
    expect(await hashes()).not.toEqual(before);
    await call('POST', 'demo/reset');
    expect(await hashes()).toEqual(before);
    expect(workspace.stores.list().map(({ id }) => id)).toEqual(stores);
    expect(await (await call('GET', 'activity')).json()).toEqual({ items: [] });
    expect(await (await call('GET', 'trash')).json()).toMatchObject({ items: [] });
    const list = await (await call('GET', `stores/${RESEARCH}/tasks/${TASK}/checkpoints`)).json();
    expect(list).toMatchObject({ items: [{ id: 'ckpt-10' }, ...Array.from({ length: 9 }, () => ({}))] });
  });

  it('runs once when it is asked twice at once, and does so again later', async () => {
    const before = await hashes();
    await Promise.all([call('POST', 'demo/reset'), call('POST', 'demo/reset')]);
    await change({ kind: 'restore', ref: ref('ckpt-06') });
    await call('POST', 'demo/reset');
    expect(await hashes()).toEqual(before);
  });

  it('sets the stage of the fifth scene, and resets it with the agents at work', async () => {
    await demo.startAgents();
    await call('POST', 'demo/scene', { scene: 5 });
    const { items } = await workspace.stores.source(storeId(RESEARCH)).checkpoints(TASK);
    expect(items.slice(0, 2).map((row) => row.id)).toEqual(['ckpt-11', 'fix-10']);
    await call('POST', 'demo/reset');
    const again = await workspace.stores.source(storeId(RESEARCH)).checkpoints(TASK);
    expect(again.items[0]?.id).toBe('ckpt-10');
  });
});
