/** What PostgresSaver of JavaScript stored, against what LangGraph itself answered about it. */
import { forkTree, fromJsonText } from '@checkpoint-inspector/core';
import { allPages, collect, describeSystem, type TaskFacts } from '@checkpoint-inspector/core/testing';
import { describeWithPostgres } from '@checkpoint-inspector/io/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { executor } from '../../test-executor.ts';
import { postgresFacts as facts } from '../fixtures/facts.ts';
import { messagesOf } from '../view.ts';
import { dumpOfThread, JS_DUMP, openPostgresStore, type PostgresStore } from './test-store.ts';

const threads = Object.entries(facts.threads);

/**
 * Channels whose facts are not the stored value: shortened ones; those of the functional API, which shows its result under
 * another name; and `notes`, which nothing has been written to, so that LangGraph takes its default from the graph.
 */
const NOT_STORED = [
  'value-zoo zoo',
  'long-run trail',
  'functional result',
  'functional prev',
  'subgraph-waiting notes',
];

const open = () => openPostgresStore((database) => database.load(JS_DUMP));

describeWithPostgres('a store of the JavaScript saver', () => {
  let store: PostgresStore;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(() => store.close());

  const all = (thread: string) =>
    allPages((cursor) => store.source.checkpoints(thread, { limit: 50, ...(cursor === undefined ? {} : { cursor }) }));

  test('has the threads and checkpoints of LangGraph', async () => {
    const { items } = await store.source.tasks();
    expect(items.map(({ id }) => id).toSorted()).toEqual(threads.map(([id]) => id).toSorted());
    expect(items.reduce((sum, task) => sum + task.checkpointCount, 0)).toBe(facts.totals.checkpoints);
  });

  describe.each(threads)('%s', (thread, { head, namespaces, next, tasks, stateAtHeadCheckpoint, sources }) => {
    test('the head, its time, parent and status', async () => {
      expect(await store.source.latest(thread)).toEqual({ ref: { task: thread, id: head.id }, basis: 'rule' });
      const [first] = await all(thread);
      expect(first).toMatchObject({ id: head.id, isLatest: true, stepIndex: head.step, createdAtText: head.ts });
      expect([first?.parentId ?? null, first?.createdAt]).toEqual([head.parent, head.ts]);
      const failed = tasks.find((task) => task.error !== undefined);
      const waits = tasks.some((task) => task.interrupts.length > 0);
      const status = failed ? 'failed' : waits ? 'interrupted' : next.length > 0 ? 'pending' : 'completed';
      const task = (await store.source.tasks()).items.find(({ id }) => id === thread);
      expect([first?.status, task?.status, task?.unreadable]).toEqual([status, status, 0]);
      if (failed?.error) expect(task?.lastError).toContain(failed.error.message);
    });

    test('the state at the head, channel by channel', async () => {
      const state = await store.source.state({ task: thread, id: head.id });
      const values = fromJsonText(state?.text ?? '') as Record<string, unknown>;
      for (const [channel, known] of Object.entries(stateAtHeadCheckpoint)) {
        if (!NOT_STORED.includes(`${thread} ${channel}`)) expect(values[channel], channel).toEqual(known);
      }
      expect(state?.derived).toContain('checkpoint_blobs');
    });

    test('namespaces, roots, fork points and triggers', async () => {
      const rows = await collect(store.source.lineage(thread));
      for (const [ns, known] of Object.entries(namespaces)) {
        const own = rows.filter((row) => (row.namespace ?? '') === ns);
        expect([own.length, own.at(-1)?.id]).toEqual([known.checkpoints, known.latest]);
        const roots = own.filter((row) => row.parent === undefined || (row.parent.namespace ?? '') !== ns);
        expect(roots).toHaveLength(known.roots);
        const forks = forkTree(
          thread,
          own.filter((row) => !roots.includes(row) || row.parent === undefined),
        ).forkPoints;
        expect(forks).toHaveLength(known.forkPoints.length);
      }
      const items = await all(thread);
      const count = (trigger: string) => items.filter((item) => item.trigger === trigger).length;
      const { loop = 0, input = 0, update = 0, fork = 0 } = sources;
      expect([count('auto'), count('input'), count('update'), count('fork')]).toEqual([loop, input, update, fork]);
    });

    test('what waits, failed and runs next', async () => {
      const beside = await store.source.beside?.({ task: thread, id: head.id });
      const asked = tasks.flatMap((task) => task.interrupts.map((question) => [task.name, question]));
      expect(beside?.requests.map(({ from, text }) => [from, fromJsonText(text)])).toEqual(asked);
      const failed = tasks.flatMap(({ name, error }) => (error === undefined ? [] : [[name, error.message]]));
      expect((beside?.errors ?? []).map(({ node, text }) => [node, text.replace(/^\w+: /, '')])).toEqual(failed);
      expect(beside?.next?.toSorted()).toEqual(next.toSorted());
      expect(beside?.writes?.filter(({ problem }) => problem !== undefined)).toEqual([]);
    });
  });

  test("fork-demo has the edges and the next nodes of LangGraph's history", async () => {
    const rows = await collect(store.source.lineage('fork-demo'));
    const history = facts.threads['fork-demo']?.history ?? [];
    const edges = history.map(({ id, parent }): [string, string | null] => [id, parent]);
    expect(rows.map((row) => [row.id, row.parent?.id ?? null])).toEqual(edges.toSorted(([a], [b]) => (a < b ? -1 : 1)));
    for (const { id, next } of history) {
      expect((await store.source.beside?.({ task: 'fork-demo', id }))?.next, id).toEqual(next);
    }
  });

  test('delta-chat: the messages of every checkpoint are those that LangGraph showed', async () => {
    const known = facts.threads['delta-chat']?.messageIdsPerCheckpoint ?? [];
    expect(known).toHaveLength(24);
    for (const [id, , ids] of known) {
      const state = await store.source.state({ task: 'delta-chat', id });
      const channel = messagesOf(state?.text ?? '').find((item) => item.channel === 'messages');
      expect(channel?.messages.map((message) => message.id) ?? [], id).toEqual(ids);
    }
  });
});

const tasks = threads.map(([id, { namespaces, head }]): TaskFacts => {
  const known = Object.values(namespaces);
  const checkpoints = known.reduce((sum, ns) => sum + ns.checkpoints, 0);
  return { id, checkpoints, unreadable: 0, latest: head.id, recorded: checkpoints - (namespaces['']?.roots ?? 0) };
});

const ROWS = `SELECT string_agg(row, ';' ORDER BY row) AS rows FROM (SELECT c::text AS row FROM checkpoints c
  UNION ALL SELECT b::text FROM checkpoint_blobs b UNION ALL SELECT w::text FROM checkpoint_writes w) t`;

/** The suite on one thread, with this checkpoint to restore, fork and delete. */
function describeThread(thread: string, id: string): void {
  describeSystem(`langgraph in PostgreSQL, ${thread}`, {
    open: async () => {
      const { source, database, close } = await openPostgresStore(({ load }) => load(dumpOfThread(thread)));
      const bytes = () => database.run(ROWS);
      return { sources: [source], ...executor(), bytes, teardown: close };
    },
    facts: [{ tasks: tasks.filter((task) => task.id === thread), change: { task: thread, id } }],
    skip: [
      {
        tests: ['delete: of the latest makes the next one the latest, as the plan says'],
        reason: 'the writes that led to the head are stored with its parent, so LangGraph would make it again',
      },
    ],
  });
}

describeWithPostgres('the contract', () => {
  describeThread('fork-demo', facts.threads['fork-demo']?.history?.[4]?.id ?? '');
});
