import { homedir } from 'node:os';
import { createRoute, z } from '@hono/zod-openapi';
import { InspectorError } from '@checkpoint-inspector/core';
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

const home = createRoute({
  method: 'post',
  path: '/home',
  summary: 'Open what coding agents keep in their known places below the home folder; nothing else is looked at',
  responses: { 201: json(storeItems, 'The stores that were found there, none where there are none') },
});

const agree = createRoute({
  method: 'post',
  path: '/stores/{store}/keep-index',
  summary: 'Agree, once and for good, that the search index of a private store is kept on disk',
  request: { params: storeParams },
  responses: { 204: { description: 'Remembered' } },
});

const send = createRoute({
  method: 'post',
  path: '/bundles',
  summary: 'Open a bundle that is the request body; its file is kept until the store is closed',
  request: { query: z.object({ name: z.string().min(1).max(255) }) },
  responses: { 201: json(storeItems, 'The store that was opened') },
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

export function storeRoutes({ stores, dropped }: Services) {
  return router()
    .openapi(list, (c) => c.json({ items: stores.list() }, 200))
    .openapi(open, async (c) => {
      const { target, name } = c.req.valid('json');
      return c.json({ items: await stores.open(target, name) }, 201);
    })
    .openapi(home, async (c) => c.json({ items: await stores.openHome(homedir()) }, 201))
    .openapi(agree, (c) => {
      stores.agreeToKeep(c.req.valid('param').store);
      return c.body(null, 204);
    })
    .openapi(send, async (c) => {
      const { body: content } = c.req.raw;
      if (content === null) throw new InspectorError('invalid_input', 'The request has no body.');
      return c.json({ items: await dropped.open(content, c.req.valid('query').name) }, 201);
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
