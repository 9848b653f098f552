import { createConfig, lintFromString } from '@redocly/openapi-core';
import { z } from '@hono/zod-openapi';
import { describe, expect, it } from 'vitest';
import { testApp } from '../testing/app.ts';

const operationSchema = z.looseObject({
  operationId: z.string().optional(),
  tags: z.array(z.string()).optional(),
  responses: z.record(z.string(), z.looseObject({ content: z.record(z.string(), z.unknown()).optional() })),
});

const documentSchema = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
  tags: z.array(z.looseObject({ name: z.string() })).optional(),
  components: z.looseObject({
    schemas: z.record(z.string(), z.looseObject({ required: z.array(z.string()).optional() })),
  }),
});

/** Whether a bare list is an answer: lists are `{ items, cursor? }`. */
const isBareList = (content: unknown): boolean =>
  z
    .looseObject({ 'application/json': z.looseObject({ schema: z.looseObject({ type: z.literal('array') }) }) })
    .safeParse(content).success;

describe('GET /api/openapi.json', () => {
  it('has nothing that a linter of OpenAPI objects to', async () => {
    const { ask } = await testApp();
    const source = await (await ask('/api/openapi.json')).text();
    const config = await createConfig({ extends: ['recommended-strict'] });
    const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  it('lists in one form', async () => {
    const { ask } = await testApp();
    const { paths } = documentSchema.parse(await (await ask('/api/openapi.json')).json());
    const bare = Object.entries(paths).flatMap(([path, item]) =>
      Object.values(item).flatMap(({ responses }) =>
        Object.values(responses).flatMap(({ content }) => (isBareList(content) ? [path] : [])),
      ),
    );
    expect(bare).toEqual([]);
  });

  it('describes every route, the error form, and which keys may be absent', async () => {
    const { ask } = await testApp();
    const document = documentSchema.parse(await (await ask('/api/openapi.json')).json());
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    );
    expect(operations.toSorted()).toEqual([
      'delete /grants/{id}',
      'delete /stores/{store}',
      'delete /stores/{store}/checkpoints/{id}',
      'delete /stores/{store}/checkpoints/{id}/labels/{label}',
      'get /activity',
      'get /agents',
      'get /compare',
      'get /diff',
      'get /diff/steps',
      'get /errors',
      'get /events',
      'get /inbox',
      'get /masking',
      'get /metrics',
      'get /outlines',
      'get /plans/{id}/items',
      'get /proposals',
      'get /proposals/{id}',
      'get /receipts/{id}',
      'get /search',
      'get /status',
      'get /storage',
      'get /stores',
      'get /stores/{store}/annotations',
      'get /stores/{store}/checkpoints',
      'get /stores/{store}/checkpoints/{id}',
      'get /stores/{store}/checkpoints/{id}/annotations',
      'get /stores/{store}/checkpoints/{id}/beside',
      'get /stores/{store}/checkpoints/{id}/raw',
      'get /stores/{store}/checkpoints/{id}/state',
      'get /stores/{store}/checkpoints/{id}/state/find',
      'get /stores/{store}/checkpoints/{id}/state/value',
      'get /stores/{store}/gone',
      'get /stores/{store}/tasks/{task}',
      'get /stores/{store}/tasks/{task}/checkpoints',
      'get /stores/{store}/tasks/{task}/explain',
      'get /stores/{store}/tasks/{task}/growth',
      'get /stores/{store}/tasks/{task}/history',
      'get /stores/{store}/tasks/{task}/lanes',
      'get /stores/{store}/tasks/{task}/tree',
      'get /stores/{store}/tasks/{task}/tree/columns',
      'get /tasks',
      'get /trash',
      'get /trash/summary',
      'get /usage',
      'post /bundles',
      'post /demo/reset',
      'post /demo/scene',
      'post /export',
      'post /export/preview',
      'post /home',
      'post /import',
      'post /plans',
      'post /plans/{id}/apply',
      'post /proposals/{id}/apply',
      'post /proposals/{id}/dismiss',
      'post /receipts/{id}/undo',
      'post /session',
      'post /stores',
      'post /stores/{store}/checkpoints/{id}/restore',
      'post /stores/{store}/keep-index',
      'post /stores/{store}/unlock',
      'post /trash/plans',
      'post /trash/purge',
      'put /masking',
      'put /stores/{store}/checkpoints/{id}/labels/{label}',
      'put /stores/{store}/checkpoints/{id}/note',
      'put /trash/settings',
    ]);
    const error = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
    for (const failed of ['4XX', '5XX'])
      expect(document.paths['/tasks']?.['get']?.responses[failed]).toMatchObject({ content: error });
    expect(document.components.schemas['Task']?.required).toContain('title');
    expect(document.components.schemas['Task']?.required).not.toContain('agentId');
  });

  it('names every operation once, under a heading that it lists', async () => {
    const { ask } = await testApp();
    const { paths, tags = [] } = documentSchema.parse(await (await ask('/api/openapi.json')).json());
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    const names = operations.map(({ operationId }) => operationId ?? '');
    expect(new Set(names).size).toBe(operations.length);
    for (const name of names) expect(name).toMatch(/^[a-z][a-zA-Z]+$/);
    const headings = tags.map(({ name }) => name);
    for (const operation of operations) expect(headings).toEqual(expect.arrayContaining(operation.tags ?? ['no tag']));
    expect(headings).not.toContain('More');
  });

  it('says what the answers are that are not one JSON object', async () => {
    const { ask } = await testApp();
    const { paths } = documentSchema.parse(await (await ask('/api/openapi.json')).json());
    const content = (path: string) => Object.keys(paths[path]?.['get']?.responses['200']?.content ?? {});
    const checkpoint = '/stores/{store}/checkpoints/{id}';
    const state = paths[`${checkpoint}/state`]?.['get']?.responses['200']?.content;
    expect(state).toMatchObject({
      'application/json': {
        schema: { anyOf: [{ $ref: '#/components/schemas/Part' }, { description: expect.stringMatching(/Any JSON/) }] },
      },
    });
    expect(content(`${checkpoint}/raw`)).toEqual(['application/octet-stream']);
    expect(content(`${checkpoint}/state/value`)).toEqual(['application/json', 'application/octet-stream']);
    expect(content('/stores/{store}/tasks/{task}/history')).toEqual(['application/x-ndjson']);
    expect(content('/events')).toEqual(['text/event-stream']);
  });
});
