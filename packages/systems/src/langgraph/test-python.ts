/** For tests: stores that Python wrote, wherever they are, against what LangGraph itself answered about them. */
import { forkTree, fromJsonText, type CheckpointMeta, type CheckpointSource } from '@checkpoint-inspector/core';
import { allPages, collect, type TaskFacts } from '@checkpoint-inspector/core/testing';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ThreadFacts } from './fixtures/facts.ts';
import { pythonDifferences, testZoo } from './test-zoo.ts';
import { messagesOf } from './view.ts';

export type PythonFacts = Omit<ThreadFacts, 'tasks'> & {
  readonly tasks: readonly { readonly name: string; readonly error: string | null; readonly interrupts: unknown[] }[];
};
export interface PythonStore {
  readonly totals: { readonly checkpoints: number };
  readonly threads: Readonly<Record<string, PythonFacts>>;
}

/** Python writes NaN, which JSON does not have. */
export const pythonFacts = (file: URL): PythonStore => fromJsonText(readFileSync(file, 'utf8')) as PythonStore;

/** As the facts have it: messages by four fields, with the names of their tool calls. */
function asFacts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asFacts);
  if (typeof value !== 'object' || value === null) return value;
  const { $type: type, ...fields } = value as Record<string, unknown>;
  if (typeof type === 'string' && type.startsWith('langchain_core.messages.')) {
    const { id, content, tool_calls: calls = [] } = fields;
    return { type: fields['type'], id, content, tool_calls: namesOf(calls) };
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asFacts(item)]));
}

const namesOf = (calls: unknown) =>
  Array.isArray(calls) ? calls.map((call: { readonly name: string }) => call.name) : calls;

const everyRow = (source: CheckpointSource, thread: string): Promise<readonly CheckpointMeta[]> =>
  allPages((cursor) => source.checkpoints(thread, { limit: 1000, ...(cursor === undefined ? {} : { cursor }) }));

/** What differs between the stores, which were not written by the same program. */
interface Written {
  /** Of the classes that the agents themselves define. */
  readonly module: string;
  readonly namedWrites: number;
  /** The items of its set of two, in the order in which they are stored. */
  readonly set: string;
  /** Thread, step and channel of the writes whose node nothing tells. */
  readonly unnamed: readonly string[];
}

/** Counts, heads, order, parents, values, messages, questions, next nodes and errors. */
export function describePython(facts: PythonStore, written: Written, open: () => CheckpointSource): void {
  const threads = Object.entries(facts.threads);
  testEveryRow(facts, open);
  describe.each(threads)('%s', (thread, known) => {
    testHead(thread, known, open);
    testRows(thread, known, open);
    testBeside(thread, known, open);
  });
  testForks(facts, open);
  testNodes(facts, written, open);
  testValues(facts, written, open);
  testDeltas(facts, open);
}

function testEveryRow(facts: PythonStore, open: () => CheckpointSource): void {
  const threads = Object.entries(facts.threads);
  test('every checkpoint is read, and says that its state is decoded', async () => {
    const { items } = await open().tasks({ limit: 100 });
    expect(items.map(({ id }) => id).toSorted()).toEqual(threads.map(([id]) => id).toSorted());
    let read = 0;
    for (const { id, unreadable } of items) {
      expect(unreadable).toBe(0);
      for (const item of await everyRow(open(), id)) {
        const namespace = item.namespace === undefined ? {} : { namespace: item.namespace };
        const state = await open().state({ task: id, ...namespace, id: item.id });
        expect(item.problem).toBeUndefined();
        expect(state?.derived).toContain('msgpack');
        fromJsonText(state?.text ?? '');
        read++;
      }
    }
    expect(read).toBe(facts.totals.checkpoints);
  });
}

function testHead(
  thread: string,
  { head, tasks, next, stateAtHeadCheckpoint }: PythonFacts,
  open: () => CheckpointSource,
): void {
  test('the head, its time, parent and status', async () => {
    expect(await open().latest(thread)).toEqual({ ref: { task: thread, id: head.id }, basis: 'rule' });
    const [first] = await everyRow(open(), thread);
    const createdAt = new Date(head.ts).toISOString();
    expect(first).toMatchObject({
      id: head.id,
      isLatest: true,
      stepIndex: head.step,
      createdAtText: head.ts,
      createdAt,
    });
    expect(first?.parentId ?? null).toBe(head.parent);
    const error = tasks.find((task) => task.error !== null)?.error;
    const waits = tasks.some((task) => task.interrupts.length > 0);
    const status = error ? 'failed' : waits ? 'interrupted' : next.length > 0 ? 'pending' : 'completed';
    const task = (await open().tasks({ limit: 100 })).items.find(({ id }) => id === thread);
    expect([first?.status, task?.status]).toEqual([status, status]);
    if (error) expect(error).toBe(task?.lastError);
  });

  test('the state at the head, channel by channel', async () => {
    const state = await open().state({ task: thread, id: head.id });
    const values = fromJsonText(state?.text ?? '') as Record<string, unknown>;
    for (const [channel, known] of Object.entries(stateAtHeadCheckpoint)) {
      if (channel !== 'zoo') expect(asFacts(values[channel]), channel).toEqual(known);
    }
  });
}

function testRows(thread: string, { namespaces, sources }: PythonFacts, open: () => CheckpointSource): void {
  test('namespaces, roots, fork points, order and triggers', async () => {
    const rows = await collect(open().lineage(thread));
    for (const [ns, known] of Object.entries(namespaces)) {
      const own = rows.filter((row) => (row.namespace ?? '') === ns);
      expect([own.length, own.at(-1)?.id]).toEqual([known.checkpoints, known.latest]);
      expect(own.filter((row) => row.parent === undefined || (row.parent.namespace ?? '') !== ns)).toHaveLength(
        known.roots,
      );
    }
    for (const [ns, { forkPoints }] of Object.entries(namespaces)) {
      const childrenOf = (id: string) =>
        rows.filter((row) => (row.namespace ?? '') === ns && row.parent?.id === id).map((row) => row.id);
      for (const { id, children } of forkPoints) expect(childrenOf(id).toSorted()).toEqual(children.toSorted());
      const forks = rows.filter((row) => (row.namespace ?? '') === ns && childrenOf(row.id).length > 1);
      expect(forks.map(({ id }) => id).toSorted()).toEqual(forkPoints.map(({ id }) => id).toSorted());
    }
    const items = await everyRow(open(), thread);
    const [, ...others] = items.map(({ id }) => id);
    expect(others).toEqual(others.toSorted().toReversed());
    const count = (trigger: string) => items.filter((item) => item.trigger === trigger).length;
    const { loop = 0, input = 0, update = 0, fork = 0 } = sources;
    expect([count('auto'), count('input'), count('update'), count('fork')]).toEqual([loop, input, update, fork]);
  });
}

function testBeside(thread: string, { head, tasks, next }: PythonFacts, open: () => CheckpointSource): void {
  test('what it waits for, with the question', async () => {
    const beside = await open().beside?.({ task: thread, id: head.id });
    const asked = tasks.flatMap((task) => task.interrupts);
    expect(beside?.requests.map(({ text }) => fromJsonText(text))).toEqual(asked);
    expect(beside?.writes?.filter(({ problem }) => problem !== undefined)).toEqual([]);
    expect(beside?.next?.toSorted()).toEqual(next.toSorted());
    const failed = tasks.filter((task) => task.error !== null);
    expect(beside?.errors ?? []).toEqual(failed.map(({ name, error }) => ({ node: name, text: error })));
    const asking = tasks.flatMap((task) => task.interrupts.map(() => task.name));
    expect(beside?.requests.map(({ from }) => from)).toEqual(asking);
  });
}

function testForks(facts: PythonStore, open: () => CheckpointSource): void {
  test('fork-demo has the edges and fork points of LangGraph, and the nodes that ran', async () => {
    const rows = await collect(open().lineage('fork-demo'));
    const history = facts.threads['fork-demo']?.history ?? [];
    const edges = history.map(({ id, parent }): [string, string | null] => [id, parent]);
    expect(rows.map((row) => [row.id, row.parent?.id ?? null])).toEqual(edges.toSorted(([a], [b]) => (a < b ? -1 : 1)));
    expect(forkTree('fork-demo', rows).forkPoints).toHaveLength(3);
    for (const item of history) {
      const beside = await open().beside?.({ task: 'fork-demo', id: item.id });
      expect(beside?.next, item.id).toEqual(item.next);
    }
    const { items } = await open().checkpoints('hitl-waiting');
    expect(items.map((item) => item.description)).toEqual(['draft; next: approval', '__start__', 'input']);
  });
}

function testDeltas(facts: PythonStore, open: () => CheckpointSource): void {
  test('delta-chat: the messages of every checkpoint are those that LangGraph showed', async () => {
    const known = facts.threads['delta-chat']?.messageIdsPerCheckpoint ?? [];
    expect(known).toHaveLength(24);
    for (const [id, , ids] of known) {
      const state = await open().state({ task: 'delta-chat', id });
      const channel = messagesOf(state?.text ?? '').find((item) => item.channel === 'messages');
      expect(channel?.messages.map((message) => message.id) ?? [], id).toEqual(ids);
    }
  });
}

/** The same for the suite. */
export function taskFactsOf(facts: PythonStore): TaskFacts[] {
  return Object.entries(facts.threads).map(([id, { namespaces, head }]): TaskFacts => {
    const known = Object.entries(namespaces);
    const checkpoints = known.reduce((sum, [, ns]) => sum + ns.checkpoints, 0);
    const roots = known.reduce((sum, [name, ns]) => sum + (name === '' ? ns.roots : 0), 0);
    return { id, checkpoints, unreadable: 0, latest: head.id, recorded: checkpoints - roots };
  });
}

function testNodes(facts: PythonStore, written: Written, open: () => CheckpointSource): void {
  test('every write names the node that made it, but what a person or a Command put in', async () => {
    const unnamed: string[] = [];
    let named = 0;
    for (const [thread] of Object.entries(facts.threads)) {
      const items = await everyRow(open(), thread);
      for (const { id, namespace, stepIndex } of items) {
        const ref = { task: thread, id, ...(namespace === undefined ? {} : { namespace }) };
        // What ran is told by the child's own versions as well.
        const ran = items.filter(({ parentId }) => parentId === id).map(({ description }) => description);
        for (const { node, channel } of (await open().beside?.(ref))?.writes ?? []) {
          if (node === undefined) unnamed.push(`${thread} ${stepIndex} ${channel}`);
          else if (ran.length > 0) expect(ran.join('\n'), id).toContain(node);
          if (node !== undefined) named++;
        }
      }
    }
    expect(unnamed.toSorted()).toEqual(written.unnamed);
    expect(named).toBe(written.namedWrites);
  });
}

function testValues(facts: PythonStore, { module, set }: Written, open: () => CheckpointSource): void {
  const { head, stateAtHeadCheckpoint } = facts.threads['value-zoo'] ?? {};
  const zoo = stateAtHeadCheckpoint?.['zoo'] as Readonly<Record<string, unknown>>;
  testZoo(open, head?.id ?? '', zoo, pythonDifferences(module, set));

  test('the secret is masked', async () => {
    const { text = '' } = (await open().state({ task: 'value-zoo', id: head?.id ?? '' })) ?? {};
    expect(text).not.toContain('hunter2');
  });
}
