import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckpointSource } from '@checkpoint-inspector/core';
import { expect, it, onTestFinished } from 'vitest';
import { describeParts } from '../testing/parts.ts';
import { change, writeFormat1 } from './testing/format-1.ts';
import { openSqliteStore } from './store.ts';

function newFile(): { folder: string; path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-parts-'));
  return { folder, path: join(folder, 'store.db') };
}

describeParts(async () => {
  const { folder, path } = newFile();
  return {
    open: (options) => openSqliteStore({ path, ...options }),
    run: async (sql) => change(path, sql),
    remove: async () => rmSync(folder, { recursive: true }),
  };
});

it('the differences are left to the texts in a file of the first format', async () => {
  const { folder, path } = newFile();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await writeFormat1(path, [
    { task: 't', id: 'a', text: '1' },
    { task: 't', id: 'b', text: '2' },
  ]);
  const old = await openSqliteStore({ path, readOnly: true });
  const ref = (id: string) => ({ task: 't', id });
  expect(await old.diff(ref('a'), ref('b'))).toBeUndefined();
  await old.close();
});

const ref = (id: string) => ({ task: 't', id });

async function storeWith(states: readonly unknown[]) {
  const { folder, path } = newFile();
  const store = await openSqliteStore({ path });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  for (const [n, value] of states.entries())
    await store.save({ ...ref(`c${n}`), value, ...(n % 2 === 0 ? { agentId: 'writer' } : {}) });
  return { path, store, refs: states.map((_, n) => ref(`c${n}`)) };
}

const message = (n: number) => ({ id: `m${n}`, text: `${n} `.repeat(100) });
const states = Array.from({ length: 30 }, (_, n) => ({
  n,
  ...(n % 3 === 0 ? {} : { plan: { status: `${n >> 2}` } }),
  messages: Array.from({ length: 40 }, (_, at) => message(n + at)),
}));

it.each(['$', '$.n', '$.plan.status', '$.messages[39].id', '$.messages[40]', '$.none'])(
  'values of many states are those that each of them has: %s',
  async (path) => {
    const { store, refs } = await storeWith(states);
    const each = await Promise.all(
      refs.map(async (one) => {
        const revision = (await store.state(one))?.revision;
        const part = await store.part(one, path).catch(() => undefined);
        return { revision, ...(part === undefined ? {} : { value: part.text }) };
      }),
    );
    expect(await store.values(refs, path)).toEqual(each);
  },
);

it('values are left to each state where one is kept as a text, or is missing', async () => {
  const { store, refs } = await storeWith(states.slice(0, 2));
  await store.save({ ...ref('spaced'), text: '{ "n": 1 }' });
  expect(await store.values([...refs, ref('spaced')], '$.n')).toEqual([]);
  expect(await store.values([...refs, ref('none')], '$.n')).toEqual([]);
});

it('values of states of which one is damaged are refused', async () => {
  const { path, store, refs } = await storeWith(states);
  change(path, "DELETE FROM nodes WHERE id = (SELECT root FROM checkpoints WHERE id = 'c7')");
  await expect(store.values(refs, '$.n')).rejects.toMatchObject({ code: 'unreadable' });
});

it('rows of a tree tell the facts of the list where they are asked for', async () => {
  const { store }: { store: CheckpointSource } = await storeWith(states);
  const facts = [];
  for await (const row of store.lineage('t', { facts: true })) facts.push({ id: row.id, ...row.facts });
  const { items } = await store.checkpoints('t');
  const listed = items.map(({ id, agentId, sizeBytes, revision }) => ({
    id,
    sizeBytes,
    revision,
    ...(agentId === undefined ? {} : { agentId }),
  }));
  expect(facts.toReversed()).toEqual(listed);
  for await (const row of store.lineage('t')) expect(row.facts).toBeUndefined();
});
