import { createRoute, z } from '@hono/zod-openapi';
import type { Services } from '../services.ts';
import { optional, storeInfoSchema, storeParams } from '../wire/index.ts';
import { body, json, reads, router } from './router.ts';

const storeItems = z.object({ items: z.array(storeInfoSchema) });

const list = reads('/stores', 'Open stores', json(storeItems, 'Open stores'), {});

const open = createRoute({
  method: 'post',
  path: '/stores',
  summary: 'Open everything found at a path',
  request: { body: body(z.object({ target: z.string().min(1), name: optional(z.string().min(1)) })) },
  responses: { 201: json(storeItems, 'The stores that were opened') },
});

const close = createRoute({
  method: 'delete',
  path: '/stores/{store}',
  summary: 'Close a store; nothing is deleted',
  request: { params: storeParams },
  responses: { 204: { description: 'Closed' } },
});

const unlock = createRoute({
  method: 'post',
  path: '/stores/{store}/unlock',
  summary: 'Read encrypted checkpoints with this key until the server stops',
  request: { params: storeParams, body: body(z.object({ key: z.string().min(1) })) },
  responses: { 200: json(storeInfoSchema, 'The store, unlocked') },
});

export function storeRoutes({ stores }: Services) {
  return router()
    .openapi(list, (c) => c.json({ items: stores.list() }, 200))
    .openapi(open, async (c) => {
      const { target, name } = c.req.valid('json');
      return c.json({ items: await stores.open(target, name) }, 201);
    })
    .openapi(close, async (c) => {
      await stores.close(c.req.valid('param').store);
      return c.body(null, 204);
    })
    .openapi(unlock, async (c) => {
      const { store } = c.req.valid('param');
      await stores.unlock(store, c.req.valid('json').key);
      return c.json(stores.source(store).info, 200);
    });
}
