/** What agents propose over MCP, and a person's decision; a proposal is applied as any plan is. */
import { createRoute, z } from '@hono/zod-openapi';
import type { Services } from '../services.ts';
import { pageOf, proposalSchema } from '../wire/index.ts';
import { assertWritable, json, reads, router } from './router.ts';

const byId = { params: z.object({ id: z.string() }) };

const list = reads(
  '/proposals',
  'Changes that agents have proposed since the start, newest first',
  json(pageOf(proposalSchema), 'All of them'),
  {},
);

const one = reads(
  '/proposals/{id}',
  'One proposal, and whether it can be applied now',
  json(proposalSchema, 'The proposal; apply it with the id of its plan'),
  byId,
);

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
    .openapi(dismiss, (c) => {
      assertWritable(status);
      return c.json(proposals.dismiss(c.req.valid('param').id), 200);
    });
}
