/** What the tool tells of an explanation, and what that costs. */
import { MemoryStore, storeId, type Explanation } from '@checkpoint-inspector/core';
import { createStoreService } from '@checkpoint-inspector/inspector';
import { describe, expect, it } from 'vitest';
import { z } from '@hono/zod-openapi';
import { createMcpServer } from './server.ts';
import { connectTo } from './testing/client.ts';
import { mcpDeps } from './testing/deps.ts';

const SECRET = `sk-proj-${'a1B2'.repeat(12)}`;
const WRITES = 70;
const DIFFERS = 30;

const pageSchema = z.looseObject({
  error: z.looseObject({ message: z.string() }).optional(),
  check: z.looseObject({}).optional(),
  unusual: z.array(z.looseObject({})).optional(),
  writes: z.array(z.looseObject({ path: z.string(), before: z.string(), after: z.string() })).default([]),
  named: z.array(z.looseObject({ text: z.string() })).default([]),
  missing: z.array(z.looseObject({ call: z.string() })).default([]),
  differs: z.array(z.looseObject({ path: z.string() })).default([]),
  cursor: z.string().optional(),
});

async function connected(found?: Explanation) {
  const stores = createStoreService({ registry: { open: async () => [] } });
  for (const id of ['memory', 'other']) {
    const store = new MemoryStore({ id: storeId(id) });
    await store.save({ task: 'run', id: 'a', text: '{"fee":4}' });
    const last = { task: 'run', id: 'b', parent: { task: 'run', id: 'a' }, text: '{"fee":400}' };
    await store.save({ ...last, status: 'failed' });
    stores.add(store);
  }
  const deps = mcpDeps(stores);
  const own = found === undefined ? {} : { explanations: { of: async () => found } };
  const client = await connectTo(createMcpServer({ ...deps, inspector: { ...deps.inspector, ...own } }));
  await client.tools();
  const ask = async (args: Record<string, unknown>) => {
    const { content, structuredContent } = await client.client.callTool({ name: 'explain', arguments: args });
    const { text } = z.tuple([z.object({ text: z.string() })]).parse(content)[0];
    return { text, ...pageSchema.parse(structuredContent) };
  };
  return { ...client, ask };
}

const at = (seq: number) => ({ task: 'run', id: `c-${seq}`, seq, description: `step ${seq}` });
const text = (n: number, end: string): string => `"${'the same words '.repeat(20)}${n} ${end} ${SECRET}"`;

const LONG: Explanation = {
  task: 'run',
  outcome: 'failed',
  kind: 'threw',
  error: { message: `boom ${SECRET}`, ref: { task: 'run', id: 'c-99' } },
  failingStep: at(99),
  lastGood: { ...at(98), back: 1 },
  writes: Array.from({ length: WRITES }, (_none, n) => ({
    ref: at(98 - n),
    path: `$.w${n}`,
    before: text(n, 'old'),
    after: text(n, 'new'),
    origin: { from: 'tool' as const, name: 'search', ref: at(1) },
  })),
  named: [{ text: 'fee', path: '$.fee', ref: at(3), before: '4', after: '400' }, { text: 'refund' }],
  against: {
    task: 'run-2',
    end: at(50),
    chosen: 'asked',
    differs: Array.from({ length: DIFFERS }, (_none, n) => ({ path: `$.d${n}`, here: { value: '1' }, there: {} })),
    missing: [{ call: 'cancel_order', args: '{"id":4}' }],
  },
  unusual: [{ ref: at(2), path: '$.fee', after: '-4', reason: 'Its 6 peers are positive.' }],
  examined: { n: 99, of: 99, gaps: [] },
};

describe('explain over MCP', () => {
  it.each([undefined, 900])('fits into %s tokens, and its cursor continues without a gap', async (maxTokens) => {
    const { ask, close } = await connected(LONG);
    const pages: Awaited<ReturnType<typeof ask>>[] = [];
    let cursor: string | undefined;
    do {
      const page = await ask({ at: 'memory/run', ...(maxTokens ? { maxTokens } : {}), ...(cursor ? { cursor } : {}) });
      expect(page.text.length).toBeLessThan((maxTokens ?? 2_000) * 3);
      expect(page.text).not.toContain('a1B2');
      pages.push(page);
      cursor = page.cursor;
    } while (cursor !== undefined);
    const paths = (name: 'writes' | 'differs') => pages.flatMap((page) => page[name].map(({ path }) => path));
    expect(paths('writes')).toEqual(LONG.writes.map(({ path }) => path));
    expect(paths('differs')).toEqual(LONG.against?.differs.map(({ path }) => path));
    expect(pages.flatMap(({ named }) => named.map((one) => one.text))).toEqual(['fee', 'refund']);
    expect(pages.flatMap(({ missing }) => missing)).toHaveLength(1);
    // What is known is told once.
    expect(pages.map((page) => [page.error !== undefined, page.unusual?.length])).toEqual(
      pages.map((_page, nth) => (nth === 0 ? [true, 1] : [false, undefined])),
    );
    await close();
  });

  it('tells two long values from where they differ', async () => {
    const { ask, close } = await connected(LONG);
    const [write] = (await ask({ at: 'memory/run' })).writes;
    expect(write?.before).toMatch(/^….*old sk-p/);
    expect(write?.after).toMatch(/^….*new sk-p/);
    await close();
  });

  it('finds the first checkpoint at which a value is wrong, and refuses what it cannot ask', async () => {
    const { ask, call, close } = await connected();
    const found = await ask({ at: 'memory/run', expect: 'fee=4' });
    expect(found.check).toMatchObject({ holds: false, firstBroken: { checkpoint: 'memory/run/b' }, found: '400' });
    expect((await call('explain', { at: 'memory/run', expect: 'fee' })).error).toMatchObject({
      code: 'invalid_input',
      remedy: expect.stringContaining('$.a.b=122'),
    });
    expect((await call('explain', { at: 'memory/run', against: 'other/run' })).error?.code).toBe('invalid_input');
    await close();
  });
});
