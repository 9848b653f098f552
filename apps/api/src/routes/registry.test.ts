import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jsonBody, testApp, wire } from '../testing/app.ts';
import { defaultRegistry, createStoreService } from '@checkpoint-inspector/inspector';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'open-'));
});

afterEach(() => rm(folder, { recursive: true }));

describe('opening through HTTP', () => {
  it('opens a native store, reads it and closes it', async () => {
    const path = join(folder, 'runs.sqlite');
    const writer = await openSqliteStore({ path });
    await writer.save({ task: 't', id: 'c', text: '{"n": 1.0}' });
    await writer.close?.();

    const stores = createStoreService({ registry: defaultRegistry() });
    const { ask } = await testApp({ stores });
    const opened = await ask('/api/stores', jsonBody({ target: path, name: 'Prod' }));
    expect(opened.status).toBe(201);
    expect((await wire(opened)).items).toMatchObject([{ id: 'prod', system: 'native', label: 'Prod' }]);
    expect((await wire(ask('/api/tasks'))).items).toMatchObject([{ id: 't', store: 'prod', checkpointCount: 1 }]);
    expect(await (await ask('/api/stores/prod/checkpoints/c/state')).text()).toBe('{"n": 1.0}');
    expect((await ask('/api/stores/prod', { method: 'DELETE' })).status).toBe(204);
    expect((await ask('/api/stores/prod/checkpoints/c')).status).toBe(404);
  });

  it('says what it looked for where there is nothing', async () => {
    const stores = createStoreService({ registry: defaultRegistry() });
    const { ask } = await testApp({ stores });
    const answer = await ask('/api/stores', jsonBody({ target: folder }));
    expect(answer.status).toBe(404);
    expect((await wire(answer)).error).toMatchObject({ code: 'no_store', message: /Looked for/ });
    expect((await ask('/api/stores', jsonBody({ target: '' }))).status).toBe(400);
  });
});
