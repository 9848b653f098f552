/** What agents did over MCP and may do, and the end of what they may. */
import { createRoute, z } from '@hono/zod-openapi';
import type { Services } from '../services.ts';
import { agentSchema, grantSchema, pageOf } from '../wire/index.ts';
import { assertWritable, json, reads, router } from './router.ts';

const list = reads(
  '/agents',
  'MCP clients: what each read, saved and proposed, and its grants',
  json(pageOf(agentSchema), 'Those that did something last come first'),
  {},
);

const end = createRoute({
  method: 'delete',
  path: '/grants/{id}',
  summary: 'End a grant of an MCP client',
  request: { params: z.object({ id: z.string() }) },
  responses: { 200: json(grantSchema, 'The grant, ended') },
});

export function agentRoutes({ agents, status }: Services) {
  return router()
    .openapi(list, (c) => c.json({ items: agents.list() }, 200))
    .openapi(end, (c) => {
      assertWritable(status);
      return c.json(agents.endGrant(c.req.valid('param').id), 200);
    });
}
