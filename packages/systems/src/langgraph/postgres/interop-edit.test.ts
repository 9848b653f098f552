/** Edits made here in PostgreSQL, judged by the real LangGraph and its PostgresSaver. */
import { HumanMessage } from '@langchain/core/messages';
import { Annotation, Command, END, START, StateGraph } from '@langchain/langgraph';
import type { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import {
  patchJson,
  setMember,
  type CheckpointMeta,
  type EditRequest,
  type JsonEdit,
  type Plan,
} from '@checkpoint-inspector/core';
import { describeWithPostgres } from '@checkpoint-inspector/io/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { applyPlan, undoPlan } from '../../test-executor.ts';
import { chatGraph, configOf, counterGraph, deltaGraph, paymentGraph } from '../test-graphs.ts';
import { dumpOf, openSaverStore, type SaverStore } from './test-saver.ts';
import type { PostgresStore } from './test-store.ts';

describeWithPostgres('an edit in PostgreSQL', () => {
  let opened: SaverStore;
  let store: PostgresStore;
  let saver: PostgresSaver;
  beforeEach(async () => {
    opened = await openSaverStore();
    ({ store, saver } = opened);
  });
  afterEach(() => opened.close());

  const rootRows = async (thread: string): Promise<readonly CheckpointMeta[]> =>
    (await store.source.checkpoints(thread, { limit: 1000 })).items.filter((item) => item.namespace === undefined);
  const idOfStep = async (thread: string, step: number): Promise<string> =>
    (await rootRows(thread)).find((item) => item.stepIndex === step)?.id ?? 'none';
  const textOf = async (task: string, id: string) => (await store.source.state({ task, id }))?.text ?? '';
  const set = (path: string, text: string): JsonEdit => ({ path: [path], text });

  /** Carries an edit out, undoes it, and carries it out again. */
  async function edit(thread: string, id: string, text: string, more: Partial<EditRequest> = {}): Promise<Plan> {
    const before = await dumpOf(store.database);
    const plan = await store.source.plan({ kind: 'edit', ref: { task: thread, id }, text, ...more });
    expect(await dumpOf(store.database)).toBe(before);
    const { images } = await applyPlan(plan);
    await undoPlan(plan, images);
    expect(await dumpOf(store.database)).toBe(before);
    await applyPlan(plan);
    const { ref: latest } = await store.source.latest(plan.view.targetTask ?? thread);
    expect(latest).toEqual(plan.view.latestAfter);
    expect(await (latest && store.source.state(latest))).toMatchObject({ revision: plan.view.proofHash });
    return plan;
  }

  test('is what LangGraph reads, as a child, and a run continues from it', async () => {
    const { graph, ran } = counterGraph(saver, 6);
    await graph.invoke({ n: 0 }, configOf('t'));
    const id = await idOfStep('t', 2);
    const before = await Promise.all((await rootRows('t')).map((row) => textOf('t', row.id)));
    const text = patchJson(await textOf('t', id), [set('n', '4'), set('trail', '["by hand"]')]);
    const { view } = await edit('t', id, text, { reason: 'skip two', author: 'Ann' });
    const snapshot = await graph.getState(configOf('t'));
    expect([snapshot.values, snapshot.next]).toEqual([{ n: 4, trail: ['by hand'] }, ['inc']]);
    expect(snapshot.metadata).toMatchObject({ source: 'update', step: 3, edited_from: id, edited_by: 'Ann' });
    expect(snapshot.parentConfig?.configurable?.['checkpoint_id']).toBe(id);
    const end = await graph.invoke(null, configOf('t'));
    expect([end.n, end.trail, ran.inc]).toEqual([6, ['by hand', 'n=5', 'n=6'], 6 + 2]);
    expect((await graph.getState(configOf('t'))).values).toEqual({ n: 6, trail: ['by hand', 'n=5', 'n=6'] });
    const after = await rootRows('t');
    expect(await Promise.all(after.slice(-before.length).map((row) => textOf('t', row.id)))).toEqual(before);
    expect(after.find((item) => item.id === view.latestAfter?.id)).toMatchObject({
      parentId: id,
      trigger: 'edit',
      description: 'Edited by Ann: skip two',
    });
  });

  test('gives changed channels a version of their own, above all of the thread, and shares the other values', async () => {
    const { graph } = counterGraph(saver, 6);
    await graph.invoke({ n: 0 }, configOf('t'));
    const id = await idOfStep('t', 2);
    const blobs = () =>
      store.database.run<{ channel: string; version: string; type: string }>(
        'SELECT channel, version, type FROM checkpoint_blobs ORDER BY version::int DESC, channel',
      );
    const before = await blobs();
    await edit('t', id, patchJson(await textOf('t', id), [set('n', '40')]));
    const ours = await saver.getTuple(configOf('t'));
    const source = await saver.getTuple({ configurable: { thread_id: 't', checkpoint_id: id } });
    const [added, ...others] = await blobs();
    expect(others).toEqual(before);
    expect(added).toEqual({ channel: 'n', version: String(Number(before[0]?.version) + 1), type: 'json' });
    expect(ours?.checkpoint.channel_versions).toEqual({
      ...source?.checkpoint.channel_versions,
      n: Number(added?.version),
    });
    expect(ours?.checkpoint.versions_seen).toEqual(source?.checkpoint.versions_seen);
  });

  test('keeps every digit, space and escape of a value, and tells the runs of two edits apart', async () => {
    const State = Annotation.Root({ value: Annotation<unknown>(), runs: Annotation<number>() });
    const graph = new StateGraph(State)
      .addNode('a', () => ({ runs: 1 }))
      .addNode('b', (state) => ({ runs: state.runs + 1 }))
      .addEdge(START, 'a')
      .addEdge('a', 'b')
      .addEdge('b', END)
      .compile({ checkpointer: saver });
    await graph.invoke({ value: { a: 1 } }, configOf('t'));
    const id = await idOfStep('t', 1);
    for (const value of ['{ "n":\n1.50, "e": 1e400, "big": 123456789012345678901 }', '["\\u00e9\\u0000", -0.0]']) {
      const { view } = await edit('t', id, patchJson(await textOf('t', id), [set('value', value)]));
      expect(await textOf('t', view.latestAfter?.id ?? '')).toContain(`"value":${value}`);
      await graph.invoke(null, configOf('t'));
      expect((await graph.getState(configOf('t'))).values).toEqual({ value: JSON.parse(value), runs: 2 });
    }
  });

  test('removes a channel and adds one', async () => {
    const { graph } = paymentGraph(saver);
    await graph.invoke({ amount: 5 }, configOf('p'));
    const { ref } = await store.source.latest('p');
    const { status: _gone, ...rest } = JSON.parse(await textOf('p', ref?.id ?? '')) as Record<string, unknown>;
    const { view } = await edit('p', ref?.id ?? '', JSON.stringify({ ...rest, extra: [1] }));
    expect(view.warnings.map(({ code }) => code)).toContain('new_channel');
    expect(JSON.parse(await textOf('p', view.latestAfter?.id ?? ''))).toEqual({ ...rest, extra: [1] });
    const asked = Reflect.get(await graph.invoke(null, configOf('p')), '__interrupt__') as { value: string }[];
    expect(asked.map(({ value }) => value)).toEqual(['pay 5?']);
    const end = await graph.invoke(new Command({ resume: true }), configOf('p'));
    expect(end).toEqual({ amount: 5, status: 'approved, done' });
  });

  test('of a message leaves it a message; one without a change is a restore under the target', async () => {
    const graph = chatGraph(saver);
    const say = (id: string) => graph.invoke({ messages: [new HumanMessage({ id, content: id })] }, configOf('c'));
    for (const id of ['m1', 'm2']) await say(id);
    const id = await idOfStep('c', 1);
    const text = await textOf('c', id);
    const same = await edit('c', id, text);
    expect(same.view.warnings.map(({ code }) => code)).toContain('unchanged');
    expect((await say('other')).messages.map(({ content }) => content)).toEqual([
      'm1',
      'echo m1',
      'other',
      'echo other',
    ]);
    await edit('c', id, patchJson(text, [{ path: ['messages', 1, 'kwargs', 'content'], text: '"corrected"' }]));
    const end = await say('again');
    expect(end.messages.map((message) => [message.type, message.content])).toEqual([
      ['human', 'm1'],
      ['ai', 'corrected'],
      ['human', 'again'],
      ['ai', 'echo again'],
    ]);
  });

  test('in a new thread copies what led to it, and continues there', async () => {
    const { graph } = counterGraph(saver, 6);
    await graph.invoke({ n: 0 }, configOf('t'));
    const original = await graph.getState(configOf('t'));
    const id = await idOfStep('t', 2);
    await edit('t', id, patchJson(await textOf('t', id), [set('n', '5')]), { targetTask: 'other' });
    expect((await graph.invoke(null, configOf('other'))).trail).toEqual(['n=1', 'n=2', 'n=6']);
    expect(await graph.getState(configOf('t'))).toEqual(original);
  });

  test('is refused in words: delta channels, characters that JSON columns do not take, a save meanwhile', async () => {
    const delta = deltaGraph(saver, 100);
    await delta.invoke({ messages: [new HumanMessage({ id: 'h', content: 'm' })] }, configOf('d'));
    const { ref } = await store.source.latest('d');
    if (!ref) throw new Error('The thread has a head.');
    const refused = (task: string, id: string, text: string, more: Partial<EditRequest> = {}) =>
      store.source.plan({ kind: 'edit', ref: { task, id }, text, ...more });
    await expect(refused('d', ref.id, '{"messages":[]}')).rejects.toThrow(/built from changes/);
    expect((await store.source.capability?.(ref))?.edit).toContain('built from changes');

    const { graph } = counterGraph(saver, 2);
    await graph.invoke({ n: 0 }, configOf('t'));
    const id = await idOfStep('t', 1);
    const text = await textOf('t', id);
    await expect(refused('t', id, text, { author: 'A\0nn' })).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(refused('t', id, setMember(text, [], 'a\0', '1'))).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(refused('t', id, '{"n": NaN}')).rejects.toMatchObject({ code: 'invalid_input' });
    const plan = await refused('t', id, patchJson(text, [set('n', '9')]));
    await graph.invoke({ n: 1 }, configOf('t'));
    const before = await dumpOf(store.database);
    await expect(applyPlan(plan)).rejects.toMatchObject({ code: 'head_moved' });
    expect(await dumpOf(store.database)).toBe(before);
  });
});
