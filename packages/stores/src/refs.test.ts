import { MemoryStore, type CheckpointStore } from '@checkpoint-inspector/core';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'refs-'));
afterAll(() => rmSync(folder, { recursive: true }));

const stores: [string, () => Promise<CheckpointStore>][] = [
  ['in memory', async () => new MemoryStore()],
  ['in SQLite', () => openSqliteStore({ path: join(folder, 'a.db') })],
];
const READS = ['load', 'state', 'meta', 'raw', 'remove', 'beside', 'part', 'diff'] as const;
const ref = { task: 't', id: '1' };

describe.each(stores)('a store %s', async (_, open) => {
  const store = await open();
  await store.save({ ...ref, value: { n: 1 } });
  await store.save({ task: 't', id: '2', value: { n: 2 } });
  const call = async (name: string, ...args: readonly unknown[]): Promise<unknown> => {
    const method: unknown = Reflect.get(store, name);
    return typeof method === 'function' ? Reflect.apply(method, store, args) : undefined;
  };
  const there = READS.filter((name) => name in store);

  it.each(there)('%s refuses what isn’t a ref, and says how to write one', async (name) => {
    for (const given of [undefined, '1', {}, { id: '1' }, { taskId: 't', id: '1' }, { task: 't', id: 1 }]) {
      const rest = { part: '$.n', diff: ref }[name as string];
      await expect(call(name, given, rest), JSON.stringify(given)).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringContaining('{ task, id }'),
        remedy: expect.stringContaining('find(id)'),
      });
    }
  });

  it('refuses a misspelt option in its own words', async () => {
    const calls = [
      ['tasks', { limits: 1 }],
      ['checkpoints', 't', { limits: 1 }],
      ...('diff' in store ? [['diff', ref, { task: 't', id: '2' }, { ignored: ['$.n'] }]] : []),
    ] as const;
    for (const [name, ...args] of calls) {
      await expect(call(String(name), ...args), String(name)).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringMatching(/^Unknown option "(limits|ignored)"; did you mean "(limit|ignore)"\?$/),
      });
    }
  });

  it('saveWrites refuses it too', async () => {
    await expect(call('saveWrites', undefined, [])).rejects.toMatchObject({ code: 'invalid_input' });
  });
});

it('a store in SQLite refuses a task, an id or a path that isn’t text: it isn’t for SQLite to find out', async () => {
  const store = await openSqliteStore({ path: join(folder, 'ids.db') });
  for (const name of ['checkpoints', 'latest', 'removeTask', 'find']) {
    const method: unknown = Reflect.get(store, name);
    const answer: unknown = typeof method === 'function' && Reflect.apply(method, store, [{ taskId: 't' }]);
    await expect(answer, name).rejects.toMatchObject({
      code: 'invalid_input',
      message: `${name === 'find' ? 'id' : 'task'} must be text.`,
    });
  }
  await expect(Reflect.apply(store.part, store, [ref])).rejects.toMatchObject({
    code: 'invalid_input',
    message: 'path must be text.',
  });
  await store.close();
});
