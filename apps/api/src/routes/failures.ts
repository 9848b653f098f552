import { createRoute, z } from '@hono/zod-openapi';
import { compact } from '@checkpoint-inspector/core';
import type { Services } from '../services.ts';
import {
  diagnosisSchema,
  errorsAnswerSchema,
  inboxAnswerSchema,
  outlinesAnswerSchema,
  storeIdSchema,
  taskParams,
  usageAnswerSchema,
} from '../wire/index.ts';
import { json, router } from './router.ts';

const query = z.object({ store: storeIdSchema.optional(), task: z.string().optional() });

const errors = createRoute({
  method: 'get',
  path: '/errors',
  summary: 'Failed checkpoints in groups by their message; those at which a task stands now first',
  request: { query },
  responses: { 200: json(errorsAnswerSchema, 'What is known so far; `coverage` says how much was looked through') },
});

const inbox = createRoute({
  method: 'get',
  path: '/inbox',
  summary: 'Tasks that wait for a person, the longest wait first. Requests are not answered here',
  request: { query },
  responses: { 200: json(inboxAnswerSchema, 'What is known so far') },
});

const outlines = createRoute({
  method: 'get',
  path: '/outlines',
  summary: 'For a list of tasks: the steps of each, where it is, and what its latest step changed',
  request: { query },
  responses: { 200: json(outlinesAnswerSchema, 'What is known so far') },
});

const usage = createRoute({
  method: 'get',
  path: '/usage',
  summary: 'Tokens, cost and time per task and per agent, as far as checkpoints say',
  request: { query: query.extend({ agent: z.string().optional() }) },
  responses: { 200: json(usageAnswerSchema, 'Exact sums, and how many checkpoints say something') },
});

const diagnosis = createRoute({
  method: 'get',
  path: '/stores/{store}/tasks/{task}/diagnosis',
  summary:
    'What went wrong on the branch of a checkpoint: error, last good checkpoint, likely causes. Suggestions only',
  request: {
    params: taskParams,
    query: z.object({
      cp: z.string().optional().openapi({ description: 'End of the branch; default: the latest' }),
      ns: z.string().optional().openapi({ description: 'Namespace of `cp`; empty for the root' }),
    }),
  },
  responses: { 200: json(diagnosisSchema, 'The answer; `healthy` where nothing failed') },
});

export function failureRoutes({ failures, diagnoses }: Services) {
  return router()
    .openapi(errors, async (c) => c.json(await failures.errors(compact(c.req.valid('query'))), 200))
    .openapi(diagnosis, async (c) => {
      const { store, task } = c.req.valid('param');
      const { signal } = c.req.raw;
      return c.json(await diagnoses.of(store, { task, ...c.req.valid('query') }, { signal }), 200);
    })
    .openapi(inbox, async (c) => c.json(await failures.inbox(compact(c.req.valid('query'))), 200))
    .openapi(outlines, async (c) => c.json(await failures.outlines(compact(c.req.valid('query'))), 200))
    .openapi(usage, async (c) => c.json(await failures.usage(compact(c.req.valid('query'))), 200));
}
