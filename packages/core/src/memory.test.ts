import { describe, expect, test } from 'vitest';
import { memoryTables, MemoryStore } from './memory.ts';
import { applyRows } from './testing/apply-rows.ts';
import { checkpoint } from './testing/builders.ts';
import { allCheckpoints } from './testing/listing.ts';
import { describeStore } from './testing/describe-store.ts';

describeStore('MemoryStore', {
  open: async (options) => ({ store: new MemoryStore(options), apply: async (plan) => applyRows(plan) }),
  skip: [
    {
      tests: [
        'reopen: a store that was closed reads the same, and goes on in the same order',
        'two writers: both see every save, none is lost or doubled, the limit holds',
      ],
      reason: 'memory has one owner and ends with it',
    },
    {
      tests: [
        'edit: undo brings everything back byte for byte',
        'undo: of each change to a framework’s thread brings everything back',
      ],
      reason: 'undo is made by the engines, and is proven there',
    },
  ],
});

test('MemoryStore refuses an option that it does not know', () => {
  const options: object = { maxPertask: 1 };
  expect(() => new MemoryStore(options)).toThrow(
    expect.objectContaining({ code: 'invalid_input', data: { key: 'maxPertask', nearest: 'maxPerTask' } }),
  );
});

test('MemoryStore names a number that was given as text in quotes', async () => {
  const options: object = { maxPerTask: '3' };
  expect(() => new MemoryStore(options)).toThrow('maxPerTask must be a positive whole number, not "3".');
  const save = new MemoryStore().save({ task: 't', id: 'a', value: 1, tokenUsage: '5' as never });
  await expect(save).rejects.toThrow('tokenUsage must be a number, not "5".');
});

describe('MemoryStore tables', () => {
  async function tablesOf(store: MemoryStore) {
    const { job } = await store.plan({ kind: 'delete', refs: [{ task: 't', id: 'a' }] });
    const tables = memoryTables(job.place);
    if (!tables) throw new Error('A memory store plans for its own tables.');
    return tables;
  }

  async function filled(): Promise<MemoryStore> {
    const store = new MemoryStore();
    for (const id of ['a', 'b', 'c']) await store.save(checkpoint('t', id));
    return store;
  }

  const idsOf = async (store: MemoryStore) => (await allCheckpoints(store, 't')).map((meta) => meta.id);

  test('a row that is put back with its rowid is where it was', async () => {
    const store = await filled();
    const tables = await tablesOf(store);
    const [image] = tables.transaction((access) => access.select('checkpoints', { task: 't', id: 'b' }));
    if (!image) throw new Error('b was saved.');
    await store.remove({ task: 't', id: 'b' });
    await store.save(checkpoint('t', 'd'));
    tables.transaction((access) => access.insert('checkpoints', image.row, image.rowid));
    expect(await idsOf(store)).toEqual(['d', 'c', 'b', 'a']);
  });

  test('the place of a removed latest is never given again', async () => {
    const store = await filled();
    const tables = await tablesOf(store);
    const [image] = tables.transaction((access) => access.select('checkpoints', { task: 't', id: 'c' }));
    await store.remove({ task: 't', id: 'c' });
    await store.save(checkpoint('t', 'd'));
    const [next] = tables.transaction((access) => access.select('checkpoints', { task: 't', id: 'd' }));
    expect(next?.rowid).toBeGreaterThan(image?.rowid ?? 0n);
  });

  test('a throw puts everything back: inserts, updates, deletes', async () => {
    const store = await filled();
    const tables = await tablesOf(store);
    const before = await allCheckpoints(store, 't');
    const broken = () =>
      tables.transaction((access) => {
        access.delete('checkpoints', { task: 't', id: 'a' });
        access.update('checkpoints', { task: 't' }, { task: 'moved' });
        access.insert('checkpoints', { task: 't', id: 'new', text: '1' });
        throw new Error('on purpose');
      });
    expect(broken).toThrow('on purpose');
    expect(await allCheckpoints(store, 't')).toEqual(before);
    expect(await store.checkpoints('moved')).toEqual({ items: [] });
  });

  test('a second row for one ref, an unknown column or table, and a transaction in another are refused', async () => {
    const tables = await tablesOf(await filled());
    const insert = (table: string, row: Record<string, string>) => () =>
      tables.transaction((access) => access.insert(table, row));
    expect(insert('checkpoints', { task: 't', id: 'a' })).toThrow(expect.objectContaining({ code: 'changed' }));
    expect(insert('checkpoints', { task: 't', id: 'z', nope: '' })).toThrow(
      expect.objectContaining({ code: 'invalid_input' }),
    );
    expect(insert('sqlite_master', {})).toThrow(expect.objectContaining({ code: 'invalid_input' }));
    const nested = () => tables.transaction(() => tables.transaction(() => 1));
    expect(nested).toThrow(expect.objectContaining({ code: 'busy' }));
  });

  test('an applied plan is told to watchers with its task', async () => {
    const store = await filled();
    const seen: unknown[] = [];
    store.watch((change) => seen.push(change));
    applyRows(await store.plan({ kind: 'delete', refs: [{ task: 't', id: 'a' }] }));
    await Promise.resolve();
    expect(seen).toEqual([{ task: 't' }]);
  });

  test('around a checkpoint that is not in the task is not_found', async () => {
    const page = (await filled()).checkpoints('t', { around: { task: 'other', id: 'a' } });
    await expect(page).rejects.toMatchObject({ code: 'not_found' });
  });
});
