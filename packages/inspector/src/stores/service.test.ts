import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InspectorError, MemoryStore, storeId } from '@checkpoint-inspector/core';
import type { CheckpointSource, Page, Task } from '@checkpoint-inspector/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoresEvent } from './types.ts';
import { createStoreService } from './service.ts';
import type { Opener } from './service.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stores-'));
});

afterEach(() => rm(folder, { recursive: true }));

const opener: Opener = {
  open: async (_path, { label, nameStore }) => [new MemoryStore({ id: nameStore(label), label })],
};
const nothing: Opener = { open: async () => [] };

async function file(name: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, '');
  return path;
}

/** A memory store whose task list is replaced. */
function listing(id: string, tasks: () => Promise<Page<Task>>): CheckpointSource {
  const store = new MemoryStore({ id: storeId(id) });
  store.tasks = tasks;
  return store;
}

function task(store: string, id: string, more: Partial<Task> = {}): Task {
  const base = { title: id, system: 'native', checkpointCount: 1, unreadable: 0, status: 'running' as const };
  return { ...base, store: storeId(store), id, ...more };
}

describe('unlocking', () => {
  it('hands the key to the store, once, and tells that its rows changed', async () => {
    const stores = createStoreService({ registry: nothing });
    const keys: string[] = [];
    const locked: CheckpointSource = Object.assign(new MemoryStore({ id: storeId('locked') }), {
      unlock: async (key: string) => {
        if (key !== 'right') throw new InspectorError('wrong_key', 'No file opens with this key.');
        keys.push(key);
      },
    });
    stores.add(locked);
    const events: StoresEvent[] = [];
    stores.onEvent((event) => events.push(event));
    await expect(stores.unlock(storeId('locked'), 'wrong')).rejects.toMatchObject({ code: 'wrong_key' });
    expect(events).toEqual([]);
    await stores.unlock(storeId('locked'), 'right');
    expect(keys).toEqual(['right']);
    expect(events).toEqual([{ kind: 'change', store: 'locked' }]);
  });

  it('refuses a store that has nothing to unlock', async () => {
    const stores = createStoreService({ registry: nothing });
    stores.add(new MemoryStore({ id: storeId('plain') }));
    await expect(stores.unlock(storeId('plain'), 'key')).rejects.toMatchObject({ code: 'unsupported' });
  });
});

describe('opening', () => {
  it('gives every store its own id, and opens a target once', async () => {
    const stores = createStoreService({ registry: opener });
    const [a] = await stores.open(await file('runs.sqlite'));
    const [b] = await stores.open(await file('runs_sqlite'));
    expect([a?.id, b?.id]).toEqual(['runs-sqlite', 'runs-sqlite-2']);
    expect(await stores.open(join(folder, 'runs.sqlite'))).toEqual([a]);
    const path = await file('other');
    const [first, second] = await Promise.all([stores.open(path), stores.open(path)]);
    expect(first).toEqual(second);
    expect(stores.list()).toHaveLength(3);
    const [named] = await stores.open(await file('x'), 'Prod DB');
    expect(named?.id).toBe('prod-db');
  });

  it('frees names again when opening fails', async () => {
    let fails = true;
    const registry: Opener = {
      open: async (path, options) => {
        const opened = await opener.open(path, options);
        if (fails) throw new InspectorError('unreadable', 'No.');
        return opened;
      },
    };
    const stores = createStoreService({ registry });
    const path = await file('runs');
    await expect(stores.open(path)).rejects.toMatchObject({ code: 'unreadable' });
    fails = false;
    expect((await stores.open(path))[0]?.id).toBe('runs');
  });

  it('names what is missing', async () => {
    const stores = createStoreService({ registry: opener });
    await expect(stores.open(join(folder, 'none'))).rejects.toMatchObject({ code: 'no_store' });
    await expect(stores.open('a\0b')).rejects.toMatchObject({ code: 'invalid_input' });
    expect(() => stores.source(storeId('none'))).toThrow('No store "none"');
    await expect(stores.close(storeId('none'))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('closes, stops watching and tells', async () => {
    const stores = createStoreService({ registry: nothing });
    const events: StoresEvent[] = [];
    const store = new MemoryStore({ id: storeId('a') });
    let closed = 0;
    const source = Object.assign(store, { close: async () => void (closed += 1) });
    stores.onEvent((event) => events.push(event));
    stores.add(source);
    expect(() => stores.add(source)).toThrow('already open');
    await store.save({ task: 't', id: 'c', text: '{}' });
    await stores.closeAll();
    await store.save({ task: 't', id: 'd', text: '{}' });
    expect(closed).toBe(1);
    expect(events).toEqual([{ kind: 'stores' }, { kind: 'change', store: 'a', task: 't' }, { kind: 'stores' }]);
  });
});

describe('the merged task list', () => {
  it('puts failed tasks first, then the newest, over all stores', async () => {
    const stores = createStoreService({ registry: nothing });
    const at = (day: number) => `2026-01-0${day}T00:00:00.000Z`;
    stores.add(
      listing('a', async () => ({
        items: [task('a', 'new', { updatedAt: at(4) }), task('a', 'failed', { updatedAt: at(1), status: 'failed' })],
      })),
    );
    stores.add(
      listing('b', async () => ({ items: [task('b', 'middle', { updatedAt: at(3) }), task('b', 'timeless')] })),
    );
    const order = ['failed', 'new', 'middle', 'timeless'];
    expect((await stores.tasks()).items.map(({ id }) => id)).toEqual(order);
    const paged: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await stores.tasks({ limit: 1, ...(cursor === undefined ? {} : { cursor }) });
      paged.push(...page.items.map(({ id }) => id));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(paged).toEqual(order);
  });

  it('reads a source to its end', async () => {
    const stores = createStoreService({ registry: nothing });
    const source = new MemoryStore({ id: storeId('a') });
    source.tasks = async (query) =>
      query?.cursor === undefined ? { items: [task('a', '1')], cursor: 'x' } : { items: [task('a', '2')] };
    stores.add(source);
    expect((await stores.tasks()).items).toHaveLength(2);
  });

  it('names a failing and a slow store, and waits for neither', async () => {
    const stores = createStoreService({ registry: nothing, timeLimitMs: 30 });
    let answerLate: (page: Page<Task>) => void = () => undefined;
    const late = new Promise<Page<Task>>((resolve) => (answerLate = resolve));
    stores.add(listing('good', async () => ({ items: [task('good', 'ok')] })));
    stores.add(listing('broken', () => Promise.reject(new Error('EIO /home/someone/db'))));
    stores.add(listing('locked', () => Promise.reject(new InspectorError('locked', 'Needs a key.'))));
    stores.add(listing('slow', () => late));
    const { items, failures } = await stores.tasks();
    expect(items.map(({ id }) => id)).toEqual(['ok']);
    const byStore = new Map(failures.map(({ store, error }) => [String(store), error]));
    expect(byStore.get('slow')?.code).toBe('busy');
    expect(byStore.get('locked')).toMatchObject({ code: 'locked', message: 'Needs a key.' });
    expect(byStore.get('broken')?.code).toBe('internal');
    expect(JSON.stringify(failures)).not.toContain('/home');
    answerLate({ items: [task('slow', 'at last')] });
    expect((await stores.tasks({ store: storeId('slow') })).items.map(({ id }) => id)).toEqual(['at last']);
  });

  it('shows a save at once', async () => {
    const stores = createStoreService({ registry: nothing });
    const store = new MemoryStore({ id: storeId('a') });
    stores.add(store);
    expect((await stores.tasks()).items).toEqual([]);
    await store.save({ task: 't', id: 'c', text: '{}' });
    expect((await stores.tasks()).items).toHaveLength(1);
    expect((await stores.tasks({ text: 'none' })).items).toEqual([]);
  });
});
