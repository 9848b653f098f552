import { bytesRead } from '@checkpoint-inspector/config/measure';
import { forkTree, fromJsonText } from '@checkpoint-inspector/core';
import { collect, allPages } from '@checkpoint-inspector/core/testing';
import { statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordOf } from '../folder/view.ts';
import { facts } from './fixtures/facts.ts';
import { langgraphSystem } from './index.ts';
import { openFixture, type TestStore } from './test-store.ts';
import { JAVASCRIPT_DIFFERENCES, testZoo } from './test-zoo.ts';
import { messagesOf, nextOf } from './view.ts';

let store: TestStore;
beforeAll(async () => {
  store = await openFixture();
});
afterAll(() => store.close());

const threads = Object.entries(facts.threads);

test('opens and lists 16 threads and 477 checkpoints, and reads no more than is there', async () => {
  const { detect } = langgraphSystem;
  let match: Awaited<ReturnType<typeof detect>>;
  let { items } = await store.source.tasks({ limit: 1 });
  const read = await bytesRead(async () => {
    match = await detect({ kind: 'path', path: store.path, is: 'file' });
    ({ items } = await store.source.tasks());
  });
  expect(read).toBeLessThan(2 * statSync(store.path).size);
  expect(match).toMatchObject({ system: 'langgraph', because: '16 threads in the tables checkpoints and writes' });
  expect(items.map((task) => task.id).sort()).toEqual(threads.map(([id]) => id).sort());
  expect(items.reduce((sum, task) => sum + task.checkpointCount, 0)).toBe(facts.totals.checkpoints);
});

describe.each(threads)('%s', (thread, { head, namespaces, next, tasks, stateAtHeadCheckpoint, sources }) => {
  test('the head and what is said of it', async () => {
    expect(await store.source.latest(thread)).toEqual({ ref: { task: thread, id: head.id }, basis: 'rule' });
    const [first] = (await store.source.checkpoints(thread, { limit: 1 })).items;
    const triggers: Readonly<Record<string, string>> = { loop: 'auto', input: 'input', update: 'update', fork: 'fork' };
    expect(first).toMatchObject({
      id: head.id,
      isLatest: true,
      stepIndex: head.step,
      createdAtText: head.ts,
      createdAt: head.ts,
      timeBasis: 'utc',
      trigger: triggers[head.source],
    });
    expect(first?.parentId ?? null).toBe(head.parent);
    const failed = tasks.find((task) => task.error !== undefined);
    const waits = tasks.some((task) => task.interrupts.length > 0);
    const status = failed ? 'failed' : waits ? 'interrupted' : next.length > 0 ? 'pending' : 'completed';
    const { items } = await store.source.tasks({ limit: 100 });
    const task = items.find((item) => item.id === thread);
    expect([first?.status, task?.status]).toEqual([status, status]);
    if (failed?.error) expect(task?.lastError).toContain(failed.error.message);
    const raw = await store.source.raw?.({ task: thread, id: head.id });
    expect(nextOf(Buffer.from(raw ?? []).toString()).toSorted()).toEqual(tasks.map((item) => item.name).sort());
  });

  test('namespaces, roots and fork points', async () => {
    const rows = await collect(store.source.lineage(thread));
    const tree = forkTree(thread, rows);
    for (const [ns, known] of Object.entries(namespaces)) {
      const own = rows.filter((row) => (row.namespace ?? '') === ns);
      expect(own).toHaveLength(known.checkpoints);
      expect(own.at(-1)?.id).toBe(known.latest);
      const hasParentHere = (parent: (typeof own)[number]['parent']): boolean =>
        parent !== undefined && (parent.namespace ?? '') === ns;
      expect(own.filter((row) => !hasParentHere(row.parent))).toHaveLength(known.roots);
    }
    const forks = Object.values(namespaces).reduce((sum, ns) => sum + ns.forkPoints.length, 0);
    // A subgraph hanging under a checkpoint is a second child of it, and no fork of LangGraph's.
    const subgraphs = rows.filter(
      (row) => (row.namespace ?? '') !== (row.parent?.namespace ?? '') && row.parent !== undefined,
    );
    const beside = subgraphs.filter((row) =>
      rows.some((other) => other.namespace === undefined && other.parent?.id === row.parent?.id),
    );
    expect(tree.forkPoints).toHaveLength(forks + beside.length);
    expect(tree.nodes.filter((node) => node.row === undefined)).toEqual([]);
  });

  test('the state at the head, channel by channel', async () => {
    const state = await store.source.state({ task: thread, id: head.id });
    const values = fromJsonText(state?.text ?? '') as Record<string, unknown>;
    for (const [channel, known] of Object.entries(stateAtHeadCheckpoint)) {
      // Compared value by value below.
      if (channel === 'zoo') continue;
      // The functional API shows the members of its result, which is a channel.
      const own = thread === 'functional' ? recordOf(values['__end__']) : values;
      const value = own[channel];
      const shown = thread === 'long-run' && channel === 'trail' && Array.isArray(value) ? shortened(value) : value;
      expect(shown, channel).toEqual(known);
    }
    const raw = Buffer.from((await store.source.raw?.({ task: thread, id: head.id })) ?? []).toString();
    if (state?.derived === undefined) expect(raw).toContain(`"channel_values":${state?.text},"channel_versions"`);
    expect(state?.derived !== undefined).toBe(thread === 'delta-chat');
  });

  test('what it waits for and who asks, what failed and where, and what runs next', async () => {
    const beside = await store.source.beside?.({ task: thread, id: head.id });
    expect(beside?.requests.map(({ text }) => fromJsonText(text))).toEqual(tasks.flatMap((task) => task.interrupts));
    expect(beside?.requests.map(({ from }) => from)).toEqual(
      tasks.flatMap((task) => task.interrupts.map(() => task.name)),
    );
    const errors = tasks.flatMap(({ name, error }) => (error ? [{ name, message: error.message }] : []));
    expect((beside?.errors ?? []).map(({ node }) => node)).toEqual(errors.map(({ name }) => name));
    for (const [at, { message }] of errors.entries()) expect(beside?.errors?.[at]?.text).toContain(message);
    expect(beside?.next?.toSorted()).toEqual(next.toSorted());
  });

  test('every fork point with its children, and the list in the order of the ids', async () => {
    const rows = await collect(store.source.lineage(thread));
    for (const [ns, known] of Object.entries(namespaces)) {
      const childrenOf = (id: string) =>
        rows.filter((row) => (row.namespace ?? '') === ns && row.parent?.id === id).map((row) => row.id);
      const forks = rows.filter((row) => (row.namespace ?? '') === ns && childrenOf(row.id).length > 1);
      const found = forks.map(({ id }) => ({ id, children: childrenOf(id).toSorted() }));
      expect(byId(found)).toEqual(
        byId(known.forkPoints.map(({ id, children }) => ({ id, children: children.toSorted() }))),
      );
    }
    const { items } = await store.source.checkpoints(thread, { limit: 1000 });
    const [first, ...others] = items.map(({ id }) => id);
    expect(first).toBe(head.id);
    expect(others).toEqual(others.toSorted().toReversed());
  });

  test('triggers by source', async () => {
    const items = await allPages((cursor) =>
      store.source.checkpoints(thread, { limit: 1000, ...(cursor === undefined ? {} : { cursor }) }),
    );
    const count = (trigger: string) => items.filter((item) => item.trigger === trigger).length;
    const { loop = 0, input = 0, update = 0, fork = 0 } = sources;
    expect([count('auto'), count('input'), count('update'), count('fork')]).toEqual([loop, input, update, fork]);
  });
});

const byId = <T extends { readonly id: string }>(items: readonly T[]): T[] =>
  items.toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** A long list, as the facts have it: its ends, and how many items there are. */
const shortened = (list: readonly unknown[]) => ({ first: list[0], last: list.at(-1), length: list.length });

const zoo = facts.threads['value-zoo'];
testZoo(
  () => store.source,
  zoo?.head.id ?? '',
  zoo?.stateAtHeadCheckpoint['zoo'] as Readonly<Record<string, unknown>>,
  JAVASCRIPT_DIFFERENCES,
);

test("fork-demo has the edges, the next nodes and the three fork points of LangGraph's history", async () => {
  const rows = await collect(store.source.lineage('fork-demo'));
  const history = facts.threads['fork-demo']?.history ?? [];
  expect(rows.map((row) => [row.id, row.parent?.id ?? null])).toEqual(
    history.map((item) => [item.id, item.parent]).sort(([a], [b]) => ((a ?? '') < (b ?? '') ? -1 : 1)),
  );
  expect(forkTree('fork-demo', rows).forkPoints).toHaveLength(3);
  for (const item of history) {
    const raw = await store.source.raw?.({ task: 'fork-demo', id: item.id });
    expect(nextOf(Buffer.from(raw ?? []).toString()), item.id).toEqual(item.next);
  }
});

test('delta-chat: the messages of every checkpoint are those that LangGraph showed', async () => {
  const known = facts.threads['delta-chat']?.messageIdsPerCheckpoint ?? [];
  expect(known.length).toBe(24);
  for (const [id, , ids] of known) {
    const state = await store.source.state({ task: 'delta-chat', id });
    const channel = messagesOf(state?.text ?? '').find((item) => item.channel === 'messages');
    expect(channel?.messages.map((message) => message.id) ?? [], id).toEqual(ids);
  }
});

test('the first checkpoint of a subgraph hangs under the one of the graph around it', async () => {
  const rows = await collect(store.source.lineage('subgraph-waiting'));
  const first = rows.find((row) => row.namespace !== undefined);
  const head = facts.threads['subgraph-waiting']?.head.id;
  expect(first?.parent).toEqual({ task: 'subgraph-waiting', id: head });
  const [latest, second] = (await store.source.checkpoints('subgraph-waiting')).items;
  expect([latest?.id, second?.status]).toEqual([head, 'interrupted']);
});

test('what ran, and what runs next', async () => {
  const { items } = await store.source.checkpoints('hitl-waiting');
  expect(items.map((item) => item.description)).toEqual(['draft; next: approval', '__start__', 'input']);
});

test('a functional graph: the entry point and its tasks are named, once a run has ended', async () => {
  const { items } = await store.source.checkpoints('functional');
  expect(items.map(({ description }) => description)).toEqual([
    'pipeline',
    'input',
    'pipeline, double, add_ten',
    'input',
  ]);
  const besides = await Promise.all(items.map(async ({ id }) => store.source.beside?.({ task: 'functional', id })));
  expect(besides.map((beside) => beside?.next)).toEqual([[], ['pipeline'], [], ['pipeline']]);
  for (const beside of [besides[1], besides[3]]) {
    expect(beside?.writes?.map(({ node, channel }) => `${node} ${channel}`).toSorted()).toEqual([
      'add_ten __return__',
      'double __return__',
      'pipeline __end__',
      'pipeline __previous__',
    ]);
  }
  const returned = besides[3]?.writes?.map(({ node, text }) => [node, text]);
  expect(returned).toContainEqual(['double', '6']);
  expect(returned).toContainEqual(['add_ten', '16']);
});
