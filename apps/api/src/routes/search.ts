import { createRoute, z } from '@hono/zod-openapi';
import { given } from '@checkpoint-inspector/inspector';
import type { Services } from '../services.ts';
import { pageQuery, searchAnswerSchema } from '../wire/index.ts';
import { json, router } from './router.ts';

const search = createRoute({
  method: 'get',
  path: '/search',
  summary: 'Search across the states of all open stores',
  request: {
    query: pageQuery.extend({
      q: z.string().max(2_000).openapi({
        description:
          'Words, "phrases", path:value, -word, status: agent: task: store: system: trigger: before: after: >10MB <1kB',
        example: 'revenue.CompanyB:4200 status:failed',
      }),
    }),
  },
  responses: { 200: json(searchAnswerSchema, 'What was found, best first, and how much of each store is searched') },
});

export function searchRoutes({ search: service }: Services) {
  return router().openapi(search, async (c) => {
    const { q, limit, cursor } = c.req.valid('query');
    return c.json(await service.search(q, given({ limit, cursor, signal: c.req.raw.signal })), 200);
  });
}
