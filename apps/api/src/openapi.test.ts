import { z } from '@hono/zod-openapi';
import { describe, expect, it } from 'vitest';
import { testApp } from './testing/app.ts';

const documentSchema = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), z.looseObject({ responses: z.record(z.string(), z.unknown()) }))),
  components: z.looseObject({
    schemas: z.record(z.string(), z.looseObject({ required: z.array(z.string()).optional() })),
  }),
});

describe('GET /api/openapi.json', () => {
  it('describes every route, the error form, and which keys may be absent', async () => {
    const { ask } = await testApp();
    const document = documentSchema.parse(await (await ask('/api/openapi.json')).json());
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    );
    expect(operations.toSorted()).toEqual([
      'delete /stores/{store}',
      'delete /stores/{store}/checkpoints/{id}',
      'delete /stores/{store}/checkpoints/{id}/labels/{label}',
      'get /activity',
      'get /diff',
      'get /errors',
      'get /events',
      'get /inbox',
      'get /metrics',
      'get /plans/{id}/items',
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
      'get /stores/{store}/tasks/{task}/history',
      'get /stores/{store}/tasks/{task}/tree',
      'get /stores/{store}/tasks/{task}/tree/columns',
      'get /tasks',
      'get /trash',
      'get /trash/summary',
      'get /usage',
      'post /demo/reset',
      'post /demo/scene',
      'post /export',
      'post /export/preview',
      'post /plans',
      'post /plans/{id}/apply',
      'post /receipts/{id}/undo',
      'post /session',
      'post /stores',
      'post /stores/{store}/checkpoints/{id}/restore',
      'post /stores/{store}/unlock',
      'post /trash/plans',
      'post /trash/purge',
      'put /stores/{store}/checkpoints/{id}/labels/{label}',
      'put /stores/{store}/checkpoints/{id}/note',
      'put /trash/settings',
    ]);
    const error = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
    expect(document.paths['/tasks']?.['get']?.responses['default']).toMatchObject({ content: error });
    expect(document.components.schemas['Task']?.required).toContain('title');
    expect(document.components.schemas['Task']?.required).not.toContain('agentId');
  });
});
