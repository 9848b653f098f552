import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { change, writeFormat1 } from './testing/format-1.ts';
import { openSqliteStore, type SqliteStore } from './store.ts';

const message = (n: number) => ({ id: `m${n}`, role: 'user', content: `${n} `.repeat(150) });
const messages = Array.from({ length: 400 }, (_, n) => message(n));
const ref = (id: string) => ({ task: 't', id });

let folder: string;
let store: SqliteStore;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sqlite-diff-'));
  store = await openSqliteStore({ path: join(folder, 'store.db') });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const save = (id: string, value: unknown) => store.save({ ...ref(id), value });

describe('the differences between two states', () => {
  it('are known by their nodes', async () => {
    await save('a', { step: 1, updatedAt: 1, messages });
    await save('b', { step: 2, updatedAt: 2, messages: [...messages, { id: 'new' }] });
    const diff = await store.diff(ref('a'), ref('b'), { ignore: ['$.updatedAt'] });
    expect(diff?.items).toEqual([
      { path: '$.step', kind: 'changed', before: '1', after: '2' },
      { path: '$.messages[400]', kind: 'added', after: '{"id":"new"}' },
    ]);
    expect(diff?.ignored).toEqual([{ rule: '$.updatedAt', count: 1 }]);
    const [a, b] = [await store.state(ref('a')), await store.state(ref('b'))];
    expect(diff?.revisions).toEqual([a?.revision, b?.revision]);
  });

  it('are left to the texts where one is laid out in a way of its own', async () => {
    await save('a', { step: 1 });
    await store.save({ ...ref('b'), text: '{ "step": 2 }' });
    expect(await store.diff(ref('a'), ref('b'))).toBeUndefined();
    expect(await store.diff(ref('b'), ref('a'))).toBeUndefined();
  });

  it('are left to the texts where too much differs', async () => {
    const many = Array.from({ length: 3_000 }, (_, n) => message(n));
    await save('a', { messages: many });
    await save('b', { messages: many.map(({ id }) => ({ id })) });
    expect(await store.diff(ref('a'), ref('b'))).toBeUndefined();
  });

  it('are left to the texts in a file of the first format', async () => {
    const path = join(folder, 'old.db');
    await writeFormat1(path, [
      { task: 't', id: 'a', text: '1' },
      { task: 't', id: 'b', text: '2' },
    ]);
    const old = await openSqliteStore({ path, readOnly: true });
    expect(await old.diff(ref('a'), ref('b'))).toBeUndefined();
    await old.close();
  });

  it('name the part that is missing', async () => {
    await save('a', { step: 1, messages });
    await save('b', { step: 2, messages });
    change(join(folder, 'store.db'), 'DELETE FROM nodes WHERE id = (SELECT max(root) FROM checkpoints)');
    await expect(store.diff(ref('a'), ref('b'))).rejects.toMatchObject({ code: 'unreadable' });
  });
});
