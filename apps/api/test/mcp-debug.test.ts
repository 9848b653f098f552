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
const MOST_CALLS = 3;
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

const changeSchema = z.object({
  checkpoint: z.string(),
  path: z.string(),
  before: z.string().optional(),
  after: z.string().optional(),
});

/** What the script reads of an answer. */
const answerSchema = z.object({
  error: z.object({ message: z.string(), node: z.string().optional() }).optional(),
  lastGood: z.object({ checkpoint: z.string() }).optional(),
  writes: z.array(changeSchema).default([]),
  check: z
    .object({
      holds: z.boolean(),
      firstBroken: z.object({ checkpoint: z.string(), description: z.string().optional() }).optional(),
    })
    .optional(),
  items: z
    .array(
      z.object({
        status: z.string().optional(),
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
  return { ask, cost, end };
}

function assertCheap(cost: { readonly calls: number; readonly tokens: number }) {
  expect(cost.calls).toBeLessThanOrEqual(MOST_CALLS);
  expect(cost.tokens).toBeLessThanOrEqual(MOST_TOKENS);
}

describe('the facts of a failure in two or three calls', () => {
  it('of competitor-revenue: what the run wrote, and the step at which a figure was first wrong', async () => {
    const { ask, cost, end } = await agent();
    const failures = await ask('errors');
    const failed = failures.items
      .flatMap(({ tasks }) => tasks)
      .find(({ task }) => task.endsWith('/competitor-revenue'));
    const path = '$.context.revenue.CompanyB';
    const found = await ask('explain', { at: failed?.checkpoint ?? '', expect: `${path}=4.2` });
    expect(found).toMatchObject({
      error: { message: 'ranking inconsistent with the summary' },
      lastGood: { checkpoint: 'research-db/competitor-revenue/ckpt-09' },
      check: { holds: false, firstBroken: { checkpoint: 'research-db/competitor-revenue/ckpt-07' } },
    });
    const checkpoint = 'research-db/competitor-revenue/ckpt-07';
    expect(found.writes.find((one) => one.checkpoint === checkpoint)).toMatchObject({
      path,
      before: '4.2',
      after: '4200',
    });
    assertCheap(cost);
    await end();
  }, 60_000);

  it('of a failed LangGraph task: the node that threw, and which data each node before it wrote', async () => {
    const { ask, cost, end } = await agent();
    const failures = await ask('errors', { store: 'rates-sqlite' });
    const failed = failures.items[0]?.tasks[0]?.checkpoint ?? '';
    const found = await ask('explain', { at: failed });
    // `check` threw and saved none: the checkpoint that it began from is good by the record.
    expect(found).toMatchObject({
      error: { message: expect.stringContaining('is out of range'), node: 'check' },
      lastGood: { checkpoint: failed },
    });
    expect(found.writes.map(({ path }) => path).slice(0, 2)).toEqual(['$.total', '$.rates.GBP']);
    expect(found.writes[1]).toMatchObject({ before: '1.27', after: '127' });
    const { check } = await ask('explain', { at: failed, expect: 'rates.GBP=1.27' });
    expect(check?.firstBroken).toMatchObject({ description: expect.stringContaining('convert') });
    assertCheap(cost);
    await end();
  }, 60_000);

  it('of a Kaizen fork: the lane that failed, and what it tried', async () => {
    const { ask, cost, end } = await agent();
    const tree = await ask('tree', { task: 'kaizen-checkpoints/prod_agent' });
    const lane = tree.items.find(({ status: outcome }) => outcome === 'failed');
    const found = await ask('explain', { at: lane?.tip ?? '' });
    expect(lane?.forksFrom).toBe('kaizen-checkpoints/prod_agent/ckpt_00000000102a');
    expect(found.error).toMatchObject({ message: 'API timeout after 30 s' });
    expect(found.writes).toContainEqual(
      expect.objectContaining({
        checkpoint: 'kaizen-checkpoints/prod_agent/ckpt_000000003001',
        after: '"cite every figure"',
      }),
    );
    assertCheap(cost);
    await end();
  }, 60_000);
});
