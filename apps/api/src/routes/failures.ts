import { z } from '@hono/zod-openapi';
import { compact, InspectorError, parseExpectation, parseRunAddress, type StoreId } from '@checkpoint-inspector/core';
import type { BranchQuery } from '@checkpoint-inspector/inspector';
import type { Services } from '../services.ts';
import {
  errorsAnswerSchema,
  explanationSchema,
  inboxAnswerSchema,
  sinceSchema,
  outlinesAnswerSchema,
  storeIdSchema,
  taskParams,
  usageAnswerSchema,
} from '../wire/index.ts';
import { json, reads, router } from './router.ts';

const query = z.object({ store: storeIdSchema.optional(), task: z.string().optional() });

const errors = reads(
  '/errors',
  'Failed checkpoints grouped by message, current failures first',
  json(errorsAnswerSchema, 'What is known so far; `coverage` says how much was searched'),
  { query: query.extend({ since: sinceSchema.optional() }) },
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

const explanation = reads(
  '/stores/{store}/tasks/{task}/explain',
  'Facts about a run: error, last good checkpoint, what it wrote, what the error names, how a good run differs',
  json(explanationSchema, 'The explanation. It claims no cause'),
  {
    params: taskParams,
    query: z.object({
      cp: z.string().optional().openapi({ description: 'End of the branch; default: the latest' }),
      ns: z.string().optional().openapi({ description: 'Namespace of `cp`; empty for the root' }),
      against: z.string().optional().openapi({
        description:
          'Another run of the same store: a task id, or store/task, store/task/id or store/task/namespace/id as for /compare; default: a good run, if one is found',
      }),
      expect: z.string().optional().openapi({
        description: '<path>=<json>: what a value should be, for example $.a.b=122',
      }),
      known: z.enum(['true', 'false']).optional().openapi({
        description: '`true`: answers at once with what is known so far; `examined.partial` says that more follows',
      }),
    }),
  },
);

export function failureRoutes({ failures, explanations, stores }: Services) {
  return router()
    .openapi(errors, async (c) => c.json(await failures.errors(compact(c.req.valid('query'))), 200))
    .openapi(explanation, async (c) => {
      const { store, task } = c.req.valid('param');
      const { cp, ns, against, expect, known } = c.req.valid('query');
      const asked = {
        against: against === undefined ? undefined : otherRun(against, store, stores),
        expect: expect === undefined ? undefined : parseExpectation(expect),
      };
      const looking = { signal: c.req.raw.signal, known: known === 'true' };
      return c.json(await explanations.of(store, compact({ task, cp, ns, ...asked }), looking), 200);
    })
    .openapi(inbox, async (c) => c.json(await failures.inbox(compact(c.req.valid('query'))), 200))
    .openapi(outlines, async (c) => c.json(await failures.outlines(compact(c.req.valid('query'))), 200))
    .openapi(usage, async (c) => c.json(await failures.usage(compact(c.req.valid('query'))), 200));
}

/** A task id may contain slashes too: only what begins with the name of an open store is an address. @throws InspectorError invalid_input */
function otherRun(text: string, own: StoreId, stores: Services['stores']): BranchQuery {
  const store = text.slice(0, Math.max(0, text.indexOf('/')));
  if (!stores.list().some(({ id }) => id === store)) return { task: text };
  const { task, namespace: ns = '', id: cp } = parseRunAddress(text);
  if (store === own) return { task, ...(cp === undefined ? {} : { cp, ns }) };
  throw new InspectorError('invalid_input', `"${text}" is in another store.`, {
    remedy: `Name a run of "${own}", or use /compare.`,
  });
}
