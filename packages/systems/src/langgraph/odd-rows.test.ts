import { verifySource } from '@checkpoint-inspector/core';
import { collect, describeSource } from '@checkpoint-inspector/core/testing';
import { afterEach, expect, test } from 'vitest';
import { LANGGRAPH_DDL } from './index.ts';
import { idAt, openRows, type TestStore } from './test-store.ts';

let store: TestStore | undefined;
afterEach(async () => {
  await store?.close();
  store = undefined;
});

/** As LangGraph makes them, without the types and rules that keep some of this out. */
const LOOSE_DDL = LANGGRAPH_DDL.replaceAll(/ TEXT(?: NOT NULL)?(?: DEFAULT '')?(?=,)/g, '').replaceAll(
  'IF NOT EXISTS',
  '',
);

async function openOdd(): Promise<TestStore> {
  const opened = await openRows([]);
  opened.database.exec(`DROP TABLE checkpoints; DROP TABLE writes; ${LOOSE_DDL}`);
  const keys = [`'t', '', '${idAt(1)}'`, `'t', '', x'2a'`, `x'74', '', 'i'`, `NULL, '', 'i'`, `42, '', 'i'`];
  for (const key of [...keys, `'t', 7, 'i'`, `'only odd', '', NULL`]) {
    opened.database.exec(`INSERT INTO checkpoints VALUES (${key}, NULL, 'json', '{"channel_values":{}}', '{}')`);
  }
  opened.database.exec(`INSERT INTO writes VALUES ('t', '', x'00', 'a', 0, 'log', 'json', '1'),
    (x'00', '', 'i', 'a', 0, 'log', 'json', '22')`);
  return opened;
}

test('rows whose key is not text are rows of their own task, named as damaged, and refuse changes', async () => {
  store = await openOdd();
  const { source, database } = store;
  const { items } = await source.tasks();
  expect(items.map(({ id, checkpointCount, unreadable }) => [id, checkpointCount, unreadable])).toEqual([
    ['t', 1, 0],
    ['unassigned rows', 8, 8],
  ]);
  const rows = (await source.checkpoints('unassigned rows')).items;
  expect(rows.map(({ id, problem }) => [id, problem?.code, problem?.message.split(' ')[2]])).toEqual([
    ['write rowid 2', 'unreadable', 'thread_id'],
    ['write rowid 1', 'unreadable', 'checkpoint_id'],
    ['rowid 7', 'unreadable', 'checkpoint_id'],
    ['rowid 6', 'unreadable', 'checkpoint_ns'],
    ['rowid 5', 'unreadable', 'thread_id'],
    ['rowid 4', 'unreadable', 'thread_id'],
    ['rowid 3', 'unreadable', 'thread_id'],
    ['rowid 2', 'unreadable', 'checkpoint_id'],
  ]);
  const ref = { task: 'unassigned rows', id: 'write rowid 2' };
  expect(Buffer.from((await source.raw?.(ref)) ?? []).toString()).toBe('22');
  await expect(source.plan({ kind: 'delete', refs: [ref] })).rejects.toMatchObject({ code: 'unsupported' });
  expect((await collect(source.lineage('t'))).map(({ id }) => id)).toEqual([idAt(1)]);
  expect((await verifySource(source)).damaged).toBe(8);
  database.exec('DELETE FROM writes; DELETE FROM checkpoints WHERE rowid > 1');
  expect((await source.tasks()).items.map(({ id }) => id)).toEqual(['t']);
});

describeSource('langgraph with rows whose key is not text', {
  open: async () => {
    const opened = await openOdd();
    return { source: opened.source, teardown: opened.close };
  },
});
