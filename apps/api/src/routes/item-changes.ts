/** Plan and apply in one call, for programs: the hash in If-Match stands in for the preview. */
import { createRoute, z } from '@hono/zod-openapi';
import { assertWritable } from '../guards/read-only.ts';
import { requireMatch } from './match.ts';
import type { Services } from '../services.ts';
import { resolveRef } from '@checkpoint-inspector/inspector';
import { checkpointParams, narrowQuery, receiptSchema } from '../wire/index.ts';
import { json, router } from './router.ts';

const request = {
  params: checkpointParams,
  query: narrowQuery,
  headers: z.object({
    'if-match': z.string().optional().openapi({ description: '"<revision>", as it was shown' }),
  }),
};

const remove = createRoute({
  method: 'delete',
  path: '/stores/{store}/checkpoints/{id}',
  summary: 'Delete a checkpoint; undo brings it back',
  request,
  responses: { 200: json(receiptSchema, 'What was done, with proof') },
});

const restore = createRoute({
  method: 'post',
  path: '/stores/{store}/checkpoints/{id}/restore',
  summary: 'Make a checkpoint the latest of its task',
  request,
  responses: { 200: json(receiptSchema, 'What was done, with proof') },
});

export function itemChangeRoutes({ stores, changes, status }: Services) {
  return router()
    .openapi(remove, async (c) => {
      assertWritable(status);
      const { store, id } = c.req.valid('param');
      const source = stores.source(store);
      const ref = await resolveRef(source, id, c.req.valid('query'));
      await requireMatch(source, ref, c.req.valid('header')['if-match']);
      const plan = await changes.preview(store, { kind: 'delete', refs: [ref] });
      return c.json(await changes.apply(plan.id), 200);
    })
    .openapi(restore, async (c) => {
      assertWritable(status);
      const { store, id } = c.req.valid('param');
      const source = stores.source(store);
      const ref = await resolveRef(source, id, c.req.valid('query'));
      await requireMatch(source, ref, c.req.valid('header')['if-match']);
      const plan = await changes.preview(store, { kind: 'restore', ref });
      return c.json(await changes.apply(plan.id), 200);
    });
}
