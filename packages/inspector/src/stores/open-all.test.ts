import { setTimeout as sleep } from 'node:timers/promises';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InspectorError, MemoryStore, storeId } from '@checkpoint-inspector/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createStoreService } from './service.ts';
import type { Opener } from './service.ts';

let folder: string;
let finishSlow: () => void;

/** A file says by its name how it opens. */
const opener: Opener = {
  open: async (path, { label, nameStore }) => {
    if (path.endsWith('damaged.db')) throw new InspectorError('unreadable', 'damaged.db is damaged.');
    if (path.endsWith('other.db')) throw new InspectorError('no_store', 'No checkpoints in other.db.');
    if (/(?:slow|late)\.db$/.test(path)) await new Promise<void>((resolve) => (finishSlow = resolve));
    if (path.endsWith('late.db')) throw new InspectorError('no_store', 'No checkpoints in late.db.');
    return [new MemoryStore({ id: nameStore(label), label })];
  },
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stores-'));
  for (const name of ['good.db', 'slow.db', 'late.db', 'damaged.db', 'other.db'])
    await writeFile(join(folder, name), '');
});
afterEach(() => rm(folder, { recursive: true }));

const service = () => createStoreService({ registry: opener, timeLimitMs: 20 });
const targets = (...names: string[]) => names.map((name) => ({ location: join(folder, name) }));

describe('opening several stores at a start', () => {
  it('a slow one keeps nothing waiting and joins when it is open', async () => {
    const stores = service();
    await stores.openAll(targets('slow.db', 'good.db'));
    expect(stores.list().map(({ id }) => id)).toEqual(['good-db']);
    const joined = new Promise((resolve) => stores.onEvent(resolve));
    finishSlow();
    await joined;
    expect(stores.list().map(({ id }) => id)).toEqual(['good-db', 'slow-db']);
  });

  it('a slow one that turns out to be wrong is named, not forgotten', async () => {
    const stores = service();
    await stores.openAll(targets('late.db', 'good.db'));
    const told = new Promise((resolve) => stores.onEvent(resolve));
    finishSlow();
    await told;
    expect((await stores.tasks()).failures).toMatchObject([{ store: 'late-db', error: { code: 'no_store' } }]);
  });

  it('nobody waits twice for a store that does not answer', async () => {
    const stores = createStoreService({ registry: opener, timeLimitMs: 200 });
    const hangs = new MemoryStore({ id: storeId('hangs') });
    hangs.tasks = () => new Promise(() => undefined);
    stores.add(hangs);
    await stores.tasks();
    // The timer of the first wait may have fired a millisecond before the clock says so.
    await sleep(5);
    const timers = vi.spyOn(globalThis, 'setTimeout');
    expect((await stores.tasks()).failures).toMatchObject([{ store: 'hangs', error: { code: 'busy' } }]);
    expect(timers.mock.calls.every(([, ms = 0]) => ms <= 0)).toBe(true);
    timers.mockRestore();
  });

  it('one that cannot be read is named beside the others', async () => {
    const stores = service();
    await stores.openAll(targets('damaged.db', 'good.db'));
    const { failures } = await stores.tasks();
    expect(failures).toMatchObject([{ store: 'damaged-db', error: { code: 'unreadable' } }]);
  });

  it('a wrong target is named beside the others, and is the error where it is alone', async () => {
    const stores = service();
    await stores.openAll(targets('other.db', 'good.db', 'nothing.db'));
    expect((await stores.tasks()).failures).toMatchObject([
      { store: 'other-db', error: { code: 'no_store' } },
      { store: 'nothing-db', error: { code: 'no_store' } },
    ]);
    await expect(service().openAll(targets('other.db'))).rejects.toMatchObject({ code: 'no_store' });
  });

  it('when none opens, the first reason is the error', async () => {
    await expect(service().openAll(targets('damaged.db'))).rejects.toMatchObject({ code: 'unreadable' });
    await service().openAll([]);
  });
});
