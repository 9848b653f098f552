/** LangGraph's own saver beside changes of a long thread: no save of it fails, and every change is whole. */
import type { SystemRequest } from '@checkpoint-inspector/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { langgraphRow, langgraphWrite } from './index.ts';
import { savingBeside } from './test-saver.ts';
import { idAt, insert, openRows, type TestStore } from './test-store.ts';

const CHECKPOINTS = 1_200;

let store: TestStore;
beforeEach(async () => {
  store = await openRows([]);
  store.database.transaction(() => {
    for (let n = 0; n < CHECKPOINTS; n++) {
      const base = { thread: 'long', id: idAt(n), ts: '2026-01-01T00:00:00Z' };
      const parent = n === 0 ? {} : { parent: idAt(n - 1) };
      insert(
        store.database,
        'checkpoints',
        langgraphRow({ ...base, ...parent, source: 'loop', step: n, values: { n } }),
      );
      insert(store.database, 'writes', langgraphWrite({ ...base, taskId: 'task', idx: 0, channel: 'n', value: n }));
    }
  });
});
afterEach(() => store.close());

/** All rows of the threads that the changes are about, and where they are. */
const rows = () =>
  ['checkpoints', 'writes'].map((table) =>
    store.database.prepare(`SELECT rowid AS r, * FROM ${table} WHERE thread_id <> 'beside' ORDER BY 1`).all(),
  );
const counts = (thread: string) =>
  ['checkpoints', 'writes'].map(
    (table) =>
      store.database.prepare<{ n: number }>(`SELECT count(*) AS n FROM ${table} WHERE thread_id = ?`).get(thread)?.n,
  );

test('a fork, with history too, a deletion of the thread and their undoing hold up no save', async () => {
  const before = rows();
  const head = { task: 'long', id: idAt(CHECKPOINTS - 1) };
  const all = Array.from({ length: CHECKPOINTS }, (_, n) => ({ task: 'long', id: idAt(n) }));
  const change = async (request: SystemRequest, thread: string, after: readonly number[]) => {
    const undo = await store.apply(await store.source.plan(request));
    expect(counts(thread)).toEqual(after);
    await undo();
    expect(rows()).toEqual(before);
  };
  const told = await savingBeside(store.path, 50, async () => {
    await change({ kind: 'fork', ref: head, targetTask: 'copy' }, 'copy', [1, 1]);
    const whole = { kind: 'fork', ref: head, targetTask: 'copy', history: true } as const;
    await change(whole, 'copy', [CHECKPOINTS, CHECKPOINTS]);
    const older = { ...whole, ref: { task: 'long', id: idAt(900) } };
    await change(older, 'copy', [901, 900]);
    await change({ kind: 'delete', refs: all }, 'long', [0, 0]);
    await change({ kind: 'delete', refs: all.slice(100, 700) }, 'long', [600, 600]);
  });
  expect(told.failed).toBe(0);
  expect(told.saved).toBeGreaterThan(10);
  expect(told.longestMs).toBeLessThan(1_000);
});
