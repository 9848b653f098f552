/** Edits made here, judged by the real LangGraph. */
import { HumanMessage } from '@langchain/core/messages';
import { Command } from '@langchain/langgraph';
import type { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { patchJson, type CheckpointMeta, type EditRequest, type JsonEdit, type Plan } from '@checkpoint-inspector/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openRows, type TestStore } from './test-store.ts';
import { chatGraph, configOf, counterGraph, deltaGraph, nestedGraph, openSaver, paymentGraph } from './test-graphs.ts';

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

async function rootRows(thread: string): Promise<CheckpointMeta[]> {
  const { items } = await store.source.checkpoints(thread, { limit: 1000 });
  return items.filter((item) => item.namespace === undefined);
}

async function idAtStep(thread: string, step: number): Promise<string> {
  const found = (await rootRows(thread)).find((item) => item.stepIndex === step);
  if (!found) throw new Error('No such checkpoint.');
  return found.id;
}

/** Edits values of the channels, and carries the plan out. */
async function edit(
  thread: string,
  id: string,
  edits: readonly JsonEdit[],
  more: Partial<EditRequest> = {},
): Promise<Plan> {
  const ref = { task: thread, id };
  const text = patchJson((await store.source.state(ref))?.text ?? '', edits);
  const plan = await store.source.plan({ kind: 'edit', ref, text, ...more });
  await store.apply(plan);
  const { ref: latest } = await store.source.latest(plan.view.targetTask ?? thread);
  expect(latest).toEqual(plan.view.latestAfter);
  expect(await (latest && store.source.state(latest))).toMatchObject({ text, revision: plan.view.proofHash });
  return plan;
}

const set = (path: string, text: string): JsonEdit => ({ path: [path], text });

describe('an edit in the same thread', () => {
  test('is what LangGraph reads, as a child, and a run continues from it', async () => {
    const { graph, ran } = counterGraph(saver, 6);
    await graph.invoke({ n: 0 }, configOf('t'));
    const id = await idAtStep('t', 2);
    const before = await rootRows('t');
    const plan = await edit('t', id, [set('n', '4'), set('trail', '["by hand"]')], {
      reason: 'skip two',
      author: 'Ann',
    });
    const snapshot = await graph.getState(configOf('t'));
    expect([snapshot.values, snapshot.next]).toEqual([{ n: 4, trail: ['by hand'] }, ['inc']]);
    expect(snapshot.metadata).toMatchObject({
      source: 'update',
      step: 3,
      edited_from: id,
      edited_by: 'Ann',
      edit_reason: 'skip two',
    });
    expect(snapshot.parentConfig?.configurable?.['checkpoint_id']).toBe(id);
    const tuple = await saver.getTuple(configOf('t'));
    expect(tuple?.checkpoint.channel_values).toMatchObject({ n: 4 });
    expect(plan.view.next).toBe('graph.invoke(null, { configurable: { thread_id: "t" } })');
    const end = await graph.invoke(null, configOf('t'));
    expect([end.n, end.trail, ran.inc]).toEqual([6, ['by hand', 'n=5', 'n=6'], 6 + 2]);
    const after = await rootRows('t');
    expect(after.filter((item) => before.some((old) => old.id === item.id))).toHaveLength(before.length);
    expect(after.find((item) => item.id === plan.view.latestAfter?.id)).toMatchObject({
      parentId: id,
      lineage: 'recorded',
      trigger: 'edit',
      description: 'Edited by Ann: skip two',
    });
  });

  test('has the versions that updateState gives', async () => {
    const { graph } = counterGraph(saver, 4);
    await graph.invoke({ n: 0 }, configOf('t'));
    const id = await idAtStep('t', 2);
    await edit('t', id, [set('n', '40')]);
    const ours = await saver.getTuple(configOf('t'));
    const source = await saver.getTuple({ configurable: { thread_id: 't', checkpoint_id: id } });
    await graph.updateState({ configurable: { thread_id: 't', checkpoint_id: id } }, { n: 40 }, 'inc');
    const theirs = await saver.getTuple(configOf('t'));
    expect(ours?.checkpoint.channel_versions['n']).toBe(theirs?.checkpoint.channel_versions['n']);
    expect(ours?.checkpoint.channel_versions['trail']).toBe(source?.checkpoint.channel_versions['trail']);
    expect(ours?.checkpoint.versions_seen).toEqual(source?.checkpoint.versions_seen);
    expect(ours?.parentConfig).toEqual(theirs?.parentConfig);
    expect([ours?.metadata?.source, ours?.metadata?.step]).toEqual([theirs?.metadata?.source, theirs?.metadata?.step]);
  });

  test('a message that was changed is a message still, and the talk continues from it', async () => {
    const graph = chatGraph(saver);
    for (const n of [1, 2])
      await graph.invoke({ messages: [new HumanMessage({ id: `h-${n}`, content: `m${n}` })] }, configOf('chat'));
    const id = await idAtStep('chat', 1);
    await edit('chat', id, [{ path: ['messages', 1, 'kwargs', 'content'], text: '"corrected"' }]);
    const end = await graph.invoke({ messages: [new HumanMessage({ id: 'h-new', content: 'x' })] }, configOf('chat'));
    expect(end.messages.map((message) => [message.type, message.content])).toEqual([
      ['human', 'm1'],
      ['ai', 'corrected'],
      ['human', 'x'],
      ['ai', 'echo x'],
    ]);
  });

  test('of one that waits: the question is asked again, about the edited state', async () => {
    const { graph, ran } = paymentGraph(saver);
    await graph.invoke({ amount: 5 }, configOf('pay'));
    const { ref } = await store.source.latest('pay');
    const plan = await edit('pay', ref?.id ?? '', [set('amount', '7')]);
    expect(plan.view.warnings.map(({ code }) => code)).toEqual(['interrupt_asked_again', 'agent_active']);
    const asked = Reflect.get(await graph.invoke(null, configOf('pay')), '__interrupt__') as { value: string }[];
    expect(asked.map(({ value }) => value)).toEqual(['pay 7?']);
    const end = await graph.invoke(new Command({ resume: true }), configOf('pay'));
    expect([end.status, ran.draft]).toEqual(['approved, done', 1]);
  });

  test('of the trigger channels changes what runs next, and the plan says so', async () => {
    const { graph, ran } = counterGraph(saver, 3);
    await graph.invoke({ n: 0 }, configOf('t'));
    const { ref } = await store.source.latest('t');
    const text = (await store.source.state(ref ?? { task: 't', id: '' }))?.text ?? '';
    const again = `${text.slice(0, -1)},"branch:to:inc":null}`;
    const plan = await store.source.plan({ kind: 'edit', ref: ref ?? { task: 't', id: '' }, text: again });
    expect(plan.view.warnings.find(({ code }) => code === 'next_changed')?.message).toBe(
      'After the edit inc runs next; before it was nothing.',
    );
    await store.apply(plan);
    expect((await graph.getState(configOf('t'))).next).toEqual(['inc']);
    expect([(await graph.invoke(null, configOf('t'))).n, ran.inc]).toEqual([4, 4]);
  });

  test('two edits of one checkpoint are two branches', async () => {
    const { graph } = counterGraph(saver, 3);
    await graph.invoke({ n: 0 }, configOf('t'));
    const id = await idAtStep('t', 1);
    await edit('t', id, [set('n', '7')]);
    await edit('t', id, [set('n', '8')]);
    const children = (await rootRows('t')).filter((item) => item.parentId === id);
    expect(children.map((item) => item.trigger)).toEqual(['edit', 'edit', 'auto']);
    expect((await graph.getState(configOf('t'))).values.n).toBe(8);
  });

  test('a restored edit is a restore, an edited restore an edit', async () => {
    const { graph } = counterGraph(saver, 2);
    await graph.invoke({ n: 0 }, configOf('t'));
    const edited = await edit('t', await idAtStep('t', 1), [set('n', '7')]);
    const restore = await store.source.plan({ kind: 'restore', ref: edited.view.latestAfter ?? { task: 't', id: '' } });
    await store.apply(restore);
    await edit('t', restore.view.latestAfter?.id ?? '', [set('n', '9')]);
    const [last, middle] = await rootRows('t');
    expect([last?.trigger, middle?.trigger]).toEqual(['edit', 'restore']);
  });
});

describe('an edit into a new thread', () => {
  test('copies what led to it, and continues there; the own thread stays', async () => {
    const { graph } = counterGraph(saver, 5);
    await graph.invoke({ n: 0 }, configOf('t'));
    const before = (await graph.getState(configOf('t'))).values;
    const plan = await edit('t', await idAtStep('t', 2), [set('n', '3')], { targetTask: 'try' });
    expect(plan.view.writes.items[0]?.ref).toEqual(plan.view.latestAfter);
    const end = await graph.invoke(null, configOf('try'));
    expect([end.n, end.trail]).toEqual([5, ['n=1', 'n=2', 'n=4', 'n=5']]);
    expect((await graph.getState(configOf('t'))).values).toEqual(before);
  });
});

describe('what is refused, and why', () => {
  const refused = async (thread: string, id: string, text: string) =>
    store.source.plan({ kind: 'edit', ref: { task: thread, id }, text }).then(
      () => ({ code: 'planned', message: '' }),
      (error: { code: string; message: string }) => error,
    );

  test('delta channels, subgraphs', async () => {
    const graph = deltaGraph(saver, 100);
    await graph.invoke({ messages: [new HumanMessage({ id: 'h', content: 'm' })] }, configOf('d'));
    const { ref } = await store.source.latest('d');
    expect(await refused('d', ref?.id ?? '', '{}')).toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('(messages)'),
    });
    const nested = nestedGraph(saver);
    await nested.graph.invoke({ notes: [] }, configOf('n'));
    const sub = (await store.source.checkpoints('n')).items.find((item) => item.namespace !== undefined);
    const request = {
      kind: 'edit',
      ref: { task: 'n', namespace: sub?.namespace ?? '', id: sub?.id ?? '' },
      text: '{}',
    };
    await expect(store.source.plan(request as EditRequest)).rejects.toMatchObject({ code: 'unsupported' });
  });

  test('an envelope of a kind that the checkpoint does not hold; a copy of one that it holds may stay', async () => {
    const graph = chatGraph(saver);
    await graph.invoke({ messages: [new HumanMessage({ id: 'h', content: 'm' })] }, configOf('c'));
    const ref = (await store.source.latest('c')).ref ?? { task: 'c', id: '' };
    const text = (await store.source.state(ref))?.text ?? '';
    const secret = '{"lc":1,"type":"secret","id":["OPENAI_API_KEY"]}';
    const call = '{"lc":2,"type":"constructor","id":["os","system"],"args":["true"]}';
    for (const planted of [secret, call]) {
      const edited = patchJson(text, [{ path: ['messages', 0, 'kwargs', 'content'], text: planted }]);
      expect(await refused('c', ref.id, edited)).toMatchObject({
        code: 'unsupported',
        message: expect.stringContaining('$.messages[0].kwargs.content'),
      });
    }
    const twice = text.replace(/"messages":\[(\{.*?\}\}),/s, '"messages":[$1,$1,');
    expect(twice).not.toBe(text);
    expect(await refused('c', ref.id, twice)).toMatchObject({ code: 'planned' });
  });

  test('text that is not JSON for LangGraph, or no object', async () => {
    const { graph } = counterGraph(saver, 2);
    await graph.invoke({ n: 0 }, configOf('t'));
    const id = await idAtStep('t', 1);
    expect(await refused('t', id, '{"n": NaN}')).toMatchObject({
      code: 'invalid_input',
      data: { offset: 6, line: 1, column: 7 },
    });
    expect(await refused('t', id, '[]')).toMatchObject({ code: 'invalid_input' });
  });
});
