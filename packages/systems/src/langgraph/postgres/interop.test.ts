/** Changes made here in PostgreSQL, judged by the real LangGraph and its PostgresSaver. */
import { HumanMessage, type BaseMessage } from '@langchain/core/messages';
import { Command } from '@langchain/langgraph';
import type { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { sha256Hex, type CheckpointMeta, type Plan, type SystemRequest } from '@checkpoint-inspector/core';
import { describeWithPostgres } from '@checkpoint-inspector/io/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { applyPlan, undoPlan } from '../../test-executor.ts';
import { chatGraph, configOf, counterGraph, nestedGraph, paymentGraph } from '../test-graphs.ts';
import { dumpOf, openSaverStore, type SaverStore } from './test-saver.ts';
import type { PostgresStore } from './test-store.ts';

describeWithPostgres('LangGraph goes on in PostgreSQL', () => {
  let opened: SaverStore;
  let store: PostgresStore;
  let saver: PostgresSaver;
  beforeEach(async () => {
    opened = await openSaverStore();
    ({ store, saver } = opened);
  });
  afterEach(() => opened.close());

  const rootRows = async (thread: string): Promise<CheckpointMeta[]> =>
    (await store.source.checkpoints(thread, { limit: 1000 })).items.filter((item) => item.namespace === undefined);
  const idOfStep = async (thread: string, step: number): Promise<string> =>
    (await rootRows(thread)).find((item) => item.stepIndex === step)?.id ?? 'none';
  const dump = () => dumpOf(store.database);
  const change = async (request: SystemRequest): Promise<Plan & { undo: () => Promise<unknown> }> => {
    const before = await dump();
    const plan = await store.source.plan(request);
    expect(await dump()).toBe(before);
    for (const condition of plan.view.preconditions) {
      if (condition.kind !== 'revision') continue;
      // What the bytes that are looked at again before the change have.
      expect(condition.revision).toBe(await sha256Hex((await store.source.raw?.(condition.ref)) ?? ''));
    }
    const { images } = await applyPlan(plan);
    const latest = await store.source.latest(plan.view.targetTask ?? plan.view.task);
    expect(latest.ref).toEqual(plan.view.latestAfter);
    if (plan.view.proofHash !== undefined && latest.ref) {
      expect((await store.source.state(latest.ref))?.revision).toBe(plan.view.proofHash);
    }
    return {
      ...plan,
      undo: async () => {
        await undoPlan(plan, images);
        expect(await dump()).toBe(before);
      },
    };
  };

  test('a run continues from the restored state with values of its own, and the old branch stays as it was', async () => {
    const { graph, ran } = counterGraph(saver, 6);
    await graph.invoke({ n: 0 }, configOf('t'));
    const id = await idOfStep('t', 2);
    const states = async () =>
      Promise.all(
        (await rootRows('t')).map(async (row) => (await store.source.state({ task: 't', id: row.id }))?.text),
      );
    const before = await states();
    const plan = await change({ kind: 'restore', ref: { task: 't', id } });
    const snapshot = await graph.getState(configOf('t'));
    expect([snapshot.values.n, snapshot.next]).toEqual([2, ['inc']]);
    expect(snapshot.metadata).toMatchObject({ source: 'fork', step: 3, restored_from: id });
    const end = await graph.invoke(null, configOf('t'));
    expect([end.n, end.trail, ran.inc]).toEqual([6, ['n=1', 'n=2', 'n=3', 'n=4', 'n=5', 'n=6'], 10]);
    expect((await rootRows('t')).at(3)?.parentId).toBe(plan.view.latestAfter?.id);
    expect((await states()).slice(-before.length)).toEqual(before);
  });

  test('what the new run writes is read back, not what the old one had written under the same version', async () => {
    const graph = chatGraph(saver);
    for (const n of [1, 2, 3]) {
      await graph.invoke({ messages: [new HumanMessage({ id: `h-${n}`, content: `m${n}` })] }, configOf('chat'));
    }
    await change({ kind: 'restore', ref: { task: 'chat', id: await idOfStep('chat', 1) } });
    const said = async () => {
      const { values } = await graph.getState(configOf('chat'));
      return values.messages.map((message: BaseMessage) => message.content);
    };
    expect(await said()).toEqual(['m1', 'echo m1']);
    await graph.invoke({ messages: [new HumanMessage({ id: 'h-new', content: 'other' })] }, configOf('chat'));
    expect(await said()).toEqual(['m1', 'echo m1', 'other', 'echo other']);
    const again = await store.source.plan({ kind: 'restore', ref: { task: 'chat', id: await idOfStep('chat', 4) } });
    expect(again.view.warnings.map(({ code }) => code)).toEqual(['version_collision', 'agent_active']);
  });

  test('a question is asked again with a new id, and answered otherwise', async () => {
    const { graph, ran } = paymentGraph(saver);
    const first = await graph.invoke({ amount: 5 }, configOf('pay'));
    const asked = Reflect.get(first, '__interrupt__') as { id: string; value: string }[];
    await graph.invoke(new Command({ resume: false }), configOf('pay'));
    const plan = await change({ kind: 'restore', ref: { task: 'pay', id: await idOfStep('pay', 1) } });
    expect(plan.view.warnings.map(({ code }) => code)).toEqual(['interrupt_asked_again', 'agent_active']);
    const again = Reflect.get(await graph.invoke(null, configOf('pay')), '__interrupt__') as typeof asked;
    expect(again[0]?.value).toBe(asked[0]?.value);
    const end = await graph.invoke(new Command({ resume: true }), configOf('pay'));
    expect([end.status, ran.draft]).toEqual(['approved, done', 1]);
  });

  test('a copy in a new thread keeps its question, subgraph and values, and the original is untouched', async () => {
    const { graph } = paymentGraph(saver);
    await graph.invoke({ amount: 5 }, configOf('pay'));
    const { undo, view } = await change({
      kind: 'fork',
      ref: { task: 'pay', id: (await rootRows('pay'))[0]?.id ?? '' },
    });
    expect(view.targetTask).toBe('pay-fork');
    const end = await graph.invoke(new Command({ resume: true }), configOf('pay-fork'));
    expect(end.status).toBe('approved, done');
    expect((await graph.getState(configOf('pay'))).next).toEqual(['approval']);
    await expect(undo()).rejects.toThrow();
    await graph.invoke(new Command({ resume: false }), configOf('pay'));
    const older = await change({
      kind: 'fork',
      ref: { task: 'pay', id: await idOfStep('pay', 1) },
      targetTask: 'other',
    });
    expect((await graph.getState(configOf('other'))).next).toEqual(['approval']);
    await older.undo();
    await change({ kind: 'fork', ref: { task: 'pay', id: await idOfStep('pay', 1) }, targetTask: 'other' });
    const answered = await graph.invoke(new Command({ resume: true }), configOf('other'));
    expect(answered.status).toBe('approved, done');
  });

  test('a waiting subgraph goes on in the copy', async () => {
    const { graph, ran } = nestedGraph(saver);
    await graph.invoke({ notes: [] }, configOf('n'));
    const { ref } = await store.source.latest('n');
    if (!ref) throw new Error('The thread has a head.');
    await change({ kind: 'fork', ref, targetTask: 'copy' });
    const end = await graph.invoke(new Command({ resume: 'yes' }), configOf('copy'));
    expect(end.notes).toEqual(expect.arrayContaining(['plan', 'found', 'reviewed yes']));
    expect(ran.search).toBe(1);
    const inPlace = await change({ kind: 'restore', ref });
    expect(inPlace.view.warnings.map(({ code }) => code)).toContain('subgraph_restarts');
    await graph.invoke(null, configOf('n'));
    expect(ran.search).toBe(2);
  });

  test('a checkpoint in the middle is deleted with the values that only it has; undo puts every row back', async () => {
    const { graph } = counterGraph(saver, 6);
    await graph.invoke({ n: 0 }, configOf('t'));
    const rows = await rootRows('t');
    const middle = await idOfStep('t', 3);
    const blobs = async () =>
      Number((await store.database.run<{ n: string }>('SELECT count(*) AS n FROM checkpoint_blobs'))[0]?.n);
    const before = await blobs();
    const { undo, view } = await change({ kind: 'delete', refs: [{ task: 't', id: middle }] });
    expect(view.warnings.map(({ code }) => code)).toEqual(['children_moved', 'shared_blobs', 'agent_active']);
    expect(await blobs()).toBeLessThan(before);
    const history: unknown[] = [];
    for await (const { values } of graph.getStateHistory(configOf('t'))) history.push(values.n);
    expect(history).toEqual(
      rows
        .filter(({ id }) => id !== middle)
        .map(({ stepIndex = 0 }) => (stepIndex < 1 ? [undefined, 0][stepIndex + 1] : stepIndex)),
    );
    await undo();
    const whole = await change({ kind: 'delete', refs: rows.map(({ id }) => ({ task: 't', id })) });
    expect([whole.view.latestAfter, await dump()]).toEqual([undefined, null]);
    await whole.undo();
    expect((await graph.getState(configOf('t'))).values.n).toBe(6);
  });

  test('a save after the preview stops the change, and nothing is written', async () => {
    const graph = chatGraph(saver);
    await graph.invoke({ messages: [new HumanMessage({ id: 'h-1', content: 'a' })] }, configOf('t'));
    const plan = await store.source.plan({ kind: 'restore', ref: { task: 't', id: await idOfStep('t', 0) } });
    await graph.invoke({ messages: [new HumanMessage({ id: 'h-2', content: 'b' })] }, configOf('t'));
    const before = await dump();
    await expect(applyPlan(plan)).rejects.toMatchObject({ code: 'head_moved' });
    expect(await dump()).toBe(before);
  });
});
