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
import { assertWritable, body, json, reads, router } from './router.ts';

const byId = { params: z.object({ id: z.string() }) };
const listQuery = { query: pageQuery.extend({ store: storeIdSchema.optional() }) };

const preview = createRoute({
  method: 'post',
  path: '/plans',
  summary: 'Plan a change; writes nothing',
  request: { body: body(planRequestSchema) },
  responses: { 201: json(planViewSchema, 'The plan; it expires after 15 minutes') },
});

const apply = createRoute({
  method: 'post',
  path: '/plans/{id}/apply',
  summary: 'Apply a plan, and nothing else',
  request: byId,
  responses: { 200: json(receiptSchema, 'What was done, with proof') },
});

const items = reads(
  '/plans/{id}/items',
  'One list of a plan in full; the plan itself shows the first 100 items',
  json(pageOf(planItemSchema), 'One page'),
  {
    ...byId,
    query: pageQuery.extend({ part: z.enum(['removes', 'protected', 'skipped']) }),
  },
);

const undo = createRoute({
  method: 'post',
  path: '/receipts/{id}/undo',
  summary: 'Undo a change',
  request: byId,
  responses: { 200: json(receiptSchema, 'What was done, with proof') },
});

const receipt = reads('/receipts/{id}', 'One receipt', json(receiptSchema, 'The receipt'), byId);

const activity = reads('/activity', 'Receipts, newest first', json(pageOf(receiptSchema), 'One page'), listQuery);

const trash = reads(
  '/trash',
  'Deleted checkpoints that can be brought back, newest first',
  json(pageOf(trashItemSchema), 'One page'),
  listQuery,
);

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
      if (found === undefined)
        throw new InspectorError('not_found', `No receipt "${id}".`, {
          data: { id },
          remedy: 'List them with `receipts`.',
        });
      return c.json(found, 200);
    })
    .openapi(activity, async (c) => c.json(await changes.receipts(compact(c.req.valid('query'))), 200))
    .openapi(trash, async (c) => c.json(await changes.trash(compact(c.req.valid('query'))), 200));
}
