// A real graph over our store: it stops to ask, goes on, fails, and continues from what our plan has restored.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Annotation, Command, END, interrupt, MemorySaver, START, StateGraph } from '@langchain/langgraph';
import type { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { ENGINES } from '@checkpoint-inspector/io';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openSqliteStore } from './sqlite/index.ts';
import { CheckpointInspectorSaver } from './langgraph.ts';

let folder: string;
let path: string;
let saver: CheckpointInspectorSaver;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'graph-'));
  path = join(folder, 'agent.db');
  saver = CheckpointInspectorSaver.fromPath(path);
});
afterEach(async () => {
  await saver.close();
  rmSync(folder, { recursive: true });
});

const MODULES: Readonly<Record<string, () => Promise<unknown>>> = {
  '@langchain/core/utils/testing': () => import('@langchain/core/utils/testing'),
  '@langchain/langgraph': () => import('@langchain/langgraph'),
  'checkpoint-inspector/langgraph': () => import('./langgraph.ts'),
};

/** Runs a program in a folder, its imports as they are here. */
async function runIn(cwd: string, program: string): Promise<void> {
  const before = process.cwd();
  const body = program.replace(/^import (\{.+\}) from ('.+');$/gm, 'const $1 = await load($2);');
  const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor as FunctionConstructor;
  process.chdir(cwd);
  try {
    await AsyncFunction('load', body)((name: string) => MODULES[name]?.());
  } finally {
    process.chdir(before);
  }
}

const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
  bytes: Annotation<Uint8Array | undefined>(),
});
const config = { configurable: { thread_id: 'order' } };

function graphOf({ fails }: { fails: boolean }) {
  return new StateGraph(State)
    .addNode('draft', () => ({ log: ['drafted'], bytes: new Uint8Array([0, 255]) }))
    .addNode('ask', () => ({ log: [`answer: ${String(interrupt({ question: 'Send it?' }))}`] }))
    .addNode('send', () => {
      if (fails) throw new TypeError('no connection');
      return { log: ['sent'] };
    })
    .addEdge(START, 'draft')
    .addEdge('draft', 'ask')
    .addEdge('ask', 'send')
    .addEdge('send', END)
    .compile({ checkpointer: saver });
}

describe('CheckpointInspectorSaver', () => {
  it('shows checkpoints after the example of the README, in at most ten lines', async () => {
    const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
    const program = /```ts\n([^`]*fromPath[^`]*)```/.exec(readme)?.[1] ?? '';
    expect(program.split('\n').filter((line) => line !== '').length).toBeLessThanOrEqual(10);
    const fresh = mkdtempSync(join(tmpdir(), 'readme-'));
    onTestFinished(() => rmSync(fresh, { recursive: true }));
    await runIn(fresh, program);
    const view = await openSqliteStore({ path: join(fresh, 'agent.db'), readOnly: true });
    onTestFinished(() => view.close());
    const { items } = await view.checkpoints('chat');
    expect(items.map(({ description, status }) => [description, status])).toEqual([
      ['model', 'completed'],
      ['__start__', 'completed'],
      ['input', 'completed'],
    ]);
    expect((await view.state({ task: 'chat', id: items[0]?.id ?? '' }))?.text).toContain('Hello!');
  });

  it('stops, goes on, fails and is restored, and the inspector’s view of the file says so at each step', async () => {
    const graph = graphOf({ fails: true });
    const view = await openSqliteStore({ path, readOnly: true });
    const head = async () => {
      const { ref } = await view.latest('order');
      return { meta: ref && (await view.meta(ref)), beside: ref && (await view.beside(ref)), ref };
    };
    await graph.invoke({ log: ['in'] }, config);
    const asked = await head();
    expect(asked.meta).toMatchObject({
      status: 'interrupted',
      description: 'draft',
      stepIndex: 1,
      lineage: 'recorded',
    });
    expect(asked.beside).toMatchObject({ requests: [{ text: '{"question":"Send it?"}', from: 'ask' }], next: ['ask'] });
    await expect(graph.invoke(new Command({ resume: 'yes' }), config)).rejects.toThrow('no connection');
    const failed = await head();
    expect(failed.meta).toMatchObject({ status: 'failed', description: 'ask' });
    expect(failed.beside).toMatchObject({
      error: 'TypeError: no connection',
      errors: [{ node: 'send' }],
      next: ['send'],
    });
    expect((await view.tasks()).items[0]).toMatchObject({ status: 'failed', lastError: 'TypeError: no connection' });

    if (!asked.ref) throw new Error('It has asked.');
    const { job, view: planned } = await saver.store.plan({ kind: 'restore', ref: asked.ref });
    await ENGINES.get(job.engine).apply(job, { tag: 'test', prepared: () => undefined });
    expect((await saver.getTuple(config))?.checkpoint.id).toBe(planned.latestAfter?.id);
    const again = graphOf({ fails: false });
    expect((await again.getState(config)).next).toEqual(['ask']);
    await again.invoke(null, config);
    const done = await again.invoke(new Command({ resume: 'go' }), config);
    expect(done.log).toEqual(['in', 'drafted', 'answer: go', 'sent']);
    expect(done.bytes).toEqual(new Uint8Array([0, 255]));
    expect((await head()).meta).toMatchObject({ status: 'completed', description: 'send' });
    await view.close();
  });

  it('goes on in a copy of the thread, where the question is answered otherwise', async () => {
    const graph = graphOf({ fails: false });
    await graph.invoke({ log: ['in'] }, config);
    const { ref } = await saver.store.latest('order');
    await graph.invoke(new Command({ resume: 'yes' }), config);
    if (!ref) throw new Error('It has asked.');
    const { job } = await saver.store.plan({ kind: 'fork', ref, targetTask: 'copy' });
    await ENGINES.get(job.engine).apply(job, { tag: 'test', prepared: () => undefined });
    const copy = { configurable: { thread_id: 'copy' } };
    expect((await graph.getState(copy)).tasks[0]?.interrupts[0]?.value).toEqual({ question: 'Send it?' });
    expect((await graph.invoke(new Command({ resume: 'no' }), copy)).log).toContain('answer: no');
    expect((await graph.getState(config)).values.log).toContain('answer: yes');
  });

  it('keeps a serializer’s other types, and what only looks like them, as they are', async () => {
    const tricky = { $typed: ['json', 'e30='] };
    await saver.putWrites(
      { configurable: { thread_id: 't', checkpoint_ns: '', checkpoint_id: 'c' } },
      [
        ['a', tricky],
        ['b', new Uint8Array([1, 255])],
      ],
      'run',
    );
    const checkpoint = { v: 4, id: 'c', ts: 'then', channel_values: tricky, channel_versions: {}, versions_seen: {} };
    await saver.put({ configurable: { thread_id: 't' } }, checkpoint, { source: 'input', step: -1, parents: {} });
    const tuple = await saver.getTuple({ configurable: { thread_id: 't' } });
    expect(tuple?.pendingWrites).toEqual([
      ['run', 'a', tricky],
      ['run', 'b', new Uint8Array([1, 255])],
    ]);
    expect(tuple?.checkpoint).toEqual(checkpoint);
  });

  it('saves what it was given though a node changes it in place meanwhile, as LangGraph’s own saver does', async () => {
    const Cart = Annotation.Root({
      items: Annotation<{ names: string[] }>(),
      sum: Annotation<{ count: number }>(),
    });
    const resumed = async (checkpointer: BaseCheckpointSaver) => {
      let isDown = true;
      const graph = new StateGraph(Cart)
        .addNode('plan', () => ({ items: { names: ['apple'] }, sum: { count: 1 } }))
        .addNode('buy', async ({ items, sum }) => {
          items.names.push('pear');
          sum.count += 1;
          await new Promise((done) => setTimeout(done, 5));
          if (isDown) throw new Error('payment is down');
          return { items, sum };
        })
        .addEdge(START, 'plan')
        .addEdge('plan', 'buy')
        .compile({ checkpointer });
      const shop = { configurable: { thread_id: 'shop' }, durability: 'async' as const };
      await expect(graph.invoke({}, shop)).rejects.toThrow('payment is down');
      isDown = false;
      return [(await graph.getState(shop)).values, await graph.invoke(null, shop)];
    };
    const ours = await resumed(saver);
    expect(ours).toEqual(await resumed(new MemorySaver()));
    expect(ours[0]).toEqual({ items: { names: ['apple'] }, sum: { count: 1 } });
  });

  it('takes all that it is given before it waits for anything', async () => {
    const values = { a: { n: 1 }, b: { n: 1 } };
    const seen = { node: { a: 1 } };
    const metadata = { source: 'loop' as const, step: 1, parents: {}, note: { n: 1 } };
    const writes = { n: 1 };
    const place = { thread_id: 't', checkpoint_ns: '' };
    const puts = [
      saver.putWrites({ configurable: { ...place, checkpoint_id: 'c' } }, [['a', writes]], 'run'),
      saver.put(
        { configurable: { ...place, checkpoint_id: 'before' } },
        { v: 4, id: 'c', ts: 'then', channel_values: values, channel_versions: { a: 1 }, versions_seen: seen },
        metadata,
      ),
    ];
    values.a.n = values.b.n = writes.n = metadata.note.n = seen.node.a = 2;
    await Promise.all(puts);
    const tuple = await saver.getTuple({ configurable: { thread_id: 't' } });
    expect(tuple?.checkpoint.channel_values).toEqual({ a: { n: 1 }, b: { n: 1 } });
    expect(tuple?.checkpoint.versions_seen).toEqual({ node: { a: 1 } });
    expect(tuple?.metadata).toMatchObject({ note: { n: 1 } });
    expect(tuple?.pendingWrites).toEqual([['run', 'a', { n: 1 }]]);
  });

  it('takes a number for the id of a thread, and never answers with other threads', async () => {
    const graph = graphOf({ fails: false });
    await graph.invoke({ log: ['in'] }, config);
    const threadsOf = async (thread: unknown) => {
      const threads = new Set<unknown>();
      const place: { configurable: Record<string, unknown> } = { configurable: { thread_id: thread } };
      for await (const { config: of } of saver.list(place)) threads.add(of.configurable?.['thread_id']);
      return [...threads];
    };
    expect(await threadsOf(42)).toEqual([]);
    await graph.invoke({ log: ['in'] }, { configurable: { thread_id: 42 } });
    expect(await threadsOf(42)).toEqual(['42']);
    expect(await threadsOf('42')).toEqual(['42']);
    expect((await threadsOf(undefined)).toSorted()).toEqual(['42', 'order']);
    for (const thread of [null, '', true, {}, Number.NaN])
      await expect(threadsOf(thread)).rejects.toMatchObject({ code: 'invalid_input' });
    const other = { configurable: { thread_id: 'order', checkpoint_id: 7 as unknown as string } };
    await expect(saver.getTuple(other)).rejects.toThrow('"checkpoint_id" must be text, not 7.');
    await saver.deleteThread(42 as unknown as string);
    expect(await threadsOf(undefined)).toEqual(['order']);
  });

  it('leaves a function out, as LangGraph’s own savers do', async () => {
    const Any = Annotation.Root({
      call: Annotation<unknown>(),
      sign: Annotation<unknown>(),
      kept: Annotation<number>(),
    });
    const graph = new StateGraph(Any)
      .addNode('make', () => ({ call: () => 1, sign: Symbol('s'), kept: 1 }))
      .addNode('use', ({ call }) => ({ kept: typeof call === 'function' ? 2 : 0 }))
      .addEdge(START, 'make')
      .addEdge('make', 'use')
      .compile({ checkpointer: saver, interruptBefore: ['use'] });
    await graph.invoke({ kept: 0 }, config);
    expect((await graph.getState(config)).values).toEqual({ kept: 1 });
    expect((await graph.invoke(null, config)).kept).toBe(0);
  });

  it('refuses a state of which the serializer writes a sentence only', async () => {
    const checkpoint = {
      v: 4,
      id: 'c',
      ts: 'then',
      channel_values: { n: 1n, kept: 1 },
      channel_versions: {},
      versions_seen: {},
    };
    const saved = saver.put(config, checkpoint, { source: 'input', step: -1, parents: {} });
    await expect(saved).rejects.toMatchObject({ code: 'invalid_input' });
    expect(await saver.getTuple(config)).toBeUndefined();
  });

  it('needs an open store that keeps all checkpoints', async () => {
    const limited = await openSqliteStore({ path: join(folder, 'limited.db'), maxPerTask: 2 });
    onTestFinished(() => limited.close());
    for (const [given, remedy] of [
      [undefined, 'openSqliteStore'],
      ['agent.db', "fromPath('agent.db')"],
      [Promise.resolve(limited), 'Await'],
      [limited, 'keepAll: true'],
    ] as const) {
      expect(() => Reflect.construct(CheckpointInspectorSaver, [given])).toThrow(
        expect.objectContaining({ code: 'invalid_input', remedy: expect.stringContaining(remedy) }),
      );
    }
  });

  it('takes a path as it is, not in options as openSqliteStore does', () => {
    for (const given of [undefined, '', { path }])
      expect(() => Reflect.apply(CheckpointInspectorSaver.fromPath, undefined, [given])).toThrow(
        expect.objectContaining({ code: 'invalid_input', remedy: expect.stringContaining("fromPath('agent.db')") }),
      );
  });

  it('is closed with its store', async () => {
    await saver.close();
    await expect(saver.getTuple(config)).rejects.toThrow('This store is closed.');
  });

  it('says which id is missing, and refuses what LangGraph did not save', async () => {
    expect(await saver.getTuple({ configurable: {} })).toBeUndefined();
    await expect(saver.putWrites({ configurable: { thread_id: 't' } }, [], 'run')).rejects.toMatchObject({
      code: 'invalid_input',
    });
    await saver.store.save({ task: 't', id: 'own', text: '{}' });
    await expect(saver.getTuple({ configurable: { thread_id: 't' } })).rejects.toMatchObject({ code: 'unsupported' });
  });
});
