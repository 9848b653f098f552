import { createRoute, z } from '@hono/zod-openapi';
import { ndjson, openHistory } from '@checkpoint-inspector/inspector';
import { compact } from '@checkpoint-inspector/core';
import type { Services } from '../services.ts';
import { pageQuery, searchAnswerSchema, historyLineSchema, taskParams } from '../wire/index.ts';
import { json, reads, router } from './router.ts';

const search = reads(
  '/search',
  'Search the states of all open stores',
  json(searchAnswerSchema, 'Results, best first, and how much of each store was searched'),
  {
    query: pageQuery.extend({
      q: z.string().max(2_000).openapi({
        description:
          'Words, "phrases", path:value, -word, status: agent: task: store: system: trigger: before: after: >10MB <1kB',
        example: 'revenue.CompanyB:4200 status:failed',
      }),
    }),
  },
);

export function searchRoutes({ search: service }: Services) {
  return router().openapi(search, async (c) => {
    const { q, limit, cursor } = c.req.valid('query');
    return c.json(await service.search(q, compact({ limit, cursor, signal: c.req.raw.signal })), 200);
  });
}

const history = createRoute({
  method: 'get',
  path: '/stores/{store}/tasks/{task}/history',
  summary: 'Every checkpoint of a branch that changed the value at a path, newest first, streamed as found',
  request: {
    params: taskParams,
    query: z.object({
      path: z.string().openapi({ description: '`$.a["b"][0]`' }),
      cp: z.string().optional().openapi({ description: 'The end of the branch; absent: the latest' }),
      ns: z.string().optional().openapi({ description: 'Namespace of `cp`' }),
    }),
  },
  responses: {
    200: {
      description:
        'application/x-ndjson, one HistoryLine per line: rows and progress, then one `done` or `error`. Reading stops when the request ends.',
    },
  },
});

export function historyRoutes({ stores, largeStates, summaries }: Services) {
  const routes = router();
  routes.openAPIRegistry.register('HistoryLine', historyLineSchema);
  return routes.openapi(history, async (c) => {
    const { store, task } = c.req.valid('param');
    const stop = new AbortController();
    c.req.raw.signal.addEventListener('abort', () => stop.abort());
    const query = { task, ...c.req.valid('query') };
    const source = stores.source(store);
    const roles = summaries.knownRoles(source, task);
    const lines = await openHistory(source, query, stop.signal, largeStates, roles);
    return c.body(
      ndjson(lines, () => stop.abort()),
      200,
      { 'content-type': 'application/x-ndjson; charset=utf-8', 'x-accel-buffering': 'no' },
    );
  });
}
