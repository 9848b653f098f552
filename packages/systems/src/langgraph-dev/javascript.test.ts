/** What `langgraphjs dev` wrote, against what its server and LangGraph answered about it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forkTree, fromJsonText, parseJson, sourceOf, memberOf } from '@checkpoint-inspector/core';
import { allPages, collect, describeSystem, type TaskFacts } from '@checkpoint-inspector/core/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDev, type DevStore } from './test-store.ts';

interface Facts {
  readonly threads: Readonly<
    Record<
      string,
      {
        readonly what: string;
        readonly namespaces: Readonly<
          Record<
            string,
            {
              readonly checkpoints: number;
              readonly latest: string;
              readonly latestParent: string;
              readonly roots: number;
              readonly forkPoints: readonly { readonly id: string; readonly children: readonly string[] }[];
              readonly latestChannelKeys: readonly string[];
            }
          >
        >;
      }
    >
  >;
  readonly totals: { readonly threads: number; readonly checkpoints: number };
  readonly httpAnswers: {
    readonly counterFinal: Readonly<Record<string, unknown>>;
    readonly reactLast: string;
    readonly hitlNext: readonly string[];
    readonly subNext: readonly string[];
  };
}
const facts = JSON.parse(readFileSync(new URL('./fixtures/js/facts.json', import.meta.url), 'utf8')) as Facts;
const threads = Object.entries(facts.threads);
const [counter = '', react = '', hitl = '', subgraph = ''] = Object.keys(facts.threads);

let store: DevStore;
beforeAll(async () => {
  store = await openDev('js');
});
afterAll(() => store.close());

const all = (thread: string) =>
  allPages((cursor) => store.source.checkpoints(thread, { limit: 1000, ...(cursor === undefined ? {} : { cursor }) }));
const stateOf = async (thread: string) =>
  (await store.source.state({ task: thread, id: facts.threads[thread]?.namespaces['']?.latest ?? '' }))?.text ?? '';

test('every thread and checkpoint is read, as the bytes that are stored', async () => {
  const { items } = await store.source.tasks();
  expect(items.map(({ id }) => id).toSorted()).toEqual(Object.keys(facts.threads).toSorted());
  let read = 0;
  for (const { id, unreadable } of items) {
    expect(unreadable).toBe(0);
    for (const item of await all(id)) {
      const ref = { task: id, id: item.id, ...(item.namespace === undefined ? {} : { namespace: item.namespace }) };
      const state = await store.source.state(ref);
      const raw = Buffer.from((await store.source.raw?.(ref)) ?? []).toString('utf8');
      const root = parseJson(raw);
      const values = root.kind === 'object' ? memberOf(root, 'channel_values')?.value : undefined;
      expect([item.problem, state?.derived]).toEqual([undefined, undefined]);
      expect(state?.text).toBe(values && sourceOf(raw, values));
      read++;
    }
  }
  expect(read).toBe(facts.totals.checkpoints);
});

describe.each(threads)('%s', (thread, { namespaces }) => {
  test('namespaces, heads, parents, roots and fork points', async () => {
    const rows = await collect(store.source.lineage(thread));
    for (const [ns, known] of Object.entries(namespaces)) {
      const own = rows.filter((row) => (row.namespace ?? '') === ns);
      expect([own.length, own.at(-1)?.id, own.at(-1)?.parent?.id]).toEqual([
        known.checkpoints,
        known.latest,
        known.latestParent,
      ]);
      expect(own.filter(({ parent }) => parent === undefined || (parent.namespace ?? '') !== ns)).toHaveLength(
        known.roots,
      );
      const forks = known.forkPoints.map(({ id }) => id);
      const { nodes, forkPoints } = forkTree(thread, own);
      expect(forkPoints.map((at) => nodes[at]?.ref.id)).toEqual(forks);
      const state = await store.source.state({
        task: thread,
        ...(ns === '' ? {} : { namespace: ns }),
        id: known.latest,
      });
      expect(Object.keys(fromJsonText(state?.text ?? '') as object).toSorted()).toEqual(known.latestChannelKeys);
    }
    expect((await store.source.latest(thread)).ref?.id).toBe(namespaces['']?.latest);
  });
});

test('what the server itself answered: values, the last message, what runs next, and who asks', async () => {
  expect(fromJsonText(await stateOf(counter))).toMatchObject(facts.httpAnswers.counterFinal);
  expect(await stateOf(react)).toContain(facts.httpAnswers.reactLast);
  for (const [thread, next] of [
    [hitl, facts.httpAnswers.hitlNext],
    [subgraph, facts.httpAnswers.subNext],
  ] as const) {
    const { ref } = await store.source.latest(thread);
    const beside = ref && (await store.source.beside?.(ref));
    expect([beside?.next, beside?.requests.map(({ from }) => from)]).toEqual([next, next]);
  }
  const { items } = await store.source.tasks();
  const known = new Map(items.map(({ id, status, agentId }) => [id, [status, agentId]]));
  expect(known.get(hitl)).toEqual(['interrupted', 'hitl']);
  expect(known.get(counter)).toEqual(['completed', 'counter']);
});

test('a run that failed without a trace in the checkpoints is told by the server', async () => {
  const own = await openDev('js');
  const ops = join(own.folder, '.langgraphjs_ops.json');
  const text = readFileSync(ops, 'utf8');
  const noteOf = async () => (await own.source.tasks()).items.find(({ id }) => id === counter)?.latestNote;
  expect(await noteOf()).toBeUndefined();
  const threadsAt = text.indexOf('"threads":');
  const status = text.indexOf('"status":"idle"', threadsAt);
  writeFileSync(ops, `${text.slice(0, status)}"status":"error"${text.slice(status + '"status":"idle"'.length)}`);
  expect(await noteOf()).toContain('ended with an error');
  for (const broken of ['', '{"json":', '[]', '{"json":{"threads":[1]}}']) {
    writeFileSync(ops, broken);
    expect((await own.source.tasks()).items).toHaveLength(facts.totals.threads);
  }
  await own.close();
});

const taskFacts = threads.map(([id, { namespaces }]): TaskFacts => {
  const known = Object.entries(namespaces);
  const checkpoints = known.reduce((sum, [, ns]) => sum + ns.checkpoints, 0);
  // The first checkpoint of a subgraph hangs under one of the graph around it.
  return { id, checkpoints, unreadable: 0, latest: namespaces['']?.latest ?? null, recorded: checkpoints - 1 };
});
describeSystem('langgraphjs dev', {
  open: async () => {
    const { source, bytes, close } = await openDev('js');
    return { sources: [source], bytes: async () => bytes(), teardown: close };
  },
  facts: [{ tasks: taskFacts }],
});
