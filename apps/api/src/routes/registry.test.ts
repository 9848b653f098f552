import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryStore, overlaid, storeId } from '@checkpoint-inspector/core';
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

describe('the home folder through HTTP', () => {
  const opened = async () => {
    const stores = createStoreService({
      registry: {
        open: async (_path, { label, nameStore }) => {
          const store = new MemoryStore({ id: nameStore(label), label });
          return [overlaid(store, { info: { ...store.info, private: true, identity: 'of the store' } })];
        },
        discoverHome: async () => [{ path: folder }],
      },
    });
    return { ...(await testApp({ stores })), stores };
  };

  it('is looked at only when asked, and what is found there is private until a person agrees', async () => {
    const { ask, stores } = await opened();
    expect(stores.list()).toEqual([]);
    const answer = await ask('/api/home', { method: 'POST' });
    expect(answer.status).toBe(201);
    const [found] = (await wire(answer)).items;
    expect(found).toMatchObject({ private: true });
    const store = storeId(String(found?.id));
    expect(stores.mayKeep(store)).toBe(false);
    expect((await ask(`/api/stores/${store}/keep-index`, { method: 'POST' })).status).toBe(204);
    expect(stores.mayKeep(store)).toBe(true);
    expect((await ask('/api/stores/none/keep-index', { method: 'POST' })).status).toBe(404);
  });

  it.each(['/api/home', '/api/stores/x/keep-index'])('is guarded like the other routes: %s', async (path) => {
    const { ask, stores } = await opened();
    for (const headers of [
      { authorization: 'Bearer wrong' },
      { origin: 'https://evil.example' },
      { host: 'evil:4600' },
    ])
      expect([401, 403]).toContain((await ask(path, { method: 'POST', headers })).status);
    expect(stores.list()).toEqual([]);
  });
});
