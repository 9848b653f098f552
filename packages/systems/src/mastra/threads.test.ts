import { describeSource, describeSystem, type TaskFacts } from '@checkpoint-inspector/core/testing';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { insertRow } from '../run-row/test-store.ts';
import { openFixture, type TestStore } from './test-store.ts';
import { answerOf, requestsOf } from './view.ts';

interface Facts {
  readonly threads: readonly {
    readonly id: string;
    readonly metadata: { readonly clone?: { readonly sourceThreadId: string; readonly lastMessageId: string } } | null;
    readonly messages: number;
    readonly first: readonly { readonly id: string; readonly role: string; readonly parts: readonly string[] }[];
    readonly last: readonly { readonly id: string; readonly role: string }[];
  }[];
}
const facts = JSON.parse(readFileSync(new URL('./fixtures/facts.json', import.meta.url), 'utf8')) as Facts;

/** Of the two stores in the file the one of the threads. */
async function openThreads(...change: Parameters<typeof openFixture>) {
  const store = await openFixture(...change);
  return { ...store, sources: store.sources.slice(1), source: store.sources[1] ?? store.source };
}

const tasks = facts.threads.map(({ id, messages, last, metadata }): TaskFacts => ({
  id,
  checkpoints: messages,
  unreadable: 0,
  latest: last.at(-1)?.id ?? null,
  recorded: metadata?.clone ? 1 : 0,
}));
const weather = facts.threads.find(({ id }) => id === 'thread-weather');

describeSystem('mastra threads', {
  open: () => openThreads(),
  facts: [{ tasks, change: { task: 'thread-weather', id: weather?.first[2]?.id ?? '' } }],
});

describeSource('mastra threads, damaged messages', {
  open: async () => {
    const store = await openThreads((database) => {
      const row = { role: 'user', type: 'v2', createdAt: '2026-11-22T05:00:00.000Z', resourceId: 'r' };
      for (const [at, content] of [
        '{"format":2,"parts":[',
        'plain words',
        Buffer.from('x'),
        '[]',
        '{"parts":{}}',
      ].entries())
        insertRow(database, 'mastra_messages', {
          ...row,
          id: `bad-${at}`,
          thread_id: at < 3 ? 'lost thread' : 'thread-fail',
          content,
        });
      database.exec("UPDATE mastra_threads SET metadata = '{\"clone\": ' WHERE id = 'thread-weather'");
    });
    return { source: store.source, teardown: store.teardown };
  },
});

let store: TestStore | undefined;
afterEach(async () => store?.teardown());
const opened = async (...change: Parameters<typeof openFixture>) => (store = await openThreads(...change));

describe('the threads of the fixture', () => {
  it('have the messages that Mastra gives, in its order', async () => {
    const { source } = await opened();
    for (const { id, first, last, metadata } of facts.threads) {
      const { items } = await source.checkpoints(id, { limit: 1000 });
      const ids = items.map((meta) => meta.id).toReversed();
      expect(ids.slice(0, first.length)).toEqual(first.map((message) => message.id));
      expect(ids.slice(-last.length)).toEqual(last.map((message) => message.id));
      const clone = metadata?.clone;
      if (clone)
        expect(items.at(-1)).toMatchObject({
          lineage: 'recorded',
          parentTaskId: clone.sourceThreadId,
          parentId: clone.lastMessageId,
        });
      const { ref } = await source.latest(id);
      const state = JSON.parse((ref && (await source.state(ref))?.text) ?? '') as {
        messages: { role: string; content: { parts: { type: string }[] } }[];
      };
      const parts = state.messages
        .slice(0, first.length)
        .map(({ role, content }) => [role, content.parts.map(({ type }) => type)]);
      expect(parts).toEqual(first.map((message) => [message.role, message.parts]));
    }
  });

  it('say which of them waits for an approval, and which ended with an error', async () => {
    const { source } = await opened();
    const found = new Map((await source.tasks()).items.map((task) => [task.id, task]));
    expect([
      found.get('thread-refund')?.status,
      found.get('thread-fail')?.status,
      found.get('thread-long')?.status,
    ]).toEqual(['interrupted', 'failed', 'completed']);
    const { ref } = await source.latest('thread-refund');
    const text = (ref && (await source.state(ref))?.text) ?? '';
    expect(requestsOf(text)).toEqual([{ id: 'call_0137_0', from: 'refund', text: '{"amount":30}' }]);
    expect(answerOf(text)).toBe(
      'await agent.approveToolCall({ runId: "161c3d98-83ba-4d9f-a564-005b4af1dd61", toolCallId: "call_0137_0" })',
    );
    expect(answerOf('{"messages":[]}')).toBeUndefined();
  });
});

it('a copy has messages with new ids and says where it comes from as Mastra does, and undo leaves nothing of it', async () => {
  const one = await opened();
  const before = one.dump();
  const ref = {
    task: 'thread-weather-fork',
    id: (await one.source.checkpoints('thread-weather-fork')).items[1]?.id ?? '',
  };
  const plan = await one.source.plan({ kind: 'fork', ref, targetTask: 'copy é' });
  await one.apply(plan);
  const { items } = await one.source.checkpoints('copy é');
  expect(items).toHaveLength(3);
  expect(items.at(-1)).toMatchObject({ lineage: 'recorded', parentTaskId: 'thread-weather-fork', parentId: ref.id });
  const sql = "SELECT typeof(metadata) AS type, json(metadata) AS text FROM mastra_threads WHERE id = 'copy é'";
  const row = one.database.prepare<{ type: string; text: string }>(sql).get();
  expect([row?.type, JSON.parse(row?.text ?? '')]).toMatchObject([
    'blob',
    { clone: { sourceThreadId: 'thread-weather-fork' } },
  ]);
  await one.undo();
  expect(one.dump()).toBe(before);
});

it('going back deletes the later messages, unless one was written since', async () => {
  const one = await opened();
  const ref = { task: 'thread-weather', id: weather?.first[2]?.id ?? '' };
  const plan = await one.source.plan({ kind: 'restore', ref });
  expect([plan.view.removes.count, plan.view.latestAfter]).toEqual([3, ref]);
  insertRow(one.database, 'mastra_messages', {
    id: 'new',
    thread_id: 'thread-weather',
    content: '{}',
    role: 'user',
    type: 'v2',
    createdAt: '2026-11-23T00:00:00.000Z',
  });
  await expect(one.apply(plan)).rejects.toMatchObject({ code: 'head_moved' });
  const refused = one.source.plan({ kind: 'delete', refs: [ref] });
  await expect(refused).rejects.toMatchObject({ code: 'unsupported' });
  await expect(one.source.plan({ kind: 'edit', ref, text: '{}' })).rejects.toMatchObject({ code: 'unsupported' });
});
