/** For tests: what the real LangGraph does after changes made here, the same over every saver. */
import { HumanMessage, type BaseMessage } from '@langchain/core/messages';
import { Annotation, Command, END, START, StateGraph } from '@langchain/langgraph';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import type { Changeable, CheckpointMeta, CheckpointSource, Plan, SystemRequest } from '@checkpoint-inspector/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chatGraph, configOf, counterGraph, deltaGraph, nestedGraph, paymentGraph } from './test-graphs.ts';

export interface Lab {
  readonly saver: BaseCheckpointSaver;
  readonly source: CheckpointSource & Changeable;
  /** Carries the plan out; the answer undoes it. */
  apply(plan: Plan): Promise<() => Promise<unknown>>;
  close(): Promise<void>;
}

const said = (messages: readonly BaseMessage[]) => messages.map(({ content }) => content);

/** Writes another draft each time. */
function draftGraph(saver: BaseCheckpointSaver) {
  let drafts = 0;
  const State = Annotation.Root({ topic: Annotation<string>(), draft: Annotation<string>() });
  return new StateGraph(State)
    .addNode('plan', () => ({}))
    .addNode('write', () => ({ draft: `draft #${++drafts}` }))
    .addNode('check', (state) => ({ draft: `${state.draft}, checked` }))
    .addEdge(START, 'plan')
    .addEdge('plan', 'write')
    .addEdge('write', 'check')
    .addEdge('check', END)
    .compile({ checkpointer: saver });
}

/** Its subgraph counts from one run to the next, in rows of its own. */
function lastingGraph(saver: BaseCheckpointSaver) {
  const Count = Annotation.Root({ runs: Annotation<number>({ reducer: (a, b) => a + b, default: () => 0 }) });
  const counter = new StateGraph(Count)
    .addNode('count', () => ({ runs: 1 }))
    .addEdge(START, 'count')
    .addEdge('count', END)
    .compile({ checkpointer: true });
  const State = Annotation.Root({ counted: Annotation<number>() });
  return new StateGraph(State)
    .addNode('ask', async () => ({ counted: (await counter.invoke({ runs: 0 })).runs }))
    .addEdge(START, 'ask')
    .addEdge('ask', END)
    .compile({ checkpointer: saver });
}

let lab: Lab;

const all = async (thread: string): Promise<readonly CheckpointMeta[]> =>
  (await lab.source.checkpoints(thread, { limit: 1000 })).items;
const roots = async (thread: string) => (await all(thread)).filter((item) => item.namespace === undefined);
const idOfStep = async (thread: string, step: number) =>
  (await roots(thread)).find((item) => item.stepIndex === step)?.id ?? expect.fail(`no step ${step}`);
const refOfStep = async (task: string, step: number) => ({ task, id: await idOfStep(task, step) });
const headOf = async (task: string) => (await lab.source.latest(task)).ref ?? expect.fail('no head');
const statesOf = async (thread: string) => {
  const texts = (await all(thread)).map(async ({ id, namespace }) => {
    const ref = { task: thread, id, ...(namespace === undefined ? {} : { namespace }) };
    return [`${namespace} ${id}`, (await lab.source.state(ref))?.text];
  });
  return new Map((await Promise.all(texts)) as [string, string][]);
};
const change = async (request: SystemRequest) => {
  const plan = await lab.source.plan(request);
  const undo = await lab.apply(plan);
  const { ref } = await lab.source.latest(plan.view.targetTask ?? plan.view.task);
  expect(ref).toEqual(plan.view.latestAfter);
  if (plan.view.proofHash !== undefined && ref)
    expect((await lab.source.state(ref))?.revision).toBe(plan.view.proofHash);
  return { ...plan, undo };
};

/** Named after the experiments that they repeat. */
export function describeRestores(name: string, open: () => Promise<Lab>): void {
  describe(name, () => {
    beforeEach(async () => {
      lab = await open();
    });
    afterEach(() => lab.close());
    goingBack();
    waiting();
    copies();
    others();
  });
}

function goingBack(): void {
  test('R1 a restored older checkpoint is the head, and a run continues from it', async () => {
    const { graph, ran } = counterGraph(lab.saver, 6);
    await graph.invoke({ n: 0 }, configOf('t'));
    const before = await statesOf('t');
    const { view } = await change({ kind: 'restore', ref: await refOfStep('t', 2) });
    expect((await graph.getState(configOf('t'))).next).toEqual(['inc']);
    const end = await graph.invoke(null, configOf('t'));
    expect([end.n, ran.inc]).toEqual([6, 10]);
    expect((await roots('t')).at(3)?.parentId).toBe(view.latestAfter?.id);
    expect([...(await statesOf('t'))]).toEqual(expect.arrayContaining([...before]));
  });

  test('R1b a conversation continues from the restored turn', async () => {
    const graph = chatGraph(lab.saver);
    const say = (id: string) => graph.invoke({ messages: [new HumanMessage({ id, content: id })] }, configOf('c'));
    for (const id of ['m1', 'm2', 'm3']) await say(id);
    await change({ kind: 'restore', ref: await refOfStep('c', 1) });
    expect(said((await say('other')).messages)).toEqual(['m1', 'echo m1', 'other', 'echo other']);
    expect(said((await graph.getState(configOf('c'))).values.messages)).toHaveLength(4);
  });

  test('R5b going back leaves no stored write behind: nodes run again, and deleting what is newer is refused', async () => {
    const { graph, ran } = counterGraph(lab.saver, 4);
    await graph.invoke({ n: 0 }, configOf('t'));
    const target = await refOfStep('t', 2);
    const newer = (await roots('t')).filter(({ stepIndex = 0 }) => stepIndex > 2);
    const refs = newer.map(({ id }) => ({ task: 't', id }));
    await expect(lab.source.plan({ kind: 'delete', refs })).rejects.toMatchObject({ code: 'unsupported' });
    expect((await lab.source.beside?.(target))?.writes?.length).toBeGreaterThan(0);
    await change({ kind: 'restore', ref: target });
    const snapshot = await graph.getState(configOf('t'));
    expect([snapshot.values.n, snapshot.next]).toEqual([2, ['inc']]);
    await graph.invoke(null, configOf('t'));
    expect(ran.inc).toBe(4 + 2);
  });

  test('PG2 another outcome of the new run is read back, and the old branch keeps its own', async () => {
    const graph = draftGraph(lab.saver);
    await graph.invoke({ topic: 'cats' }, configOf('w'));
    const before = await statesOf('w');
    expect((await graph.getState(configOf('w'))).values.draft).toBe('draft #1, checked');
    await change({ kind: 'restore', ref: await refOfStep('w', 1) });
    expect((await graph.invoke(null, configOf('w'))).draft).toBe('draft #2, checked');
    expect((await graph.getState(configOf('w'))).values).toEqual({ topic: 'cats', draft: 'draft #2, checked' });
    expect([...(await statesOf('w'))]).toEqual(expect.arrayContaining([...before]));
  });
}

function waiting(): void {
  test('R2 a restored question is asked by the next run, with a new id, or answered at once', async () => {
    const { graph, ran } = paymentGraph(lab.saver);
    await graph.invoke({ amount: 5 }, configOf('p'));
    const [asked] = (await graph.getState(configOf('p'))).tasks[0]?.interrupts ?? [];
    await graph.invoke(new Command({ resume: false }), configOf('p'));
    const waiting = await refOfStep('p', 1);
    await change({ kind: 'restore', ref: waiting });
    const snapshot = await graph.getState(configOf('p'));
    expect([snapshot.next, snapshot.tasks.flatMap(({ interrupts }) => interrupts)]).toEqual([['approval'], []]);
    const answered = await graph.invoke(new Command({ resume: true }), configOf('p'));
    expect(answered.status).toBe('approved, done');
    await change({ kind: 'restore', ref: waiting });
    await graph.invoke(null, configOf('p'));
    const [again] = (await graph.getState(configOf('p'))).tasks[0]?.interrupts ?? [];
    expect([again?.value, again?.id === asked?.id]).toEqual([asked?.value, false]);
    expect((await graph.invoke(new Command({ resume: true }), configOf('p'))).status).toBe('approved, done');
    expect(ran.draft).toBe(1);
  });

  test('R3 a restored wait in a subgraph starts the subgraph again, in a namespace of its own', async () => {
    const { graph, ran } = nestedGraph(lab.saver);
    await graph.invoke({ notes: [] }, configOf('n'));
    const before = await statesOf('n');
    const inner = new Set((await all('n')).map(({ namespace }) => namespace));
    const { view } = await change({ kind: 'restore', ref: await headOf('n') });
    expect(view.warnings.map(({ code }) => code)).toContain('subgraph_restarts');
    await graph.invoke(null, configOf('n'));
    expect(ran.search).toBe(2);
    expect(new Set((await all('n')).map(({ namespace }) => namespace)).size).toBe(inner.size + 1);
    expect([...(await statesOf('n'))]).toEqual(expect.arrayContaining([...before]));
    const end = await graph.invoke(new Command({ resume: 'yes' }), configOf('n'));
    expect(end.notes).toContain('reviewed yes');
  });
}

function copies(): void {
  test('R6 a copied thread waits with the same question and goes on; the original is untouched', async () => {
    const { graph, ran } = paymentGraph(lab.saver);
    const nested = nestedGraph(lab.saver);
    await graph.invoke({ amount: 5 }, configOf('p'));
    await nested.graph.invoke({ notes: [] }, configOf('n'));
    const before = [await statesOf('p'), await statesOf('n')];
    const asked = (await graph.getState(configOf('p'))).tasks[0]?.interrupts;
    await change({ kind: 'fork', ref: await headOf('p'), targetTask: 'p2' });
    await change({ kind: 'fork', ref: await headOf('n'), targetTask: 'n2' });
    expect((await graph.getState(configOf('p2'))).tasks[0]?.interrupts).toEqual(asked);
    expect((await graph.invoke(new Command({ resume: true }), configOf('p2'))).status).toBe('approved, done');
    const end = await nested.graph.invoke(new Command({ resume: 'yes' }), configOf('n2'));
    expect([end.notes.includes('reviewed yes'), nested.ran.search, ran.draft]).toEqual([true, 1, 1]);
    expect([await statesOf('p'), await statesOf('n')]).toEqual(before);
    expect((await graph.getState(configOf('p'))).next).toEqual(['approval']);
  });

  test('R6b a copy up to an answered question waits again, and is answered otherwise', async () => {
    const { graph } = paymentGraph(lab.saver);
    await graph.invoke({ amount: 5 }, configOf('p'));
    const asked = (await graph.getState(configOf('p'))).tasks[0]?.interrupts;
    await graph.invoke(new Command({ resume: false }), configOf('p'));
    const { undo } = await change({ kind: 'fork', ref: await refOfStep('p', 1), targetTask: 'again' });
    await undo();
    expect((await graph.getState(configOf('again'))).values).toEqual({});
    await change({ kind: 'fork', ref: await refOfStep('p', 1), targetTask: 'again' });
    expect((await graph.getState(configOf('again'))).tasks[0]?.interrupts).toEqual(asked);
    expect((await graph.invoke(new Command({ resume: true }), configOf('again'))).status).toBe('approved, done');
    expect((await graph.getState(configOf('p'))).values.status).toBe('refused, done');
  });

  test('a fork has the chosen checkpoint alone and resumes as the thread did; with history it has all', async () => {
    const { graph } = counterGraph(lab.saver, 6);
    await graph.invoke({ n: 0 }, configOf('t'));
    for (const step of [2, 6]) {
      const ref = await refOfStep('t', step);
      const known = await graph.getState({ configurable: { thread_id: 't', checkpoint_id: ref.id } });
      const sizes: number[] = [];
      for (const history of [false, true]) {
        const { view, undo } = await change({ kind: 'fork', ref, targetTask: 'copy', history });
        const { next, values, parentConfig } = await graph.getState(configOf('copy'));
        expect([next, values, parentConfig !== undefined]).toEqual([known.next, known.values, history]);
        expect(view.sidecar).toEqual(history ? undefined : [{ child: { ...ref, task: 'copy' }, parent: ref }]);
        let length = 0;
        for await (const _ of graph.getStateHistory(configOf('copy'))) length++;
        sizes.push(length);
        if (known.next.length > 0) expect((await graph.invoke(null, configOf('copy'))).n).toBe(6);
        else await undo();
        if (known.next.length > 0) await lab.saver.deleteThread('copy');
      }
      expect(sizes).toEqual([1, step + 2]);
    }
  });

  test('a fork takes along what a subgraph keeps from one run to the next', async () => {
    const graph = lastingGraph(lab.saver);
    const run = async (thread: string) => (await graph.invoke({ counted: 0 }, configOf(thread))).counted;
    const counted = [await run('s'), await run('s')];
    const ref = await headOf('s');
    counted.push(await run('s'));
    await change({ kind: 'fork', ref, targetTask: 'copy' });
    expect(counted).toEqual([1, 2, 3]);
    expect(await run('copy')).toBe(3);
  });
}

function others(): void {
  test.each([3, 100])('R7b a delta thread is restored as it was, snapshot every %i updates', async (frequency) => {
    const graph = deltaGraph(lab.saver, frequency);
    const say = (id: string) => graph.invoke({ messages: [new HumanMessage({ id, content: id })] }, configOf('d'));
    for (const id of ['m1', 'm2', 'm3']) await say(id);
    for (const step of [1, 4, 7]) {
      const ref = await refOfStep('d', step);
      const known = await graph.getState({ configurable: { thread_id: 'd', checkpoint_id: ref.id } });
      const { undo } = await change({ kind: 'restore', ref });
      expect(said((await graph.getState(configOf('d'))).values.messages)).toEqual(said(known.values.messages));
      await undo();
    }
    await change({ kind: 'restore', ref: await refOfStep('d', 1) });
    expect(said((await say('other')).messages)).toEqual(['m1', 'echo m1', 'other', 'echo other']);
  });

  test('R8 a checkpoint in the middle is deleted: its children can be read and restored', async () => {
    const { graph } = counterGraph(lab.saver, 5);
    await graph.invoke({ n: 0 }, configOf('t'));
    const [gone, child] = [await refOfStep('t', 2), await refOfStep('t', 3)];
    const count = (await roots('t')).length;
    await change({ kind: 'delete', refs: [gone] });
    const snapshot = await graph.getState({ configurable: { thread_id: 't', checkpoint_id: child.id } });
    expect([snapshot.values.n, snapshot.next]).toEqual([3, ['inc']]);
    const history: unknown[] = [];
    for await (const item of graph.getStateHistory(configOf('t'))) history.push(item);
    expect(history).toHaveLength(count - 1);
    await change({ kind: 'restore', ref: child });
    expect((await graph.invoke(null, configOf('t'))).n).toBe(5);
  });
}
