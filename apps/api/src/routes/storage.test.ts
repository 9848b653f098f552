import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeId, type CheckpointSource } from '@checkpoint-inspector/core';
import { openJournal, type Journal } from '@checkpoint-inspector/changes';
import { CheckpointManager } from '@checkpoint-inspector/apis/rlm-act';
import { rlmActSystem } from '@checkpoint-inspector/systems/rlm-act';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApp } from '../app.ts';
import { createChangeService } from '@checkpoint-inspector/changes';
import { createInspector, createStoreService } from '@checkpoint-inspector/inspector';
import { HOST, TOKEN, jsonBody, status, wire } from '../testing/app.ts';
import { seededStore } from '@checkpoint-inspector/inspector/testing/seeded';

let base: string;
let journal: Journal;
let source: CheckpointSource | undefined;
let ask: (path: string, init?: RequestInit) => Promise<Response>;

async function serve(readOnly = false): Promise<void> {
  const stores = createStoreService({ registry: { open: async () => [] } });
  stores.add(await seededStore());
  if (source) stores.add(source);
  const changes = createChangeService({ journal, sources: (id) => stores.source(id), readOnly });
  const inspector = createInspector({ stores, changes, readOnly });
  const app = createApp({ inspector, status: { ...status, readOnly }, guards: { token: TOKEN, hosts: [HOST] } });
  ask = async (path, init = {}) =>
    app.request(`http://${HOST}${path}`, {
      ...init,
      headers: { host: HOST, authorization: `Bearer ${TOKEN}`, ...init.headers },
    });
}

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'storage-'));
  journal = openJournal({ folder: join(base, 'state') });
  const project = join(base, 'migration');
  await mkdir(project);
  const manager = new CheckpointManager(project, { now: () => new Date('2026-01-02T03:04:05.678Z') });
  await manager.writeCheckpoint({ project_path: 'p', autonomy_mode: 'batch' }, 'research-complete');
  await writeFile(join(manager.checkpointsDir, 'torn.json'), '{"id": ');
  const names = { label: 'migration', location: manager.checkpointsDir, nameStore: () => storeId('migration') };
  [source] = await rlmActSystem.open({ kind: 'path', path: project, is: 'folder' }, names);
  await serve();
});
afterEach(async () => {
  await source?.close?.();
  journal.close();
  await rm(base, { recursive: true });
});

async function remove(id: string): Promise<string> {
  const request = { kind: 'delete', refs: [{ task: 'run-1', id }] };
  const plan = await wire(ask('/api/plans', jsonBody({ store: 'memory', request })));
  return String((await wire(ask(`/api/plans/${String(plan['id'])}/apply`, { method: 'POST' })))['id']);
}

describe('GET /api/storage', () => {
  it('says what each task takes up, what cannot be read and why, and how the system keeps', async () => {
    const answer = await wire(ask('/api/storage'));
    expect(answer).toMatchObject({
      stores: [
        {
          store: 'migration',
          system: 'rlm-act',
          retention: expect.stringContaining('Keeps everything'),
          checkpoints: 2,
          unreadable: 1,
          locked: 0,
          tasks: [
            {
              id: 'migration',
              checkpoints: 2,
              unreadable: 1,
              oldest: { text: '2026-01-02T03:04:05.678000Z', utc: false },
            },
          ],
        },
        {
          store: 'memory',
          checkpoints: 4,
          tasks: [
            { id: 'run-1', checkpoints: 3, oldest: { utc: true } },
            { id: 'run-2', checkpoints: 1 },
          ],
        },
      ],
      unreadable: [
        { store: 'migration', ref: { id: 'torn' }, sizeBytes: 7, problem: { code: 'unreadable', offset: 7 } },
      ],
      unreadableCount: 1,
      journal: { path: journal.path, cacheBytes: 0 },
      trash: { checkpoints: 0, keepDays: 30 },
      failures: [],
    });
  });

  it('names a store that fails, and answers with the others', async () => {
    if (!source) throw new Error('no store');
    Object.assign(source, { tasks: () => Promise.reject(new Error('the disk is gone')) });
    expect(await wire(ask('/api/storage'))).toMatchObject({
      stores: [{ store: 'memory' }],
      failures: [{ store: 'migration', error: { code: 'internal' } }],
    });
  });
});

describe('the trash', () => {
  it('is emptied by plan only, exactly of what was shown', async () => {
    const receipt = await remove('cp-1');
    expect(await wire(ask('/api/trash/summary'))).toMatchObject({
      changes: 1,
      checkpoints: 1,
      expired: { checkpoints: 0 },
    });
    expect((await wire(ask('/api/trash'))).items[0]).toMatchObject({ expiresAt: expect.stringMatching(/^20/) });
    const plan = await wire(ask('/api/trash/plans', jsonBody({ receiptIds: [receipt] })));
    expect(plan).toMatchObject({ checkpoints: 1, changes: [{ receiptId: receipt }] });
    await remove('cp-2');
    const purged = await wire(ask('/api/trash/purge', jsonBody({ planId: plan['id'] })));
    expect(purged).toMatchObject({ changes: 1, checkpoints: 1, left: [] });
    expect((await wire(ask('/api/trash'))).items).toMatchObject([{ ref: { id: 'cp-2' } }]);
    expect((await wire(ask(`/api/receipts/${receipt}/undo`, { method: 'POST' }))).error.code).toBe('unsupported');
    const again = await wire(ask('/api/trash/purge', jsonBody({ planId: plan['id'] })));
    expect(again.error.code).toBe('plan_expired');
  });

  it('keeps what it holds for as long as is set', async () => {
    const put = (keepDays: unknown) => ask('/api/trash/settings', { ...jsonBody({ keepDays }), method: 'PUT' });
    expect(await wire(put(7))).toMatchObject({ keepDays: 7 });
    expect((await put(0)).status).toBe(400);
    expect(await wire(ask('/api/trash/summary'))).toMatchObject({ keepDays: 7 });
  });

  it('is left alone with --read-only', async () => {
    await serve(true);
    expect((await ask('/api/trash/purge', jsonBody({ planId: 'x' }))).status).toBe(403);
    expect((await ask('/api/trash/settings', { ...jsonBody({ keepDays: 7 }), method: 'PUT' })).status).toBe(403);
  });
});

describe('GET /api/plans/:id/items', () => {
  it('gives one part of a prune page by page', async () => {
    const request = { kind: 'prune', task: 'run-1', policy: { beyondNewest: 0 } };
    const plan = await wire(ask('/api/plans', jsonBody({ store: 'memory', request })));
    expect(plan).toMatchObject({ removes: { count: 2 }, protected: { count: 1 }, leftOut: { skipped: 0, others: 0 } });
    const at = `/api/plans/${String(plan['id'])}/items`;
    const first = await wire(ask(`${at}?part=removes&limit=1`));
    const second = await wire(ask(`${at}?part=removes&limit=1&cursor=${first.cursor ?? ''}`));
    expect([first, second].flatMap(({ items }) => items)).toMatchObject([
      { ref: { id: 'cp-2' } },
      { ref: { id: 'cp-1' } },
    ]);
    expect(second.cursor).toBeUndefined();
    expect((await ask(`${at}?part=writes`)).status).toBe(400);
  });
});
