/** What waits beside a checkpoint, held against what the real LangGraph answers about it. */
import { Annotation, Command, END, interrupt, Send, START, StateGraph } from '@langchain/langgraph';
import type { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import type { Beside } from '@checkpoint-inspector/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configOf, nestedGraph, openSaver, paymentGraph } from './test-graphs.ts';
import { idAt, openRows, type TestStore } from './test-store.ts';
import { langgraphRow, langgraphWrite } from './tables.ts';

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

const State = Annotation.Root({ log: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }) });
const LONG = `upstream said no: ${'x'.repeat(3000)}`;

/** Two nodes side by side: one finishes, the other fails or asks. */
function sideBySide(bad: () => { log: string[] }) {
  return new StateGraph(State)
    .addNode('first', () => ({ log: ['first'] }))
    .addNode('good', () => ({ log: ['good done'] }))
    .addNode('bad', bad)
    .addNode('join', () => ({ log: ['joined'] }))
    .addEdge(START, 'first')
    .addEdge('first', 'good')
    .addEdge('first', 'bad')
    .addEdge(['good', 'bad'], 'join')
    .addEdge('join', END)
    .compile({ checkpointer: saver });
}

async function besideHead(task: string): Promise<Beside> {
  const { ref } = await store.source.latest(task);
  const beside = ref && (await store.source.beside?.(ref));
  if (beside === undefined) throw new Error('There is no head.');
  return beside;
}

const descriptionOfHead = async (task: string) =>
  (await store.source.checkpoints(task, { limit: 1 })).items[0]?.description;

describe('a node that failed beside one that finished', () => {
  beforeEach(async () => {
    const graph = sideBySide(() => {
      throw new TypeError(LONG);
    });
    await expect(graph.invoke({}, configOf('t'))).rejects.toThrow('upstream');
    const snapshot = await graph.getState(configOf('t'));
    expect(snapshot.next).toEqual(['bad']);
    expect((await besideHead('t')).next).toEqual(snapshot.next);
  });

  test('the whole error is given with its node', async () => {
    const { error, errors } = await besideHead('t');
    expect(error).toBe(`TypeError: ${LONG}`);
    expect(errors?.[0]).toEqual({ node: 'bad', text: `TypeError: ${LONG}` });
  });

  test('what the other node has written is given by node and channel', async () => {
    const { writes } = await besideHead('t');
    expect(writes?.filter(({ channel }) => channel === 'log')).toMatchObject([
      { node: 'good', channel: 'log', text: '["good done"]', sizeBytes: 13 },
    ]);
    expect(new Set(writes?.map(({ node }) => node))).toEqual(new Set(['good']));
  });

  test('a list says which node runs next, without the one that has finished', async () => {
    expect(await descriptionOfHead('t')).toBe('first; next: bad');
    expect((await store.source.tasks()).items[0]?.status).toBe('failed');
  });
});

test('a question names the node that asks, and only that one runs next', async () => {
  const graph = sideBySide(() => ({ log: [String(interrupt('go on?'))] }));
  await graph.invoke({}, configOf('t'));
  const { next } = await graph.getState(configOf('t'));
  expect(next).toEqual(['bad']);
  expect(await besideHead('t')).toMatchObject({ next, requests: [{ from: 'bad', text: 'go on?' }] });
  expect(await descriptionOfHead('t')).toBe('first; next: bad');
});

test('every checkpoint of a history has the next nodes that LangGraph gives for it', async () => {
  const { graph } = paymentGraph(saver);
  await graph.invoke({ amount: 5 }, configOf('t'));
  await graph.invoke(new Command({ resume: true }), configOf('t'));
  const answers: [unknown, readonly string[]][] = [];
  for await (const item of graph.getStateHistory(configOf('t'))) {
    const id = item.config.configurable?.['checkpoint_id'] as string;
    answers.push([id, item.next]);
    expect((await store.source.beside?.({ task: 't', id }))?.next, id).toEqual(item.next);
  }
  expect(answers).toHaveLength(5);
});

test('of the sends of one step, those that have finished run no more, and each write has its node', async () => {
  const graph = new StateGraph(State)
    .addNode('plan', () => ({ log: ['plan'] }))
    .addNode('worker', (input: { n?: number }) => {
      if (input.n === 1) throw new Error('worker 1 is ill');
      return { log: [`worker ${input.n}`] };
    })
    .addEdge(START, 'plan')
    .addConditionalEdges('plan', () => [0, 1, 2].map((n) => new Send('worker', { n })), ['worker'])
    .addEdge('worker', END)
    .compile({ checkpointer: saver });
  await expect(graph.invoke({}, configOf('t'))).rejects.toThrow('ill');
  const { next } = await graph.getState(configOf('t'));
  const { writes, errors, next: ours } = await besideHead('t');
  expect(ours).toEqual(next);
  expect(errors?.[0]).toEqual({ node: 'worker', text: 'Error: worker 1 is ill' });
  expect(writes?.map(({ node, text }) => [node, text])).toEqual(expect.arrayContaining([['worker', '["worker 0"]']]));
});

test('a question inside a subgraph names the node inside, and the one around it outside', async () => {
  const { graph } = nestedGraph(saver);
  await graph.invoke({}, configOf('t'));
  const { next } = await graph.getState(configOf('t'));
  expect(await besideHead('t')).toMatchObject({ next, requests: [{ from: 'research', text: 'good?' }] });
  const { items } = await store.source.checkpoints('t');
  const inner = items.find((item) => item.namespace !== undefined && item.status === 'interrupted');
  const ref = { task: 't', namespace: inner?.namespace ?? '', id: inner?.id ?? '' };
  expect(await store.source.beside?.(ref)).toMatchObject({ next: ['review'], requests: [{ from: 'review' }] });
});

test('the error that stopped a step is told before those of the nodes that it stopped', async () => {
  const row = langgraphRow({
    thread: 't',
    id: idAt(1),
    ts: '2026-01-01T00:00:00Z',
    source: 'loop',
    step: 1,
    values: {},
  });
  const error = (taskId: string, value: object) =>
    langgraphWrite({ thread: 't', id: idAt(1), taskId, idx: -1, channel: '__error__', value });
  await store.close();
  store = await openRows(
    [row],
    [error('a', { name: 'TypeError', message: 'no' }), error('b', { name: 'AbortError', message: 'was aborted' })],
  );
  expect((await store.source.tasks()).items[0]?.lastError).toBe('TypeError: no');
  expect((await besideHead('t')).errors?.map(({ text }) => text)).toEqual(['TypeError: no', 'AbortError: was aborted']);
});

describe('writes that are odd', () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  const row = (n: number) =>
    langgraphRow({ thread: 't', id: idAt(n), ts: '2026-01-01T00:00:00Z', source: 'loop', step: n, values: { n } });

  test('a write that cannot be read says how it is stored, and the others are given', async () => {
    const write = langgraphWrite({ thread: 't', id: idAt(1), taskId: 'a', idx: 0, channel: 'log', value: ['x'] });
    const odd = { ...write, idx: 1, channel: 'other', type: 'pickle', value: new Uint8Array([0xc3]) };
    await store.close();
    store = await openRows([row(1)], [write, odd]);
    const { writes } = await besideHead('t');
    expect(writes).toMatchObject([
      { taskId: 'a', channel: 'log', text: '["x"]' },
      { taskId: 'a', channel: 'other', sizeBytes: 1, problem: expect.stringContaining('pickle') },
    ]);
    expect(writes?.[1]?.text).toBeUndefined();
  });

  test.each([
    ['NULL', { value: null }, /^The value is NULL/],
    ['a number', { value: 5 }, /^The value is stored as (real|integer)/],
    ['bad UTF-8', { value: new Uint8Array([0x22, 0xff, 0x22]) }, /^The value isn't valid UTF-8/],
    ['cut off', { value: bytes('{"a":[1,') }, /^Not JSON at offset 8/],
    ['empty', { value: bytes('') }, /^Not JSON at offset 0/],
  ])(
    'a JSON write that is damaged (%s) says what is wrong with it, not that its format is unknown',
    async (_, columns, why) => {
      const write = langgraphWrite({ thread: 't', id: idAt(1), taskId: 'a', idx: 0, channel: 'log', value: ['x'] });
      const of = (idx: number, channel: string) => ({ ...write, idx, channel, ...columns });
      await store.close();
      store = await openRows([row(1)], [of(0, 'log'), of(1, '__interrupt__'), of(2, '__error__')]);
      const { writes, requests, error } = await besideHead('t');
      expect(writes).toMatchObject([{ channel: 'log', problem: expect.stringMatching(why) }]);
      expect(writes?.[0]?.text).toBeUndefined();
      expect(requests).toMatchObject([{ unread: true, text: expect.stringMatching(/^The question can't be read: /) }]);
      expect(JSON.stringify([writes, requests, error])).not.toContain('this version');
    },
  );

  test('an error that is damaged says why', async () => {
    const write = langgraphWrite({ thread: 't', id: idAt(1), taskId: 'a', idx: 0, channel: '__error__', value: 'x' });
    await store.close();
    store = await openRows(
      [row(1)],
      [
        { ...write, value: null },
        { ...write, idx: 1, value: bytes('out of memory') },
      ],
    );
    const { errors } = await besideHead('t');
    expect(errors?.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^The error can't be read: Not JSON at offset 0/),
      expect.stringMatching(/^The error can't be read: The value is NULL/),
    ]);
  });

  test('a very large write is named with its size, and of very many the first are given', async () => {
    const large = langgraphWrite({
      thread: 't',
      id: idAt(1),
      taskId: 'a',
      idx: 0,
      channel: 'log',
      value: 'x'.repeat(300_000),
    });
    const many = Array.from({ length: 700 }, (_, idx) =>
      langgraphWrite({ thread: 't', id: idAt(1), taskId: 'b', idx, channel: 'n', value: idx }),
    );
    await store.close();
    store = await openRows([row(1)], [large, ...many]);
    const { writes, moreWrites } = await besideHead('t');
    expect(writes?.[0]).toMatchObject({ sizeBytes: 300_002, problem: expect.stringContaining('large') });
    expect((writes?.length ?? 0) + (moreWrites ?? 0)).toBe(701);
    expect(writes).toHaveLength(500);
  });
});
