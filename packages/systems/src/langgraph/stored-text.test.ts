/** Rows whose values are TEXT and not BLOB: the real saver reads them, so they are read here, and stay what they are. */
import type { SqlRow } from '@checkpoint-inspector/io';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configOf, counterGraph, openSaver } from './test-graphs.ts';
import { openRows, type TestStore } from './test-store.ts';

let store: TestStore;
beforeEach(async () => {
  store = await openRows([]);
  const saver = openSaver(store.path);
  await counterGraph(saver, 4).graph.invoke({ n: 0 }, configOf('t'));
  saver.db.close();
  store.database.exec(`UPDATE checkpoints SET checkpoint = CAST(checkpoint AS TEXT), metadata = CAST(metadata AS TEXT);
    UPDATE writes SET value = CAST(value AS TEXT)`);
});
afterEach(() => store.close());

const stored = (): SqlRow[] =>
  store.database
    .prepare<SqlRow>('SELECT checkpoint_id AS id, typeof(checkpoint) AS c, typeof(metadata) AS m FROM checkpoints')
    .all();

const idAtStep = async (step: number): Promise<string> => {
  const { items } = await store.source.checkpoints('t');
  return items.find((item) => item.stepIndex === step)?.id ?? '';
};

test('a checkpoint that is stored as text is read like one stored as a blob', async () => {
  const { items } = await store.source.checkpoints('t');
  expect(items.filter((item) => item.problem !== undefined)).toEqual([]);
  expect((await store.source.tasks()).items[0]).toMatchObject({ unreadable: 0, status: 'completed' });
  const state = await store.source.state({ task: 't', id: await idAtStep(2) });
  expect(state?.text).toContain('"n":2');
});

test('a restored row of text is text again, and LangGraph continues from it', async () => {
  const before = store.dump();
  const undo = await store.apply(
    await store.source.plan({ kind: 'restore', ref: { task: 't', id: await idAtStep(2) } }),
  );
  expect(stored().every(({ c, m }) => c === 'text' && m === 'text')).toBe(true);
  const saver = openSaver(store.path);
  const { graph } = counterGraph(saver, 4);
  const snapshot = await graph.getState(configOf('t'));
  expect([snapshot.values.n, snapshot.next]).toEqual([2, ['inc']]);
  saver.db.close();
  await undo();
  expect(store.dump()).toBe(before);
});

test('an edited child of a row of text is text, in the thread and in a new one', async () => {
  const id = await idAtStep(2);
  const text = (await store.source.state({ task: 't', id }))?.text.replace('"n":2', '"n":3') ?? '';
  await store.apply(await store.source.plan({ kind: 'edit', ref: { task: 't', id }, text }));
  await store.apply(await store.source.plan({ kind: 'edit', ref: { task: 't', id }, text, targetTask: 'copy' }));
  expect(stored().every(({ c, m }) => c === 'text' && m === 'text')).toBe(true);
  const saver = openSaver(store.path);
  for (const thread of ['t', 'copy']) {
    const end = await counterGraph(saver, 4).graph.invoke(null, configOf(thread));
    expect(end.n).toBe(4);
  }
  saver.db.close();
});

test('a row of text that became a blob is not the one that the plan saw', async () => {
  const plan = await store.source.plan({ kind: 'restore', ref: { task: 't', id: await idAtStep(1) } });
  store.database.exec('UPDATE checkpoints SET checkpoint = CAST(checkpoint AS BLOB)');
  await expect(store.apply(plan)).rejects.toMatchObject({ code: 'changed' });
});
