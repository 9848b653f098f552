/** What agents propose over MCP, and a person's decision; a proposal is applied as any plan is. */
import { createRoute, z } from '@hono/zod-openapi';
import type { Services } from '../services.ts';
import { pageOf, proposalSchema, receiptSchema } from '../wire/index.ts';
import { assertWritable, body, json, reads, router } from './router.ts';

const byId = { params: z.object({ id: z.string() }) };

const list = reads(
  '/proposals',
  'Changes that agents have proposed, newest first, with their plans of then',
  json(pageOf(proposalSchema), 'All of them'),
  {},
);

const one = reads(
  '/proposals/{id}',
  'One proposal, planned again, and whether it can be applied now',
  json(proposalSchema, 'The proposal; apply it with the id of its plan'),
  byId,
);

const apply = createRoute({
  method: 'post',
  path: '/proposals/{id}/apply',
  summary: 'Apply a proposal as it was shown',
  request: { ...byId, body: body(z.object({ planId: z.string() })) },
  responses: { 200: json(receiptSchema, 'What was done, with proof') },
});

const dismiss = createRoute({
  method: 'post',
  path: '/proposals/{id}/dismiss',
  summary: 'Decide against a proposal',
  request: byId,
  responses: { 200: json(proposalSchema, 'The proposal, dismissed') },
});

export function proposalRoutes({ proposals, status }: Services) {
  return router()
    .openapi(list, (c) => c.json({ items: proposals.list() }, 200))
    .openapi(one, async (c) => c.json(await proposals.get(c.req.valid('param').id), 200))
    .openapi(apply, async (c) => {
      assertWritable(status);
      return c.json(await proposals.apply(c.req.valid('param').id, c.req.valid('json').planId), 200);
    })
    .openapi(dismiss, (c) => {
      assertWritable(status);
      return c.json(proposals.dismiss(c.req.valid('param').id), 200);
    });
}
