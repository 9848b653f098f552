/** Saves through a source, in files that have the tables of projects and of the document side by side. */
import { openSqlite } from '@checkpoint-inspector/io';
import { refusedEvictions } from '@checkpoint-inspector/core';
import { afterEach, expect, test } from 'vitest';
import { documentDdl, insert, openTest, projectDdl, rowOf, toolState, type TestStore } from './test-store.ts';

const PROJECT = 'p_demo_checkpoints';
/** More than retention keeps. */
const STEPS = Array.from({ length: 15 }, (_, step) => step);

let store: TestStore | undefined;
afterEach(async () => {
  await store?.close();
  store = undefined;
});

async function bothTables(): Promise<TestStore> {
  store = await openTest((path) => {
    const database = openSqlite(path, { readOnly: false, create: true });
    database.exec(documentDdl + projectDdl(PROJECT) + projectDdl('p_other_checkpoints').split(';').slice(1).join(';'));
    database.exec(
      "INSERT INTO projects (id, name, path) VALUES ('demo', 'demo', '/demo'), ('other', 'other', '/other')",
    );
    database.pragma('foreign_keys = OFF');
    for (const step of STEPS) insert(database, 'checkpoints', rowOf(`d${step}`, step, { project_id: 'demo' }));
    insert(database, PROJECT, rowOf('p1', 1));
    database.close();
  });
  return store;
}

const idsIn = (table: string): string[] =>
  (store?.database.prepare<{ id: string }>(`SELECT id FROM ${table} ORDER BY rowid`).all() ?? []).map(({ id }) => id);

const sourceOf = ({ sources }: TestStore, name: string) => {
  const source = sources.find(({ info }) => info.label === `test/${name}`);
  if (!source?.save) throw new Error(`There is no source ${name} to save with.`);
  return { save: source.save };
};

test("a save through the source of a project goes to its table; the document's table beside it is untouched", async () => {
  const { save } = sourceOf(await bothTables(), 'demo');
  const meta = await save({ task: 's', id: 'any', text: toolState(20) });
  expect(meta).toMatchObject({ store: 'test-demo', taskId: 's' });
  expect(idsIn(PROJECT)).toEqual(['p1', meta.id]);
  expect(idsIn('checkpoints')).toEqual(STEPS.map((step) => `d${step}`));
});

test("a save through the source of the document's table goes there, also beside several projects", async () => {
  const { save } = sourceOf(await bothTables(), 'checkpoints');
  const meta = await save({ task: 'new', id: 'any', text: toolState(2) });
  expect(idsIn('checkpoints')).toContain(meta.id);
  expect(idsIn(PROJECT)).toEqual(['p1']);
});

test("a project's table that has been dropped since is not replaced by another one", async () => {
  const { database, ...rest } = await bothTables();
  const { save } = sourceOf({ database, ...rest }, 'demo');
  database.exec(`DROP TABLE ${PROJECT}`);
  await expect(save({ task: 's', id: 'any', text: '{}' })).rejects.toMatchObject({ code: 'no_store' });
  expect(idsIn('checkpoints')).toHaveLength(STEPS.length);
});

test('a save that may not evict is refused with what it would evict, and writes nothing', async () => {
  const all = await bothTables();
  const writer = openSqlite(all.path, { readOnly: false });
  writer.pragma('foreign_keys = OFF');
  writer.exec('DELETE FROM checkpoints WHERE step_number > 9');
  writer.close();
  const { save } = sourceOf(all, 'checkpoints');
  const before = idsIn('checkpoints');
  const source = all.sources.find(({ info }) => info.label === 'test/checkpoints');
  expect(await source?.evictedNext?.('s')).toEqual([{ task: 's', id: 'd0' }]);
  const wanted = { task: 's', id: 'any', text: toolState(20) };
  const refused = await save(wanted, { mayEvict: [{ task: 's', id: 'd1' }] }).catch((error: unknown) => error);
  expect(refusedEvictions(refused)).toEqual([{ task: 's', id: 'd0' }]);
  expect(idsIn('checkpoints')).toEqual(before);
  const { id } = await save(wanted, { mayEvict: [{ task: 's', id: 'd0' }] });
  expect(idsIn('checkpoints')).toEqual([...before.slice(1), id]);
});
