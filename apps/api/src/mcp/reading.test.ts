/** The tools that read: their schemas, their size, and what they say of stores that the inspector knows. */
import { compact, MemoryStore, storeId } from '@checkpoint-inspector/core';
import { createStoreService } from '@checkpoint-inspector/inspector';
import { describe, expect, it } from 'vitest';
import { z } from '@hono/zod-openapi';
import { createMcpServer } from './server.ts';
import { connectTo } from './testing/client.ts';
import { mcpDeps } from './testing/deps.ts';

const KEY = `sk-proj-${'a1B2'.repeat(8)}`;
const TASKS = 60;

const answerSchema = z.looseObject({
  items: z.array(z.looseObject({})).default([]),
  entries: z.array(z.looseObject({ path: z.string() })).default([]),
  complete: z.boolean().optional(),
  cursor: z.string().optional(),
});

/** Two branches of `run`, and many small tasks. */
async function connected() {
  const store = new MemoryStore({ id: storeId('memory') });
  const save = (id: string, text: string, parent?: string, more: object = {}) =>
    store.save({ task: 'a/run', id, text, ...more, ...(parent ? { parent: { task: 'a/run', id: parent } } : {}) });
  const figures = { a: 41, b: 42, c: 43 };
  await save('one', JSON.stringify({ figures, key: KEY, log: [] }));
  await save('two', JSON.stringify({ figures: { ...figures, b: 42_000 }, key: KEY, log: ['x'.repeat(500)] }), 'one');
  await save('fork', JSON.stringify({ figures: { ...figures, a: 1 }, key: KEY, log: [] }), 'one');
  await save('three', `{"error":"b is wrong, key ${KEY}","n":1.0,"figures":{"b":42000}}`, 'two', { status: 'failed' });
  for (let n = 0; n < TASKS; n++) await store.save({ task: `task ${n}`, id: 'only', text: `{"n":${n}}` });
  const stores = createStoreService({ registry: { open: async () => [] } });
  stores.add(store);
  const client = await connectTo(createMcpServer(mcpDeps(stores)));
  await client.tools();
  /** The client checks each answer against the schema of its tool. */
  const ask = async (name: string, args: Record<string, unknown> = {}) => {
    const { content, structuredContent } = await client.client.callTool({ name, arguments: args });
    const { text } = z.tuple([z.object({ text: z.string() })]).parse(content)[0];
    expect(structuredContent, text).toEqual(JSON.parse(text));
    return { text, ...answerSchema.parse(structuredContent) };
  };
  return { ...client, ask, store };
}

const RUN = 'memory/a%2Frun';

describe('what the tools answer', () => {
  it('has a title, schemas and annotations for every tool, and none of them changes anything', async () => {
    const { tools, close } = await connected();
    const offered = await tools();
    const { ignore } = z
      .looseObject({ ignore: z.looseObject({ description: z.string() }) })
      .parse(offered.find(({ name }) => name === 'diff')?.inputSchema.properties);
    expect(ignore.description).toContain('`$.a.**` for all below');
    const reading = offered.filter(({ name }) => !name.startsWith('checkpoint_'));
    expect(reading.map(({ name }) => name)).toEqual([
      'stores',
      'tasks',
      'errors',
      'explain',
      'list',
      'show',
      'diff',
      'compare',
      'history',
      'search',
      'tree',
      'usage',
    ]);
    for (const tool of offered) expect(tool.title).toMatch(/^[A-Z]/);
    for (const { annotations, inputSchema, outputSchema } of reading) {
      expect(annotations).toMatchObject({ readOnlyHint: true, openWorldHint: false });
      expect(inputSchema.type).toBe('object');
      expect(outputSchema?.required).toContain('notice');
    }
    await close();
  });

  it('lists completed tasks with a failed check by their outcome, and groups them among the errors', async () => {
    const { ask, store, close } = await connected();
    const text = '{"checks":[{"name":"total","passed":false}]}';
    await store.save({ task: 'checked', id: 'checked-1', text, status: 'completed' });
    const error = 'Check total failed';
    expect((await ask('tasks', { status: 'check_failed' })).items).toMatchObject([
      { task: 'memory/checked', status: 'completed', outcome: 'check_failed', error },
    ]);
    expect((await ask('errors', { task: 'memory/checked' })).items).toMatchObject([
      { outcome: 'check_failed', message: error, tasks: [{ checkpoint: 'memory/checked/checked-1', current: true }] },
    ]);
    await close();
  });

  it('names tasks and checkpoints by addresses that the other tools take', async () => {
    const { ask, close } = await connected();
    expect((await ask('stores')).items).toMatchObject([
      { store: 'memory', can: ['restore', 'fork', 'edit', 'delete'] },
    ]);
    expect((await ask('tasks', { status: 'failed' })).items).toMatchObject([
      { task: RUN, latest: `${RUN}/three`, checkpoints: 4 },
    ]);
    expect((await ask('list', { task: RUN })).items[0]).toMatchObject({
      checkpoint: `${RUN}/three`,
      parent: `${RUN}/two`,
      latest: true,
      status: 'failed',
    });
    expect((await ask('list', { task: 'a/run' })).items).toHaveLength(4);
    expect((await ask('errors', { task: RUN })).items).toMatchObject([
      { message: 'No message was stored.', tasks: [{ checkpoint: `${RUN}/three` }] },
    ]);
    expect((await ask('tree', { task: RUN })).items).toMatchObject([
      { lane: 'main', tip: `${RUN}/three` },
      { lane: 'f1', tip: `${RUN}/fork`, forksFrom: `${RUN}/one`, differs: expect.arrayContaining(['$.figures.a: 1']) },
    ]);
    expect((await ask('usage', { task: RUN })).items).toMatchObject([{ task: RUN, checkpoints: 4 }]);
    expect(await ask('explain', { at: RUN })).toMatchObject({
      outcome: 'failed',
      failed: { checkpoint: `${RUN}/three` },
      lastGood: { checkpoint: `${RUN}/two`, stepsBack: 1 },
      writes: expect.arrayContaining([
        expect.objectContaining({ checkpoint: `${RUN}/two`, path: '$.figures.b', before: '42', after: '42000' }),
      ]),
      examined: { checkpoints: 3, of: 3 },
    });
    await close();
  });

  it('compares two runs: where they first differ, and what each step changed', async () => {
    const { ask, close } = await connected();
    const { text } = await ask('compare', { a: `${RUN}/three`, b: `${RUN}/fork` });
    expect(JSON.parse(text)).toMatchObject({
      a: { task: RUN, end: `${RUN}/three`, status: 'failed', steps: 3 },
      b: { end: `${RUN}/fork`, steps: 2 },
      same: 1,
      first: { a: `${RUN}/two`, b: `${RUN}/fork`, difference: { path: '$.figures.b', before: '42000', after: '42' } },
      items: [{ verdict: 'differs' }, { verdict: 'only-a' }],
    });
    expect(text).not.toContain(KEY);
    await close();
  });

  it('compares with the parent or any other, and follows one value', async () => {
    const { ask, close } = await connected();
    const diff = await ask('diff', { b: `${RUN}/two` });
    expect(diff).toMatchObject({ a: `${RUN}/one`, summary: { changed: 1, added: 1 } });
    expect(diff.items[0]).toEqual({
      path: '$.figures.b',
      kind: 'changed',
      before: '42',
      after: '42000',
      by: `${RUN}/two`,
    });
    const far = await ask('diff', { a: `${RUN}/one`, b: `${RUN}/three` });
    expect(far.items.find((item) => item['path'] === '$.figures.b')).toMatchObject({ by: `${RUN}/two` });
    const across = await ask('diff', { a: `${RUN}/fork`, b: `${RUN}/two`, limit: 1 });
    expect(across.items).toHaveLength(1);
    expect(across.items[0]).not.toHaveProperty('by');
    expect(across.cursor).toBeDefined();
    expect((await ask('history', { at: `${RUN}/three`, path: '$.figures.b' })).items).toEqual([
      expect.objectContaining({ checkpoint: `${RUN}/two`, kind: 'changed', before: '42', after: '42000' }),
      expect.objectContaining({ checkpoint: `${RUN}/one`, kind: 'set', after: '42' }),
    ]);
    expect((await ask('history', { at: `${RUN}/three`, path: '$.figures.b', limit: 1 })).cursor).toBeDefined();
    await close();
  });

  it('shows a short state as it is, and of a long one its entries', async () => {
    const { ask, close } = await connected();
    const whole = await ask('show', { checkpoint: `${RUN}/three` });
    expect(whole.text).toContain('"n":1.0');
    expect(whole).toMatchObject({ status: 'failed', path: '$', value: { n: 1, figures: { b: 42_000 } } });
    const part = await ask('show', { checkpoint: `${RUN}/two`, maxTokens: 400 });
    expect(part.entries.map(({ path }) => path)).toEqual(['$.figures', '$.key', '$.log']);
    expect(part.entries[0]).toEqual({
      path: '$.figures',
      kind: 'object',
      value: '{"a":41,"b":42000,"c":43}',
      count: 3,
    });
    expect(part.entries[2]).toEqual({ path: '$.log', kind: 'array', length: 504, count: 1 });
    expect(await ask('show', { checkpoint: `${RUN}/two`, path: '$.figures.b' })).toMatchObject({ value: 42_000 });
    await close();
  });

  it('finds text, and says whether everything was searched', async () => {
    const { ask, close } = await connected();
    const found = async () => ask('search', { query: 'figures.b:42000' });
    const first = await found();
    expect(first.complete).toBe(true);
    expect(first.items).toMatchObject([{ checkpoint: `${RUN}/three`, first: `${RUN}/two`, checkpoints: 2 }]);
    await close();
  });
});

describe('what an answer costs', () => {
  it.each([undefined, 400])(
    'a list ends where its %s tokens do, and its cursor continues without a gap',
    async (maxTokens) => {
      const { ask, close } = await connected();
      const seen: unknown[] = [];
      let cursor: string | undefined;
      let pages = 0;
      do {
        const page = await ask('tasks', {
          limit: TASKS + 1,
          ...(maxTokens ? { maxTokens } : {}),
          ...(cursor ? { cursor } : {}),
        });
        expect(page.text.length).toBeLessThan((maxTokens ?? 2_000) * 3);
        seen.push(...page.items.map((item) => item['task']));
        cursor = page.cursor;
        pages += 1;
      } while (cursor !== undefined);
      expect(pages).toBeGreaterThan(1);
      expect(new Set(seen).size).toBe(TASKS + 1);
      expect(seen).toHaveLength(TASKS + 1);
      await close();
    },
  );

  it('a list that is whole in memory too', async () => {
    const { ask, close } = await connected();
    const first = await ask('usage', { limit: 1000, maxTokens: 500 });
    expect(first.items.length).toBeLessThan(TASKS);
    const rest = await ask('usage', { limit: 1000, maxTokens: 50_000, cursor: first.cursor });
    expect(first.items.length + rest.items.length).toBe(TASKS + 1);
    await close();
  });

  it('a secret is masked before a value is shortened', async () => {
    const { ask, close } = await connected();
    for (const [name, args] of [
      ['show', { checkpoint: `${RUN}/two`, maxTokens: 200 }],
      ['show', { checkpoint: `${RUN}/two`, path: '$.key' }],
      ['diff', { a: `${RUN}/one`, b: `${RUN}/three` }],
      ['compare', { a: `${RUN}/fork`, b: RUN }],
      ['history', { at: RUN, path: '$' }],
      ['errors', { task: RUN }],
      ['explain', { at: RUN }],
    ] as const)
      expect((await ask(name, args)).text, name).not.toContain('a1B2');
    await close();
  });
});

describe('checkpoints as resources', () => {
  it('are listed by task, have a template, and are read masked', async () => {
    const { client, close } = await connected();
    const { resources, nextCursor } = await client.listResources();
    expect(resources[0]).toMatchObject({ uri: `checkpoint://${RUN}/three`, mimeType: 'application/json' });
    expect((await client.listResources({ cursor: nextCursor })).resources).toHaveLength(TASKS + 1 - resources.length);
    await expect(client.listResources({ cursor: 'zz' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('Request the first page again'),
    });
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['checkpoint://{store}/{task}/{id}']);
    const [content] = (await client.readResource({ uri: `checkpoint://${RUN}/three` })).contents;
    expect(content).toMatchObject({ text: expect.stringContaining('"n":1.0') });
    expect(JSON.stringify(content)).toContain('"checkpoint-inspector/untrusted":true');
    expect(JSON.stringify(content)).not.toContain('a1B2');
    await expect(client.readResource({ uri: `checkpoint://${RUN}/four` })).rejects.toThrow(/No checkpoint "four"/);
    await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow(/checkpoint:\/\//);
    await close();
  });
});

describe('the prompt', () => {
  it('tells how to debug the task that is named', async () => {
    const { client, close } = await connected();
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ title }) => title)).toEqual(['Debug a failed task']);
    const { messages } = await client.getPrompt({ name: 'debug-failed-task', arguments: { task: RUN } });
    expect(JSON.stringify(messages)).toContain(RUN);
    await expect(client.getPrompt({ name: 'none' })).rejects.toThrow(/no prompt/);
    await close();
  });

  it('names tasks and checkpoints as the command does, and the one that was probably meant', async () => {
    const { call, ask, close } = await connected();
    for (const task of [RUN, 'a/run', 'memory/a/run', 'a/run']) {
      expect((await ask('list', { task, limit: 1 })).items[0]).toMatchObject({ checkpoint: `${RUN}/three` });
    }
    for (const checkpoint of [`${RUN}/latest`, 'memory/a/run/latest', 'memory/a/run/three'])
      expect(JSON.parse((await ask('show', { checkpoint })).text)).toMatchObject({ checkpoint: `${RUN}/three` });
    for (const task of ['task 1O', 'memory/task%201O', 'memory/task 1O'])
      expect((await call('list', { task })).error).toMatchObject({
        code: 'not_found',
        remedy: expect.stringMatching(/^Did you mean "task \d+"/),
      });
    expect((await call('show', { checkpoint: 'memory/a%2Frum/latest' })).error).toMatchObject({
      code: 'not_found',
      remedy: 'Did you mean "a/run"?',
    });
    expect((await call('show', { checkpoint: `${RUN}/fokr` })).error).toMatchObject({
      code: 'not_found',
      message: 'No checkpoint "fokr" in task "a/run".',
    });
    await close();
  });

  it('says which times are local: some end in Z all the same', async () => {
    const store = new MemoryStore({ id: storeId('memory') });
    await store.save({ task: 'run', id: 'utc', text: '{}' });
    await store.save({ task: 'run', id: 'local', text: '{}' });
    const checkpoints = store.checkpoints.bind(store);
    const local = { createdAt: undefined, createdAtText: '2026-11-21T08:29:44.834706Z', timeBasis: 'local' as const };
    store.checkpoints = async (...asked) => {
      const page = await checkpoints(...asked);
      return {
        ...page,
        items: page.items.map((meta) => (meta.id === 'local' ? compact({ ...meta, ...local }) : meta)),
      };
    };
    const stores = createStoreService({ registry: { open: async () => [] } });
    stores.add(store);
    const { client, close } = await connectTo(createMcpServer(mcpDeps(stores)));
    const { structuredContent } = await client.callTool({ name: 'list', arguments: { task: 'run' } });
    const { items } = answerSchema.parse(structuredContent);
    expect(items.map(({ checkpoint, timeBasis }) => [checkpoint, timeBasis])).toEqual([
      ['memory/run/local', 'local'],
      ['memory/run/utc', undefined],
    ]);
    expect(items[0]).toMatchObject({ time: local.createdAtText });
    await close();
  });

  it('says of a task that several stores have where it is, and of one that none has that it is missing', async () => {
    const stores = createStoreService({ registry: { open: async () => [] } });
    for (const id of ['one', 'two']) {
      const store = new MemoryStore({ id: storeId(id) });
      await store.save({ task: 'a/run', id: 'cp', text: '{}' });
      stores.add(store);
    }
    const { call, close } = await connectTo(createMcpServer(mcpDeps(stores)));
    expect((await call('list', { task: 'a/run' })).error).toMatchObject({
      code: 'ambiguous_id',
      data: { candidates: ['one/a%2Frun', 'two/a%2Frun'] },
    });
    expect((await call('list', { task: 'a/rum' })).error).toMatchObject({
      code: 'not_found',
      message: 'No task "a/rum" in the open stores.',
      remedy: 'Did you mean "a/run"?',
    });
    await close();
  });
});
