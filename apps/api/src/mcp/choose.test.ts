import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryStore, storeId } from '@checkpoint-inspector/core';
import { openSqlite } from '@checkpoint-inspector/io';
import { callTool, toolsFor } from './call.ts';
import { storeToRead, storeToSave } from './choose.ts';
import { toolDeps } from './testing/deps.ts';
import { readResult } from './testing/client.ts';
import { nativeStores } from './testing/native.ts';

let place: Awaited<ReturnType<typeof nativeStores>>;
afterEach(() => place.remove());

const save = async (args: object) => {
  const deps = toolDeps(place.stores);
  return readResult(await callTool(deps, 'checkpoint_save', { sessionId: 's', state: { text: '{}' }, ...args }));
};

/** A store of another system, which only its own agents write. */
function foreign(id: string): MemoryStore {
  const store = new MemoryStore({ id: storeId(id) });
  Object.assign(store, { info: { ...store.info, system: 'langgraph' }, save: undefined });
  return store;
}

describe('with one of our stores and one of another system', () => {
  beforeEach(async () => {
    place = await nativeStores('ours');
    place.stores.add(foreign('theirs'));
  });

  it('the only writable one is meant, for saving and for reading', async () => {
    expect((await storeToSave(place.stores, { session: 's' })).info.id).toBe('ours');
    expect((await storeToRead(place.stores, { session: 's' })).info.id).toBe('ours');
    expect((await storeToRead(place.stores, { session: 's', name: 'theirs' })).info.id).toBe('theirs');
  });

  it('nothing is saved to the other', async () => {
    expect((await save({ store: 'theirs' })).error).toMatchObject({ code: 'unsupported', data: { stores: ['ours'] } });
    expect((await place.stores.source(storeId('theirs')).tasks()).items).toEqual([]);
  });
});

describe('with two of our stores', () => {
  beforeEach(async () => {
    place = await nativeStores('a', 'b');
  });

  it('an error lists them', async () => {
    expect((await save({})).error).toMatchObject({ code: 'invalid_input', data: { stores: ['a', 'b'] } });
    await expect(storeToRead(place.stores, { session: 's' })).rejects.toThrow('2 stores are open: a, b.');
  });

  it('the named one gets it, and its limit holds', async () => {
    const { checkpoint } = await save({ store: 'b' });
    expect(checkpoint).toMatchObject({ store: 'b', isLatest: true });
    expect((await place.stores.source(storeId('a')).tasks()).items).toEqual([]);
  });

  it('the one that knows the session is meant where no store is named', async () => {
    const { checkpoint } = await save({ store: 'b', sessionId: 'known' });
    const next = await save({ sessionId: 'known' });
    expect(next.checkpoint).toMatchObject({ store: 'b', sessionId: 'known' });
    expect((await storeToRead(place.stores, { session: 'known' })).info.id).toBe('b');
    expect(next.checkpoint?.id).not.toBe(checkpoint?.id);
  });

  it('a file that was taken away is named, and not made again', async () => {
    rmSync(place.pathOf('b'));
    expect((await save({ store: 'b' })).error?.code).toBe('no_store');
    expect((await save({ store: 'a' })).isError).toBe(false);
  });

  it('a store that another process holds is busy, and nothing is lost', async () => {
    const other = openSqlite(place.pathOf('b'), { readOnly: false });
    other.exec('BEGIN IMMEDIATE');
    expect((await save({ store: 'b' })).error?.code).toBe('busy');
    other.exec('ROLLBACK');
    other.close();
    expect((await save({ store: 'b' })).isError).toBe(false);
  });

  it('a file that another program has put in its place is left as it is', async () => {
    rmSync(place.pathOf('b'));
    const other = openSqlite(place.pathOf('b'), { readOnly: false, create: true });
    other.exec('CREATE TABLE checkpoints (thread_id TEXT)');
    expect((await save({ store: 'b' })).error?.code).toBe('invalid_input');
    expect(other.prepare('SELECT * FROM checkpoints').all()).toEqual([]);
    other.close();
  });
});

describe('without a store of ours', () => {
  it('saving is offered only once a store is open that can be saved to', async () => {
    place = await nativeStores();
    const deps = toolDeps(place.stores);
    const offered = () => toolsFor(deps).map(({ name }) => name);
    place.stores.add(foreign('theirs'));
    expect(offered()).not.toContain('checkpoint_save');
    place.stores.add(new MemoryStore());
    expect(offered()).toContain('checkpoint_save');
  });

  it('saving says what to open; the only store is read', async () => {
    place = await nativeStores();
    expect((await save({})).error).toMatchObject({ code: 'invalid_input', data: { stores: [] } });
    place.stores.add(foreign('theirs'));
    expect((await storeToRead(place.stores, { session: 's' })).info.id).toBe('theirs');
    expect((await save({})).error?.remedy).toMatch(/Open a Checkpoint Inspector or ctx-sys store/);
  });

  it('a store in this process is saved to directly', async () => {
    place = await nativeStores();
    const store = new MemoryStore();
    place.stores.add(store);
    const { checkpoint } = await save({});
    expect((await store.latest('s')).ref?.id).toBe(checkpoint?.id);
  });
});
