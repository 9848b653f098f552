import { createRoute, z } from '@hono/zod-openapi';
import { compact, InspectorError } from '@checkpoint-inspector/core';
import type { Services } from '../services.ts';
import {
  pageOf,
  pageQuery,
  planItemSchema,
  planRequestSchema,
  planViewSchema,
  receiptSchema,
  storeIdSchema,
  trashItemSchema,
} from '../wire/index.ts';
import { assertWritable, body, json, router } from './router.ts';

const byId = { params: z.object({ id: z.string() }) };
const listQuery = { query: pageQuery.extend({ store: storeIdSchema.optional() }) };

const preview = createRoute({
  method: 'post',
  path: '/plans',
  summary: 'What a change would do; writes nothing',
  request: { body: body(planRequestSchema) },
  responses: { 201: json(planViewSchema, 'The plan; it lives 15 minutes') },
});

const apply = createRoute({
  method: 'post',
  path: '/plans/{id}/apply',
  summary: 'Do what the plan says, and nothing else',
  request: byId,
  responses: { 200: json(receiptSchema, 'What was done, with proof') },
});

const items = createRoute({
  method: 'get',
  path: '/plans/{id}/items',
  summary: 'One part of a plan in full: a plan itself shows the first 100',
  request: {
    ...byId,
    query: pageQuery.extend({ part: z.enum(['removes', 'protected', 'skipped']) }),
  },
  responses: { 200: json(pageOf(planItemSchema), 'One page') },
});

const undo = createRoute({
  method: 'post',
  path: '/receipts/{id}/undo',
  summary: 'Undo a change',
  request: byId,
  responses: { 200: json(receiptSchema, 'What was done, with proof') },
});

const receipt = createRoute({
  method: 'get',
  path: '/receipts/{id}',
  summary: 'One receipt',
  request: byId,
  responses: { 200: json(receiptSchema, 'The receipt') },
});

const activity = createRoute({
  method: 'get',
  path: '/activity',
  summary: 'Receipts, newest first',
  request: listQuery,
  responses: { 200: json(pageOf(receiptSchema), 'One page') },
});

const trash = createRoute({
  method: 'get',
  path: '/trash',
  summary: 'Deleted checkpoints that can come back, newest first',
  request: listQuery,
  responses: { 200: json(pageOf(trashItemSchema), 'One page') },
});

export function planRoutes({ changes, status }: Services) {
  return router()
    .openapi(preview, async (c) => {
      const { store, request } = c.req.valid('json');
      return c.json(await changes.preview(store, request, { signal: c.req.raw.signal }), 201);
    })
    .openapi(items, async (c) => {
      const { part, ...query } = c.req.valid('query');
      return c.json(await changes.planItems(c.req.valid('param').id, part, compact(query)), 200);
    })
    .openapi(apply, async (c) => {
      assertWritable(status);
      return c.json(await changes.apply(c.req.valid('param').id), 200);
    })
    .openapi(undo, async (c) => {
      assertWritable(status);
      return c.json(await changes.undo(c.req.valid('param').id), 200);
    })
    .openapi(receipt, async (c) => {
      const { id } = c.req.valid('param');
      const found = await changes.receipt(id);
      if (found === undefined) throw new InspectorError('not_found', `No receipt "${id}".`, { data: { id } });
      return c.json(found, 200);
    })
    .openapi(activity, async (c) => c.json(await changes.receipts(compact(c.req.valid('query'))), 200))
    .openapi(trash, async (c) => c.json(await changes.trash(compact(c.req.valid('query'))), 200));
}
