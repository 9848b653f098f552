import { createRoute, z } from '@hono/zod-openapi';
import type { Services } from '../services.ts';
import { whereIs } from '@checkpoint-inspector/inspector';
import { goneSchema, narrowQuery, storeParams } from '../wire/index.ts';
import { json, router } from './router.ts';

const gone = createRoute({
  method: 'get',
  path: '/stores/{store}/gone',
  summary: 'Why a checkpoint is not there: trash, deleted, evicted, never',
  request: { params: storeParams, query: narrowQuery.extend({ id: z.string() }) },
  responses: { 200: json(goneSchema, 'What is known of it') },
});

export function goneRoutes({ stores, changes }: Services) {
  return router().openapi(gone, async (c) => {
    const source = stores.source(c.req.valid('param').store);
    return c.json(await whereIs(source, changes, c.req.valid('query')), 200);
  });
}
