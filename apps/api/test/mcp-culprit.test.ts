/**
 * An agent that debugs agents: the official client over HTTP, and a script that reads nothing but the tools' answers.
 * A token is taken for three characters of an answer's text, which is more tokens than tokenizers make of this JSON.
 */
import { join } from 'node:path';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { createDemo, type Demo } from '@checkpoint-inspector/demo';
import { createInspector, createStoreService, defaultRegistry } from '@checkpoint-inspector/inspector';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from '@hono/zod-openapi';
import { connectHttp } from '../src/mcp/testing/client.ts';
import { recordingChanges, status } from '../src/testing/app.ts';
import { serve, type RunningServer } from '../src/serve.ts';

const CHARACTERS_A_TOKEN = 3;
const MOST_CALLS = 4;
const MOST_TOKENS = 3_000;

let demo: Demo;
let server: RunningServer;
let close: () => Promise<void>;

beforeAll(async () => {
  demo = await createDemo();
  const rates = join(demo.folder, 'rates.sqlite');
  await failInLangGraph(rates);
  const stores = createStoreService({ registry: defaultRegistry() });
  await stores.openAll([...demo.targets, rates].map((location) => ({ location })));
  const inspector = createInspector({ stores, changes: recordingChanges().changes, readOnly: true, waitMs: 60_000 });
  server = await serve({ inspector, status: { ...status, readOnly: true }, port: 0 });
  close = async () => {
    await server.close();
    await inspector.close();
    await demo.remove();
  };
}, 120_000);
afterAll(() => close());

/** Run by the real library: `convert` reads pence for pounds, and `check` throws two steps later. */
async function failInLangGraph(path: string): Promise<void> {
  const State = Annotation.Root({ rates: Annotation<Record<string, number>>, total: Annotation<number> });
  const graph = new StateGraph(State)
    .addNode('fetch', () => ({ rates: { EUR: 1.08, GBP: 1.27, CHF: 1.12 } }))
    .addNode('convert', ({ rates }) => ({ rates: { ...rates, GBP: 127 } }))
    .addNode('sum', ({ rates }) => ({ total: Object.values(rates).reduce((sum, rate) => sum + rate, 0) }))
    .addNode('check', ({ total }) => {
      throw new Error(`total ${total} is out of range`);
    })
    .addEdge(START, 'fetch')
    .addEdge('fetch', 'convert')
    .addEdge('convert', 'sum')
    .addEdge('sum', 'check')
    .addEdge('check', END);
  const saver = SqliteSaver.fromConnString(path);
  const run = graph.compile({ checkpointer: saver }).invoke({}, { configurable: { thread_id: 'exchange' } });
  await expect(run).rejects.toThrow('out of range');
}

/** What the script reads of an answer. */
const answerSchema = z.object({
  error: z.object({ message: z.string(), node: z.string().optional() }).optional(),
  failed: z.object({ checkpoint: z.string() }).optional(),
  lastGood: z.object({ checkpoint: z.string() }).optional(),
  suspects: z.array(z.object({ checkpoint: z.string(), path: z.string() })).default([]),
  items: z
    .array(
      z.object({
        checkpoint: z.string().optional(),
        description: z.string().optional(),
        before: z.string().optional(),
        after: z.string().optional(),
        status: z.string().optional(),
        lane: z.string().optional(),
        tip: z.string().optional(),
        forksFrom: z.string().optional(),
        tasks: z.array(z.object({ task: z.string(), checkpoint: z.string() })).default([]),
      }),
    )
    .default([]),
});

async function agent() {
  const { client, tools, close: end } = await connectHttp(server);
  await tools();
  const cost = { calls: 0, tokens: 0 };
  const ask = async (name: string, args: Record<string, unknown> = {}) => {
    const { content, structuredContent } = await client.callTool({ name, arguments: args });
    const text = z.tuple([z.object({ text: z.string() })]).parse(content)[0].text;
    expect(structuredContent).toEqual(JSON.parse(text));
    cost.calls += 1;
    cost.tokens += Math.ceil(text.length / CHARACTERS_A_TOKEN);
    return answerSchema.parse(structuredContent);
  };
  /** Explains the branch that ends there, and looks up when its first suspect changed. */
  const explain = async (at: string) => {
    const { error, lastGood, suspects } = await ask('diagnose', { at });
    const [suspect] = suspects;
    const history = suspect && (await ask('history', { at, path: suspect.path }));
    const change = history?.items.find(({ checkpoint }) => checkpoint === suspect?.checkpoint);
    return { error, lastGood: lastGood?.checkpoint, path: suspect?.path, change };
  };
  return { ask, explain, cost, end };
}

function assertCheap(cost: { readonly calls: number; readonly tokens: number }) {
  expect(cost.calls).toBeLessThanOrEqual(MOST_CALLS);
  expect(cost.tokens).toBeLessThanOrEqual(MOST_TOKENS);
}

describe('the culprit in four calls and 3,000 tokens', () => {
  it('of competitor-revenue: the step that read a figure from the cache', async () => {
    const { ask, explain, cost, end } = await agent();
    const failures = await ask('errors');
    const failed = failures.items
      .flatMap(({ tasks }) => tasks)
      .find(({ task }) => task.endsWith('/competitor-revenue'));
    const found = await explain(failed?.checkpoint ?? '');
    expect(found).toMatchObject({
      error: { message: 'ranking inconsistent with the summary' },
      lastGood: 'research-db/competitor-revenue/ckpt-06',
      path: '$.context.revenue.CompanyB',
      change: {
        checkpoint: 'research-db/competitor-revenue/ckpt-07',
        description: 'fetch_revenue',
        before: '4.2',
        after: '4200',
      },
    });
    assertCheap(cost);
    await end();
  }, 60_000);

  it('of a failed LangGraph task: the node that wrote a wrong rate', async () => {
    const { ask, explain, cost, end } = await agent();
    const failures = await ask('errors', { store: 'rates-sqlite' });
    const found = await explain(failures.items[0]?.tasks[0]?.checkpoint ?? '');
    expect(found).toMatchObject({
      error: { message: expect.stringContaining('is out of range'), node: 'check' },
      path: '$.rates.GBP',
      change: { description: expect.stringContaining('convert'), before: '1.27', after: '127' },
    });
    assertCheap(cost);
    await end();
  }, 60_000);

  it('of a Kaizen fork: the lane that failed, and what it tried', async () => {
    const { ask, explain, cost, end } = await agent();
    const tree = await ask('tree', { task: 'kaizen-checkpoints/prod_agent' });
    const lane = tree.items.find(({ status: outcome }) => outcome === 'failed');
    const found = await explain(lane?.tip ?? '');
    expect(lane?.forksFrom).toBe('kaizen-checkpoints/prod_agent/ckpt_00000000102a');
    expect(found).toMatchObject({
      error: { message: 'API timeout after 30 s' },
      change: { checkpoint: 'kaizen-checkpoints/prod_agent/ckpt_000000003001', after: '"cite every figure"' },
    });
    assertCheap(cost);
    await end();
  }, 60_000);
});
