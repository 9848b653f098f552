/** Changes made here, judged by the real LangGraph. */
import { HumanMessage, type BaseMessage } from '@langchain/core/messages';
import { Command } from '@langchain/langgraph';
import type { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import type { SystemRequest, CheckpointMeta, Plan } from '@checkpoint-inspector/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openRows, type TestStore } from './test-store.ts';
import { chatGraph, configOf, counterGraph, deltaGraph, nestedGraph, openSaver, paymentGraph } from './test-graphs.ts';
import { messagesOf } from './view.ts';

let store: TestStore;
let saver: SqliteSaver;

beforeEach(async () => {
  store = await openRows([]);
  saver = openSaver(store.path);
});

afterEach(async () => {
  saver.db.close();
  await store.close();
});

/** Newest first, without subgraphs. */
async function rootRows(thread: string): Promise<CheckpointMeta[]> {
  const { items } = await store.source.checkpoints(thread, { limit: 1000 });
  return items.filter((item) => item.namespace === undefined);
}

async function idWhere(thread: string, wanted: (item: CheckpointMeta) => boolean): Promise<string> {
  const found = (await rootRows(thread)).find(wanted);
  if (!found) throw new Error('No such checkpoint.');
  return found.id;
}

async function change(request: SystemRequest): Promise<Plan & { undo: () => Promise<void> }> {
  const plan = await store.source.plan(request);
  const undo = await store.apply(plan);
  const latest = await store.source.latest(plan.view.targetTask ?? plan.view.task);
  expect(latest.ref).toEqual(plan.view.latestAfter);
  if (plan.view.proofHash !== undefined && latest.ref)
    expect((await store.source.state(latest.ref))?.revision).toBe(plan.view.proofHash);
  return { ...plan, undo };
}

const contentOf = (message: BaseMessage) => message.content;

const texts = async (thread: string): Promise<string[]> => {
  const { ref } = await store.source.latest(thread);
  const state = ref && (await store.source.state(ref));
  return messagesOf(state?.text ?? '{}').flatMap(({ messages }) => messages.map((message) => message.text));
};

describe('restore in the same thread', () => {
  test('a run continues from the restored state, and the old one stays', async () => {
    const { graph, ran } = counterGraph(saver, 6);
    await graph.invoke({ n: 0 }, configOf('t'));
    expect(ran.inc).toBe(6);
    const id = await idWhere('t', (item) => item.stepIndex === 2);
    const before = await rootRows('t');
    const plan = await change({ kind: 'restore', ref: { task: 't', id } });
    const snapshot = await graph.getState(configOf('t'));
    expect([snapshot.values.n, snapshot.next]).toEqual([2, ['inc']]);
    expect(snapshot.metadata).toMatchObject({ source: 'fork', step: 3, restored_from: id });
    expect(plan.view.next).toBe('graph.invoke(null, { configurable: { thread_id: "t" } })');
    const end = await graph.invoke(null, configOf('t'));
    expect([end.n, end.trail, ran.inc]).toEqual([6, ['n=1', 'n=2', 'n=3', 'n=4', 'n=5', 'n=6'], 10]);
    const after = await rootRows('t');
    expect(after).toHaveLength(before.length + 1 + 4);
    expect(after.at(3)?.parentId).toBe(plan.view.latestAfter?.id);
    expect(after.filter((item) => before.some((old) => old.id === item.id))).toHaveLength(before.length);
  });

  test("it is the row that LangGraph's own copy makes", async () => {
    const { graph } = counterGraph(saver, 4);
    await graph.invoke({ n: 0 }, configOf('t'));
    const id = await idWhere('t', (item) => item.stepIndex === 2);
    await change({ kind: 'restore', ref: { task: 't', id } });
    const ours = await graph.getState(configOf('t'));
    await graph.updateState({ configurable: { thread_id: 't', checkpoint_id: id } }, null, '__copy__');
    const theirs = await graph.getState(configOf('t'));
    expect(ours.values).toEqual(theirs.values);
    expect(ours.next).toEqual(theirs.next);
    expect(ours.parentConfig?.configurable?.['checkpoint_id']).toBe(
      theirs.parentConfig?.configurable?.['checkpoint_id'],
    );
    expect([ours.metadata?.source, ours.metadata?.step]).toEqual([theirs.metadata?.source, theirs.metadata?.step]);
  });

  test('a conversation continues from the restored turn', async () => {
    const graph = chatGraph(saver);
    for (const n of [1, 2, 3])
      await graph.invoke({ messages: [new HumanMessage({ id: `h-${n}`, content: `m${n}` })] }, configOf('chat'));
    const id = await idWhere('chat', (item) => item.stepIndex === 1);
    await change({ kind: 'restore', ref: { task: 'chat', id } });
    expect(await texts('chat')).toEqual(['m1', 'echo m1']);
    const end = await graph.invoke(
      { messages: [new HumanMessage({ id: 'h-new', content: 'other' })] },
      configOf('chat'),
    );
    expect(end.messages.map(contentOf)).toEqual(['m1', 'echo m1', 'other', 'echo other']);
  });

  test('a question is asked again with a new id, as the warning says', async () => {
    const { graph, ran } = paymentGraph(saver);
    const first = await graph.invoke({ amount: 5 }, configOf('pay'));
    const asked = Reflect.get(first, '__interrupt__') as { id: string; value: string }[];
    await graph.invoke(new Command({ resume: false }), configOf('pay'));
    const id = await idWhere('pay', (item) => item.stepIndex === 1);
    const plan = await change({ kind: 'restore', ref: { task: 'pay', id } });
    expect(plan.view.warnings.map((warning) => warning.code)).toEqual(['interrupt_asked_again', 'agent_active']);
    const again = Reflect.get(await graph.invoke(null, configOf('pay')), '__interrupt__') as typeof asked;
    expect(again[0]?.value).toBe(asked[0]?.value);
    expect(again[0]?.id).not.toBe(asked[0]?.id);
    const end = await graph.invoke(new Command({ resume: true }), configOf('pay'));
    expect([end.status, ran.draft]).toEqual(['approved, done', 1]);
  });

  test.each([1, 3, 100])(
    'a delta thread, snapshot every %i updates: every checkpoint can be restored',
    async (frequency) => {
      const graph = deltaGraph(saver, frequency);
      for (const n of [1, 2, 3])
        await graph.invoke({ messages: [new HumanMessage({ id: `h-${n}`, content: `m${n}` })] }, configOf('d'));
      const rows = (await rootRows('d')).filter((item) => (item.stepIndex ?? 0) >= 0);
      expect(rows.length).toBeGreaterThan(6);
      for (const { id } of rows) {
        const known = await graph.getState({ configurable: { thread_id: 'd', checkpoint_id: id } });
        const plan = await change({ kind: 'restore', ref: { task: 'd', id } });
        const restored = await graph.getState(configOf('d'));
        const contents = restored.values.messages.map(contentOf);
        expect(contents).toEqual(known.values.messages.map(contentOf));
        expect(await texts('d')).toEqual(contents);
        await plan.undo();
      }
      const id = await idWhere('d', (item) => item.stepIndex === 1);
      await change({ kind: 'restore', ref: { task: 'd', id } });
      const end = await graph.invoke({ messages: [new HumanMessage({ id: 'new', content: 'other' })] }, configOf('d'));
      expect(end.messages.map(contentOf)).toEqual(['m1', 'echo m1', 'other', 'echo other']);
    },
  );
});

describe('a copy in a new thread', () => {
  test('of an older checkpoint: continues from there, the original is untouched', async () => {
    const { graph, ran } = counterGraph(saver, 6);
    await graph.invoke({ n: 0 }, configOf('t'));
    const original = await graph.getState(configOf('t'));
    const id = await idWhere('t', (item) => item.stepIndex === 2);
    const plan = await change({ kind: 'fork', ref: { task: 't', id } });
    expect(plan.view.targetTask).toBe('t-fork');
    expect((await graph.getState(configOf('t-fork'))).next).toEqual(['inc']);
    const end = await graph.invoke(null, configOf('t-fork'));
    expect([end.n, ran.inc]).toEqual([6, 10]);
    expect(await graph.getState(configOf('t'))).toEqual(original);
    expect((await store.source.plan({ kind: 'fork', ref: { task: 't', id } })).view.targetTask).toBe('t-fork-2');
  });

  test('of a checkpoint that waited: waits again with the same question, and can be answered otherwise', async () => {
    const { graph } = paymentGraph(saver);
    await graph.invoke({ amount: 5 }, configOf('pay'));
    const asked = (await graph.getState(configOf('pay'))).tasks[0]?.interrupts;
    await graph.invoke(new Command({ resume: false }), configOf('pay'));
    const id = await idWhere('pay', (item) => item.stepIndex === 1);
    await change({ kind: 'restore', ref: { task: 'pay', id }, targetTask: 'again' });
    expect((await graph.getState(configOf('again'))).tasks[0]?.interrupts).toEqual(asked);
    expect((await graph.invoke(new Command({ resume: true }), configOf('again'))).status).toBe('approved, done');
    expect((await graph.getState(configOf('pay'))).values.status).toBe('refused, done');
  });

  test('of a head whose subgraph waits: the subgraph continues where it is', async () => {
    const { graph, ran } = nestedGraph(saver);
    await graph.invoke({ notes: [] }, configOf('n'));
    const { ref } = await store.source.latest('n');
    if (!ref) throw new Error('The thread has a head.');
    await change({ kind: 'fork', ref, targetTask: 'copy' });
    const end = await graph.invoke(new Command({ resume: 'yes' }), configOf('copy'));
    expect(end.notes).toEqual(expect.arrayContaining(['plan', 'found', 'reviewed yes']));
    expect(ran.search).toBe(1);
    const inPlace = await change({ kind: 'restore', ref });
    expect(inPlace.view.warnings.map((warning) => warning.code)).toContain('subgraph_restarts');
    await graph.invoke(null, configOf('n'));
    expect(ran.search).toBe(2);
  });

  test('of a delta thread', async () => {
    const graph = deltaGraph(saver, 100);
    for (const n of [1, 2, 3])
      await graph.invoke({ messages: [new HumanMessage({ id: `h-${n}`, content: `m${n}` })] }, configOf('d'));
    const id = await idWhere('d', (item) => item.stepIndex === 4);
    await change({ kind: 'fork', ref: { task: 'd', id }, targetTask: 'e' });
    const end = await graph.invoke({ messages: [new HumanMessage({ id: 'new', content: 'x' })] }, configOf('e'));
    expect(end.messages.map(contentOf)).toEqual(['m1', 'echo m1', 'm2', 'echo m2', 'x', 'echo x']);
  });
});

describe('delete', () => {
  test('a middle checkpoint: its children hang under its parent, and can be read and restored', async () => {
    const { graph } = counterGraph(saver, 5);
    await graph.invoke({ n: 0 }, configOf('t'));
    const rows = await rootRows('t');
    const [gone, child] = [rows.find((item) => item.stepIndex === 2), rows.find((item) => item.stepIndex === 3)];
    if (!gone || !child) throw new Error('The run has these steps.');
    const plan = await change({ kind: 'delete', refs: [{ task: 't', id: gone.id }] });
    expect(plan.view.warnings.map((warning) => warning.code)).toContain('children_moved');
    const snapshot = await graph.getState({ configurable: { thread_id: 't', checkpoint_id: child.id } });
    expect([snapshot.values.n, snapshot.parentConfig?.configurable?.['checkpoint_id']]).toEqual([3, gone.parentId]);
    const history = [];
    for await (const item of graph.getStateHistory(configOf('t'))) history.push(item);
    expect(history).toHaveLength(rows.length - 1);
    await change({ kind: 'restore', ref: { task: 't', id: child.id } });
    expect((await graph.invoke(null, configOf('t'))).n).toBe(5);
  });

  test('the head alone is refused, a whole thread is not', async () => {
    const { graph, ran } = counterGraph(saver, 3);
    await graph.invoke({ n: 0 }, configOf('t'));
    const refs = (await rootRows('t')).map((item) => ({ task: 't', id: item.id }));
    await expect(store.source.plan({ kind: 'delete', refs: refs.slice(0, 1) })).rejects.toMatchObject({
      code: 'unsupported',
    });
    await change({ kind: 'delete', refs });
    expect((await graph.getState(configOf('t'))).values).toEqual({});
    await graph.invoke({ n: 0 }, configOf('t'));
    expect(ran.inc).toBe(6);
  });

  test('an ancestor in a delta thread is refused, in words', async () => {
    const graph = deltaGraph(saver, 100);
    await graph.invoke({ messages: [new HumanMessage({ id: 'h', content: 'm' })] }, configOf('d'));
    const id = await idWhere('d', (item) => item.stepIndex === 0);
    await expect(store.source.plan({ kind: 'delete', refs: [{ task: 'd', id }] })).rejects.toThrow(/delta channels/);
  });
});
