/** The whole way of a change on a file of the real LangGraph: plan, apply, continue, undo. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { patchJson, type CheckpointRef, type StoreId } from '@checkpoint-inspector/core';
import { loadDriver, openSqlite } from '@checkpoint-inspector/io';
import { openJournal } from '@checkpoint-inspector/changes';
import type { Journal } from '@checkpoint-inspector/changes';
import { createChangeService } from '@checkpoint-inspector/changes';
import { createStoreService, defaultRegistry } from '@checkpoint-inspector/inspector';
import type { ChangeService } from '@checkpoint-inspector/changes';
import type { StoreService } from '@checkpoint-inspector/inspector';

const thread = { configurable: { thread_id: 't' } };
let folder: string;
let path: string;
let saver: SqliteSaver;
let journal: Journal;
let stores: StoreService;
let changes: ChangeService;
let store: StoreId;

function counter() {
  const State = Annotation.Root({ n: Annotation<number>() });
  return new StateGraph(State)
    .addNode('inc', (state) => ({ n: state.n + 1 }))
    .addEdge(START, 'inc')
    .addConditionalEdges('inc', (state) => (state.n % 5 === 0 ? END : 'inc'), ['inc', END])
    .compile({ checkpointer: saver });
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'langgraph-undo-'));
  path = join(folder, 'checkpoints.sqlite');
  const Database = loadDriver();
  saver = new SqliteSaver(new Database(path));
  await counter().invoke({ n: 0 }, thread);
  journal = openJournal({ folder: join(folder, 'journal') });
  stores = createStoreService({ registry: defaultRegistry() });
  changes = createChangeService({ journal, sources: (id) => stores.source(id), readOnly: false });
  const [opened] = await stores.open(path);
  if (!opened) throw new Error('The store opens.');
  store = opened.id;
});

afterEach(async () => {
  await stores.closeAll();
  journal.close();
  saver.db.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Every row of both tables, rowids included. */
function dump(): unknown {
  const db = openSqlite(path, { readOnly: true });
  try {
    return ['checkpoints', 'writes'].map((table) => db.prepare(`SELECT rowid, * FROM ${table} ORDER BY rowid`).all());
  } finally {
    db.close();
  }
}

async function atStep(step: number): Promise<CheckpointRef> {
  const { items } = await stores.source(store).checkpoints('t', { limit: 100 });
  const target = items.find((item) => item.stepIndex === step);
  if (!target) throw new Error(`No checkpoint of step ${step}.`);
  return { task: 't', id: target.id };
}

async function restoreStep(step: number) {
  const plan = await changes.preview(store, { kind: 'restore', ref: await atStep(step) });
  return changes.apply(plan.id);
}

it('restore and undo: both tables are as before, rowids included', async () => {
  const before = dump();
  const receipt = await restoreStep(2);
  expect(receipt).toMatchObject({ proof: 'same', failed: [], undoable: true });
  expect(dump()).not.toEqual(before);
  expect(await counter().getState(thread)).toMatchObject({ values: { n: 2 }, next: ['inc'] });

  const undone = await changes.undo(receipt.id);
  expect(undone.failed).toEqual([]);
  expect(dump()).toEqual(before);
  expect(await counter().getState(thread)).toMatchObject({ values: { n: 5 }, next: [] });
});

it('edit: LangGraph reads the edited values and continues from them; undone, both tables are as before', async () => {
  const before = dump();
  const ref = await atStep(2);
  const text = (await stores.source(store).state(ref))?.text ?? '';
  const edit = { kind: 'edit', ref, text: patchJson(text, [{ path: ['n'], text: '8' }]), author: 'Ann' } as const;
  const apply = async () => changes.apply((await changes.preview(store, edit)).id);
  const receipt = await apply();
  expect(receipt).toMatchObject({ proof: 'same', failed: [], undoable: true });
  expect((await saver.getTuple(thread))?.checkpoint.channel_values).toMatchObject({ n: 8 });
  expect(await counter().getState(thread)).toMatchObject({ values: { n: 8 }, next: ['inc'] });
  await changes.undo(receipt.id);
  expect(dump()).toEqual(before);
  await apply();
  expect((await counter().invoke(null, thread)).n).toBe(10);
});

it('restore, LangGraph continues: one-click undo is refused, and nothing changed', async () => {
  const receipt = await restoreStep(2);
  expect((await counter().invoke(null, thread)).n).toBe(5);
  const after = dump();
  await expect(changes.undo(receipt.id)).rejects.toMatchObject({ code: 'undo_conflict' });
  expect(dump()).toEqual(after);
  expect((await changes.receipt(receipt.id))?.undoable).toEqual(expect.any(String));
});

it('delete and undo: both tables are as before, and LangGraph reads the thread', async () => {
  const before = dump();
  const { items } = await stores.source(store).checkpoints('t', { limit: 100 });
  const middle = items[3];
  if (!middle) throw new Error('The thread has four checkpoints.');
  const plan = await changes.preview(store, { kind: 'delete', refs: [{ task: 't', id: middle.id }] });
  const receipt = await changes.apply(plan.id);
  expect((await stores.source(store).checkpoints('t', { limit: 100 })).items).toHaveLength(items.length - 1);
  expect((await counter().getState(thread)).values).toEqual({ n: 5 });
  await changes.undo(receipt.id);
  expect(dump()).toEqual(before);
});

it('an undone restore is redone by undoing the undo', async () => {
  const receipt = await restoreStep(1);
  const restored = dump();
  const undone = await changes.undo(receipt.id);
  await changes.undo(undone.id);
  expect(dump()).toEqual(restored);
});
