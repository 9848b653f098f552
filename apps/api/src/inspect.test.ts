import { existsSync, mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createCheckpointManager } from '@checkpoint-inspector/stores/manager';
import type { CheckpointManager, CheckpointManagerConfig, CheckpointState } from '@checkpoint-inspector/stores/manager';
import { z } from '@hono/zod-openapi';
import { inspect } from './inspect.ts';
import type { Inspection, InspectOptions } from './inspect.ts';

let folder: string;
let running: Inspection | undefined;
let manager: CheckpointManager;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inspect-'));
});
afterEach(async () => {
  await running?.close();
  await manager.store.close?.();
  rmSync(folder, { recursive: true });
});

const state = (id: string, n: number): CheckpointState => ({
  id,
  taskId: 'run',
  agentId: 'agent',
  stepIndex: n,
  totalSteps: 3,
  context: { n },
  completedSteps: [],
  pendingSteps: ['next'],
  createdAt: '2026-01-01T00:00:00.000Z',
});

async function start(config: CheckpointManagerConfig = {}, options: InspectOptions = {}) {
  manager = createCheckpointManager(config);
  for (const n of [1, 2]) await manager.save(state(`cp-${n}`, n));
  const inspection = await inspect(manager, { journalFolder: join(folder, 'journal'), ...options });
  running = inspection;
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(new URL(path, inspection.url), {
      ...init,
      headers: { authorization: `Bearer ${inspection.token}`, ...init.headers },
    });
  return { ask, ...inspection };
}

const receiptSchema = z.looseObject({ id: z.string(), proof: z.string() });

async function restore(ask: Awaited<ReturnType<typeof start>>['ask'], store: string, id: string) {
  const path = `/api/stores/${store}/checkpoints/${id}`;
  const { revision } = z.looseObject({ revision: z.string() }).parse(await (await ask(path)).json());
  return ask(`${path}/restore`, { method: 'POST', headers: { 'if-match': `"${revision}"` } });
}

const latest = async () => (await manager.restore('run')).checkpoint?.context;

it('shows what the agent saves, while it runs', async () => {
  const { ask } = await start();
  const ids = async () => {
    const answer = await ask('/api/stores/memory/tasks/run/checkpoints');
    const page = z.object({ items: z.array(z.looseObject({ id: z.string() })) }).parse(await answer.json());
    return page.items.map(({ id }) => id);
  };
  expect(await ids()).toEqual(['cp-2', 'cp-1']);
  await manager.save(state('cp-3', 3));
  expect(await ids()).toEqual(['cp-3', 'cp-2', 'cp-1']);
});

it.each<[string, (place: string) => CheckpointManagerConfig, string]>([
  ['memory', () => ({}), 'memory'],
  ['a file', (place) => ({ storage: { storagePath: join(place, 'agent.db') } }), 'agent-db'],
])('restores and undoes in %s through the journal; the agent continues from there', async (_what, config, store) => {
  const { ask } = await start(config(folder));
  const restored = await restore(ask, store, 'cp-1');
  const receipt = receiptSchema.parse(await restored.json());
  expect(receipt.proof).toBe('same');
  expect(await latest()).toEqual({ n: 1 });
  expect(existsSync(join(folder, 'journal/journal.sqlite'))).toBe(true);

  expect((await ask(`/api/receipts/${receipt.id}/undo`, { method: 'POST' })).status).toBe(200);
  expect(await latest()).toEqual({ n: 2 });
  await manager.save(state('cp-3', 3));
  expect(await latest()).toEqual({ n: 3 });
});

it('closing the store on the page, or the server, leaves the manager its store', async () => {
  const { ask, close } = await start({ storage: { storagePath: folder } });
  expect((await ask('/api/stores/checkpoints-sqlite', { method: 'DELETE' })).status).toBe(204);
  await close();
  running = undefined;
  await manager.save(state('cp-3', 3));
  expect(await latest()).toEqual({ n: 3 });
});

it('changes nothing when it may only look', async () => {
  const { ask } = await start({}, { readOnly: true });
  expect((await restore(ask, 'memory', 'cp-1')).status).toBe(403);
  expect(await latest()).toEqual({ n: 2 });
});

it('serves the built page beside it, and nothing but the API where there is none', async () => {
  const web = join(folder, 'web');
  mkdirSync(web);
  writeFileSync(join(web, 'index.html'), '<title>Page</title>');
  const { url, close } = await start({}, { web });
  expect(await (await fetch(url)).text()).toContain('<title>Page</title>');
  await close();
  running = undefined;
  const without = await start();
  expect((await fetch(without.url)).status).toBe(404);
});

it('refuses an option that it does not know', async () => {
  const options: object = { prt: 1 };
  await expect(inspect(manager, options)).rejects.toMatchObject({ code: 'invalid_input', data: { nearest: 'port' } });
});

it.each([70_000, -1, 1.5, '4600'])('refuses a port that there is not: %j', async (port) => {
  const options: object = { port };
  await expect(inspect(manager, options)).rejects.toMatchObject({ code: 'invalid_input', data: { key: 'port' } });
});

it.each([undefined, {}, { store: undefined }, { store: {} }, { store: Promise.resolve() }])(
  'refuses what is no manager: %j',
  async (wrong) => {
    const refused = { code: 'invalid_input', message: 'This manager has no store.' };
    await expect(inspect(wrong as never)).rejects.toMatchObject(refused);
    await expect(inspect(manager.store as never)).rejects.toMatchObject(refused);
  },
);

it('frees everything when the port is taken', async () => {
  const { port } = await start();
  await expect(inspect(manager, { port, journalFolder: join(folder, 'journal') })).rejects.toMatchObject({
    code: 'port_in_use',
  });
  await manager.save(state('cp-3', 3));
  expect(await latest()).toEqual({ n: 3 });
});
