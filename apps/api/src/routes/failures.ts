import { z } from '@hono/zod-openapi';
import { compact } from '@checkpoint-inspector/core';
import type { Services } from '../services.ts';
import {
  diagnosisSchema,
  errorsAnswerSchema,
  inboxAnswerSchema,
  sinceSchema,
  limitSchema,
  outlinesAnswerSchema,
  storeIdSchema,
  taskParams,
  usageAnswerSchema,
} from '../wire/index.ts';
import { json, reads, router } from './router.ts';

const query = z.object({ store: storeIdSchema.optional(), task: z.string().optional() });

const MOST_DIAGNOSED = 50;

const errors = reads(
  '/errors',
  'Failed checkpoints grouped by message, current failures first',
  json(errorsAnswerSchema, 'What is known so far; `coverage` says how much was searched'),
  {
    query: query.extend({
      since: sinceSchema.optional(),
      diagnose: limitSchema.optional().openapi({
        type: 'string',
        description: `How many of the listed tasks to diagnose for their last good checkpoint, at most ${MOST_DIAGNOSED}; default: none`,
      }),
    }),
  },
);

const inbox = reads(
  '/inbox',
  "Tasks waiting for a person, longest wait first. Requests can't be answered here",
  json(inboxAnswerSchema, 'What is known so far'),
  { query: query.extend({ since: sinceSchema.optional() }) },
);

const outlines = reads(
  '/outlines',
  "For a list of tasks: each task's steps, its current step, and what that step changed",
  json(outlinesAnswerSchema, 'What is known so far'),
  { query },
);

const usage = reads(
  '/usage',
  'Tokens, cost and time per task and per agent, as reported by checkpoints',
  json(usageAnswerSchema, 'Exact sums, and how many checkpoints report each figure'),
  { query: query.extend({ agent: z.string().optional() }) },
);

const diagnosis = reads(
  '/stores/{store}/tasks/{task}/diagnosis',
  "What went wrong on a checkpoint's branch: error, last good checkpoint, likely causes. Suggestions only",
  json(diagnosisSchema, 'The diagnosis; `healthy` if nothing failed'),
  {
    params: taskParams,
    query: z.object({
      cp: z.string().optional().openapi({ description: 'End of the branch; default: the latest' }),
      ns: z.string().optional().openapi({ description: 'Namespace of `cp`; empty for the root' }),
    }),
  },
);

export function failureRoutes({ failures, diagnoses }: Services) {
  return router()
    .openapi(errors, async (c) => {
      const { diagnose = 0, ...filter } = c.req.valid('query');
      const asked = { ...compact(filter), diagnose: Math.min(diagnose, MOST_DIAGNOSED) };
      return c.json(await failures.errors(asked, { signal: c.req.raw.signal }), 200);
    })
    .openapi(diagnosis, async (c) => {
      const { store, task } = c.req.valid('param');
      const { signal } = c.req.raw;
      return c.json(await diagnoses.of(store, { task, ...c.req.valid('query') }, { signal }), 200);
    })
    .openapi(inbox, async (c) => c.json(await failures.inbox(compact(c.req.valid('query'))), 200))
    .openapi(outlines, async (c) => c.json(await failures.outlines(compact(c.req.valid('query'))), 200))
    .openapi(usage, async (c) => c.json(await failures.usage(compact(c.req.valid('query'))), 200));
}
